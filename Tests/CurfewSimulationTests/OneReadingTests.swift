import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Compares the figures that a run's meter counts from actions with those that its summary counts
/// from lines.
@Suite(.inTurn) struct OneReadingTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every scenario of the repository in this folder.
  private static func scenarios(under folder: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(
      atPath: repository.appendingPathComponent(folder).path)
    return paths.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }.filter {
      path in
      let text = try? String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
      return text?.contains("curfew: scenario/") ?? false
    }
  }

  /// The names of the figures that differ.
  private static func differences(_ scenario: Scenario) throws -> [String] {
    var simulation = Simulation(scenario)
    var summary = RunSummary(apps: scenario.apps.map(\.identifier), under: scenario.policy)
    var lines = 0
    // If apps are never idle between the system's own starts, the run is endless.
    _ = try simulation.run(isInterrupted: { lines > 10_000 }) {
      lines += 1
      summary.read($0)
    }
    let (figures, counts) = (simulation.figures(), summary.total)
    var differing: [String] = []
    for (number, app) in [(nil, figures.total)]
      + figures.apps.enumerated().map({ (Optional($0), $1) })
    {
      let own = number.map { summary.apps[$0].counts } ?? counts
      let name = number.map { summary.apps[$0].identifier } ?? "all"
      for count in AppFigures.Count.allCases
      where count != .apps && app[count] != own.figures[count] {
        differing.append("\(name) \(count)")
      }
      for reason in TerminationReason.allCases where app[reason] != own.figures[reason] {
        differing.append("\(name) \(reason)")
      }
      if app[.taskLength] != own.figures[.taskLength] { differing.append("\(name) taskLength") }
      for (place, kind) in app.kinds.enumerated() {
        let other = place < own.figures.kinds.count ? own.figures.kinds[place] : KindFigures()
        // No line has the result of a wake.
        for count in KindFigures.Count.allCases
        where count != .failed && kind[count] != other[count] {
          differing.append("\(name) \(place) \(count)")
        }
        if kind.length != other.length { differing.append("\(name) \(place) length") }
      }
      let denied = app.kinds.reduce(0) { $0 + $1.denied }
      if denied != own.denials { differing.append("\(name) denied") }
    }
    return differing
  }

  @Test func `figures from actions agree with those from lines, in every shipped scenario`() throws
  {
    let scenarios = try Self.scenarios(under: "Policies")
    #expect(scenarios.count > 80)
    for path in scenarios {
      let scenario = try Scenario.load(Self.repository.appendingPathComponent(path).path)
      #expect(try Self.differences(scenario) == [], "\(path)")
    }
  }

  @Test func `figures from actions agree with those from lines, in every scenario of a rule`()
    throws
  {
    let scenarios = try Self.scenarios(under: "Tests/CurfewSimulationTests/Rules")
    #expect(scenarios.count > 300)
    for path in Campaign.some(120, of: scenarios) {
      guard let scenario = try? Scenario.load(Self.repository.appendingPathComponent(path).path)
      else { continue }
      #expect(try Self.differences(scenario) == [], "\(path)")
    }
  }

  @Test func `figures from actions agree with those from lines, in random scenarios`() throws {
    let policies = try RandomScenarioTests.policies()
    for seed in Campaign.seeds(20) {
      let random = RandomScenario(seed: seed)
      let policy = random.set(over: try #require(policies[random.policy]))
      let source = try SourceFile(
        name: RuleCase.root.appendingPathComponent("random.yaml").path,
        bytes: Array(random.lines.joined(separator: "\n").utf8))
      let scenario = try Scenario.decode(source, policy: policy)
      #expect(try Self.differences(scenario) == [], "seed \(seed)")
    }
  }

  @Test func `tasks that end after their time are not counted in tasksEnded`() throws {
    var simulation = Simulation(try Scenario.shippedDay())
    _ = try simulation.run { _ in }
    let figures = simulation.figures().total
    #expect((figures[.tasksBegun], figures[.tasksEnded], figures[.tasksExpired]) == (5, 3, 2))
  }

  @Test func `adding figures to themselves doubles all of them`() throws {
    var simulation = Simulation(try Scenario.shippedDay())
    _ = try simulation.run { _ in }
    let single = simulation.figures()
    var double = single
    double.merge(single)
    let policy = try Scenario.shippedDay().policy
    let (once, twice) = (
      single.rows(under: policy, weights: EnergyWeights()),
      double.rows(under: policy, weights: EnergyWeights())
    )
    #expect(once.count == twice.count)
    for (one, two) in zip(once, twice)
    where ["count", "s"].contains(one.unit) && !one.figure.contains(".")
      && one.figure != "openTasksMean"
    {
      let (value, doubled) = (try #require(one.value?.number), try #require(two.value?.number))
      #expect(
        abs(doubled - 2 * value) <= 1e-6 * doubled,
        "\(one.app) \(one.about) \(one.figure): \(value), \(doubled)")
    }
    for (one, two) in zip(once, twice) where one.figure.hasSuffix(".n") {
      #expect(two.value?.number == one.value.map { 2 * $0.number }, "\(one.figure)")
    }
  }
}
