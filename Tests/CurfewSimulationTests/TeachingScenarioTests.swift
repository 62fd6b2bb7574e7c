import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// The files of `Policies/` that people read first.
@Suite(.inTurn) struct TeachingScenarioTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Policies")

  static let scenarios: [String] = {
    let files =
      (try? FileManager.default.contentsOfDirectory(
        atPath: folder.appendingPathComponent("Scenarios").path)) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.sorted()
  }()

  @Test func `there is a scenario for each flow in scope`() {
    #expect(TeachingScenarioTests.scenarios.count >= 42)
  }

  @Test func `each scenario has its row in the table`() throws {
    let table = try String(
      contentsOf: TeachingScenarioTests.folder.appendingPathComponent("README.md"), encoding: .utf8)
    let missing = TeachingScenarioTests.scenarios.filter {
      !table.contains("[\($0.dropLast(5))](Scenarios/\($0))")
    }
    #expect(missing == [])
  }

  @Test(arguments: scenarios)
  func `runs under every profile of its family, makes no illegal step under its own, and replays`(
    _ file: String
  ) throws {
    let path = TeachingScenarioTests.folder.appendingPathComponent("Scenarios/\(file)").path
    let named = try Scenario.load(path).policy.name
    // Each family lacks some words of the others, and in a car `home` must name the app.
    // A scenario's own policy belongs to iOS.
    let own =
      PolicyFile.builtInNames.contains(named) ? TeachingScenarioTests.family(of: named) : "ios"
    let family = PolicyFile.builtInNames.filter { TeachingScenarioTests.family(of: $0) == own }
    for profile in [nil] + family.map(Optional.some) {
      let scenario = try Scenario.load(path, policy: try profile.map { try PolicyFile.load($0) })
      let trace = try TeachingScenarioTests.run(scenario)
      #expect(!trace.lines.isEmpty)
      #expect(
        try Replay.run(trace, under: scenario.policy) == nil,
        "\(file) under \(scenario.policy.name)")
      guard profile == nil else { continue }
      let hasIllegalStep = trace.lines.contains {
        if case .diagnostic(.illegalEvent, _) = $0.body { true } else { false }
      }
      #expect(!hasIllegalStep, "\(file) teaches an illegal step")
    }
  }

  @Test(arguments: scenarios) func `meets its expectations, and has some`(_ file: String)
    throws
  {
    let verdicts = try Scenario.load(
      TeachingScenarioTests.folder.appendingPathComponent("Scenarios/\(file)").path
    ).verdicts()
    #expect(verdicts.count >= 2)
    #expect(verdicts.filter { $0.outcome != .met }.map { "\($0.place): \($0)" } == [])
  }

  @Test func `the shipped day meets its expectations`() throws {
    let verdicts = try Scenario.shippedDay().verdicts()
    #expect(verdicts.count >= 5)
    #expect(verdicts.filter { $0.outcome != .met }.map(\.description) == [])
  }

  @Test func `the shipped day equals its file, replays, and needs no illegal step`() throws {
    let scenario = try Scenario.shippedDay()
    let trace = try TeachingScenarioTests.run(scenario)
    let file = try Scenario.load(
      TeachingScenarioTests.folder.appendingPathComponent("day.yaml").path)
    #expect(try TeachingScenarioTests.run(file).lines == trace.lines)
    #expect(try Replay.run(trace, under: scenario.policy) == nil)
    var summary = RunSummary(apps: trace.header.apps, under: scenario.policy)
    for line in trace.lines { summary.read(line) }
    #expect(summary.diagnostics[.illegalEvent] == nil)
    #expect(summary.killsByReason.count >= 5)
    #expect(summary.total.denials >= 3)
  }

  /// A built-in profile's name without its version.
  private static func family(of name: String) -> Substring { name.prefix(while: \.isLetter) }

  private static func run(_ scenario: Scenario) throws -> Trace {
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    _ = try simulation.run { lines.append($0) }
    return Trace(header: simulation.header, lines: lines)
  }
}
