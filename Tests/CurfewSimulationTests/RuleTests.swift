import CurfewEngine
import CurfewFiles
import CurfewSimulation
import Foundation
import Testing

/// The behaviour tests: each scenario in `Rules/` has beside it the trace that was derived by hand from the rule whose number it bears.
@Suite struct RuleTests {
  static let cases = RuleCase.all

  @Test func `there is a scenario for every rule in scope`() {
    let numbers = Set(RuleTests.cases.map(\.rule))
    let rules =
      (1...3).map { "C\($0)" } + (1...11).map { "A\($0)" } + (1...12).map { "F\($0)" } + (1...4).map { "D\($0)" }
      + (1...13).map { "T\($0)" } + (1...3).map { "L\($0)" } + (1...5).map { "W\($0)" } + (1...3).map { "B\($0)" }
      + (1...2).map { "M\($0)" } + ["N1", "example"]
    #expect(Set(rules).subtracting(numbers).isEmpty)
    #expect(RuleTests.cases.count >= 600)
  }

  @Test func `a scenario lies in the folder of its rule, beside its trace, and no folder is too full to be read`() throws {
    for rule in RuleTests.cases { #expect(rule.rule == rule.folder.lastPathComponent, "\(rule.name)") }
    let files = try #require(FileManager.default.enumerator(atPath: RuleCase.root.path)).compactMap { $0 as? String }
    let counts = Dictionary(grouping: files, by: { ($0 as NSString).deletingLastPathComponent }).mapValues(\.count)
    for (folder, count) in counts { #expect(count <= 300, "Rules/\(folder)") }
    let traces = files.filter { $0.hasSuffix(".jsonl") }.map { ($0 as NSString).lastPathComponent.dropLast(6) }
    #expect(Set(traces.map(String.init)) == Set(RuleTests.cases.map(\.name)))
  }

  /// What each fact blocks: the columns and rows of the matrix, both switches of the first row apart.
  @Test func `there is a scenario for every cell of the matrix`() {
    let columns = [
      "finite-task", "audio-playing", "location-session", "slc", "region", "voip-push", "silent-push", "app-refresh", "processing",
      "url-session",
    ]
    let rows = ["refresh-denied", "refresh-restricted", "low-power-mode", "force-quit", "low-battery", "before-first-unlock"]
    let cells = columns.flatMap { column in rows.map { "M4-\(column)-\($0)" } }
    #expect(Set(cells).subtracting(RuleTests.cases.map(\.name)).isEmpty)
  }

  @Test(arguments: cases)
  func `the trace is the one that the rule gives`(_ rule: RuleCase) throws {
    let expected = try rule.expectedLines()
    let run = try rule.run()
    #expect(run.header.name == expected.header.name)
    #expect(run.header.policy == expected.header.policy)
    #expect(run.header.seed == expected.header.seed)
    let found = run.lines.map { $0.json() }
    for (index, (found, expected)) in zip(found, expected.lines).enumerated() where found != expected {
      Issue.record("\(rule.name), line \(index + 2):\nexpected \(expected)\nfound    \(found)")
      return
    }
    #expect(found.count == expected.lines.count, "\(found.dropFirst(expected.lines.count)) \(expected.lines.dropFirst(found.count))")
  }

  @Test(arguments: cases)
  func `the trace replays, action for action`(_ rule: RuleCase) throws {
    let scenario = try rule.scenario()
    let run = try rule.run()
    // Through the file's text and back, as a reader gets it.
    let text = ([run.header.json] + run.lines.map { $0.json() }).joined(separator: "\n")
    let trace = try Trace.decode(SourceFile(name: "\(rule.name).jsonl", bytes: Array(text.utf8)))
    let divergence = try Replay.run(trace, under: scenario.policy)
    #expect(divergence == nil)
  }

  @Test func `a replay refuses a policy of another digest unless it is told which to use`() throws {
    let rule = try #require(RuleTests.cases.first { $0.name.hasPrefix("example") })
    let trace = try rule.run()
    let other = try PolicyFile.load("ios7")
    #expect(throws: FileErrors.self) { try Replay.run(trace, under: other) }
    #expect(Replay.run(trace, policy: other.policy) != nil)
  }

  @Test func `a replay finds a line that was tampered with`() throws {
    let rule = try #require(RuleTests.cases.first { $0.name.hasPrefix("example") })
    var trace = try rule.run()
    let line = try #require(trace.lines.lastIndex { if case .terminated = $0.body { true } else { false } })
    trace.lines.remove(at: line)
    let policy = try rule.scenario().policy.policy
    #expect(Replay.run(trace, policy: policy) != nil)
    trace = try rule.run()
    trace.lines[line].time = trace.lines[line].time + Interval.seconds(1)
    #expect(Replay.run(trace, policy: policy)?.line == line + 2)
  }
}

/// A scenario of `Rules/` and the trace that belongs to it.
struct RuleCase: CustomTestStringConvertible, Sendable {
  /// Rule number and words, as the files are called.
  let name: String
  /// The rule's, in `root`.
  let folder: URL

  var testDescription: String { name }

  /// The number that the name begins with; `example` for the one that bears none.
  var rule: String { String(name.prefix { $0 != "-" }) }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Rules")

  /// Where `policy:` of a scenario leads to, if that is no built-in profile.
  static let policies = "policies"

  static let all: [RuleCase] = contents(of: root).filter { $0 != policies }.flatMap { name in
    let folder = root.appendingPathComponent(name)
    return contents(of: folder).filter { $0.hasSuffix(".yaml") }.map { RuleCase(name: String($0.dropLast(5)), folder: folder) }
  }

  private static func contents(of folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  func scenario() throws -> Scenario { try Scenario.load(folder.appendingPathComponent(name + ".yaml").path) }

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
