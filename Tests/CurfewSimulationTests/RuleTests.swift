import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// The behaviour tests. Each scenario in `Rules/` has a trace that was derived by hand from
/// the rule whose number it bears. The rules are in `Documentation/rules.md`, and each has
/// a folder here.
@Suite(.inTurn) struct RuleTests {
  static let cases = RuleCase.all

  @Test func `every rule has a scenario`() throws {
    let rules = try RuleBook.load().rules
    #expect(Set(rules).subtracting(RuleTests.cases.map(\.rule)) == [])
    #expect(RuleTests.cases.count >= 600)
  }

  @Test
  func
    `a scenario lies in the folder of its rule, beside its trace, and no folder is too full to be read`()
    throws
  {
    for rule in RuleTests.cases {
      #expect(rule.rule == rule.folder.lastPathComponent, "\(rule.name)")
    }
    let files = try #require(FileManager.default.enumerator(atPath: RuleCase.root.path)).compactMap
    { $0 as? String }
    let counts = Dictionary(grouping: files, by: { ($0 as NSString).deletingLastPathComponent })
      .mapValues(\.count)
    for (folder, count) in counts { #expect(count <= 300, "Rules/\(folder)") }
    let traces = files.filter { $0.hasSuffix(".jsonl") }.map {
      ($0 as NSString).lastPathComponent.dropLast(6)
    }
    #expect(Set(traces.map(String.init)) == Set(RuleTests.cases.map(\.name)))
  }

  /// The table of rule M4, with the two positions of the switch separate.
  @Test
  func
    `there is a scenario for every cell of the matrix, and its trace has the effect that the cell says`()
    throws
  {
    let cells = try RuleBook.load().matrix
    #expect(
      Set(cells.map(\.scenario)) == Set(RuleTests.cases.filter { $0.rule == "M4" }.map(\.name)))
    #expect(cells.count == 60)
    for cell in cells {
      let lines =
        try RuleTests.cases.first { $0.name == cell.scenario }?.expectedLines().lines ?? []
      let isDenied = lines.contains { $0.contains(#""allowed":false"#) }
      let isIllegal = lines.contains { $0.contains(#""illegalEvent""#) }
      #expect(
        cell.effect == (isDenied ? "denied" : isIllegal ? "no process" : "–"), "\(cell.scenario)")
    }
  }

  @Test(arguments: cases)
  func `the trace is the one derived from the rule`(_ rule: RuleCase) throws {
    let expected = try rule.expectedLines()
    let run = try rule.run()
    #expect(run.header.name == expected.header.name)
    #expect(run.header.policy == expected.header.policy)
    #expect(run.header.seed == expected.header.seed)
    let found = run.lines.map { $0.json() }
    for (index, (found, expected)) in zip(found, expected.lines).enumerated()
    where !DerivedLine.isSame(found, expected) {
      Issue.record("\(rule.name), line \(index + 2):\nexpected \(expected)\nfound    \(found)")
      return
    }
    #expect(
      found.count == expected.lines.count,
      "\(found.dropFirst(expected.lines.count)) \(expected.lines.dropFirst(found.count))")
  }

  @Test func `a key that occurs in no derived trace is ignored, and every other key must agree`() {
    let derived = #"{"t":0,"app":"mail","type":"state","from":"notRunning","to":"inactive"}"#
    #expect(DerivedLine.isSame(derived, derived))
    #expect(
      DerivedLine.isSame(
        #"{"t":0,"app":"mail","type":"state","mood":"good","from":"notRunning","to":"inactive"}"#,
        derived))
    for other in [
      #"{"t":1,"app":"mail","type":"state","from":"notRunning","to":"inactive"}"#,
      #"{"t":0,"app":"mail","type":"state","from":"notRunning"}"#,
      #"{"t":0,"app":"mail","type":"state","from":"notRunning","to":"background","mood":"good"}"#,
    ] { #expect(!DerivedLine.isSame(other, derived), "\(other)") }
    // Other derived lines have `name`, so a task without a name must not get one.
    let end = #"{"t":0,"app":"mail","type":"task","event":"end","task":1}"#
    #expect(
      !DerivedLine.isSame(
        #"{"t":0,"app":"mail","type":"task","event":"end","task":1,"name":"upload"}"#, end))
  }

  @Test(arguments: Campaign.some(180, of: cases))
  func `the trace replays, action for action`(_ rule: RuleCase) throws {
    let scenario = try rule.scenario()
    let run = try rule.run()
    // The trace is read from its text, as a reader gets it.
    let text = ([run.header.json] + run.lines.map { $0.json() }).joined(separator: "\n")
    let trace = try Trace.decode(SourceFile(name: "\(rule.name).jsonl", bytes: Array(text.utf8)))
    let divergence = try Replay.run(trace, under: scenario.policy)
    #expect(divergence == nil)
  }

  @Test func `a replay refuses a policy with another digest unless a policy is given`() throws {
    let rule = try #require(RuleTests.cases.first { $0.name.hasPrefix("example") })
    let trace = try rule.run()
    let other = try PolicyFile.load("ios7")
    #expect(throws: FileErrors.self) { try Replay.run(trace, under: other) }
    #expect(Replay.run(trace, policy: other.policy) != nil)
  }

  @Test func `a replay finds a line that was tampered with`() throws {
    let rule = try #require(RuleTests.cases.first { $0.name.hasPrefix("example") })
    var trace = try rule.run()
    let line = try #require(
      trace.lines.lastIndex { if case .terminated = $0.body { true } else { false } })
    trace.lines.remove(at: line)
    let policy = try rule.scenario().policy.policy
    #expect(Replay.run(trace, policy: policy) != nil)
    trace = try rule.run()
    trace.lines[line].time = trace.lines[line].time + Interval.seconds(1)
    #expect(Replay.run(trace, policy: policy)?.line == line + 2)
  }
}

/// A scenario of `Rules/` and its trace.
struct RuleCase: CustomTestStringConvertible, Sendable {
  /// The name of its files: the rule's number and words.
  let name: String
  /// The rule's folder in `root`.
  let folder: URL

  var testDescription: String { name }

  /// The number that the name begins with; `example` if there is none.
  var rule: String { String(name.prefix { $0 != "-" }) }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Rules")

  /// The folder of the policies that scenarios name and that are not built in.
  static let policies = "policies"

  static let all: [RuleCase] = contents(of: root).filter { $0 != policies }.flatMap { name in
    let folder = root.appendingPathComponent(name)
    return contents(of: folder).filter { $0.hasSuffix(".yaml") }.map {
      RuleCase(name: String($0.dropLast(5)), folder: folder)
    }
  }

  private static func contents(of folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  func scenario() throws -> Scenario {
    try Scenario.load(folder.appendingPathComponent(name + ".yaml").path)
  }

  func run() throws -> Trace {
    let scenario = try scenario()
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    let ending = try simulation.run { lines.append($0) }
    #expect(ending == .complete || scenario.until != nil)
    return Trace(header: simulation.header, lines: lines)
  }

  func expectedLines() throws -> (header: TraceHeader, lines: [String]) {
    let source = try SourceFile.read(folder.appendingPathComponent(name + ".jsonl").path)
    let lines = source.text.split(separator: "\n").map(String.init)
    return (try Trace.decode(source).header, Array(lines.dropFirst()))
  }
}
