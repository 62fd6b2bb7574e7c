import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// A chain is always sound: its lines are not later than its instant, it leads from an outside
/// event to the state, and its rules exist.
@Suite(.inTurn) struct WhyPropertyTests {
  /// Every shipped scenario, and the day.
  private static func scenarios() throws -> [Scenario] {
    let folder = TeachingScenarioTests.folder.appendingPathComponent("Scenarios")
    return try TeachingScenarioTests.scenarios.map {
      try Scenario.load(folder.appendingPathComponent($0).path)
    } + [
      try Scenario.shippedDay()
    ]
  }

  @Test
  func
    `D1 at random instants, the chain of every app of the shipped scenarios leads from outside to the state in its lines`()
    throws
  {
    let rules = Set(try RuleBook.load().rules)
    var random = SeededGenerator(seed: 23)
    var (chains, owners) = (0, Set<Why.Owner>())
    for scenario in try Self.scenarios() {
      let trace = try WhyTests.run(scenario)
      let end = try #require(trace.lines.last).time
      for app in trace.appNames.shuffled(using: &random).prefix(4) {
        for instant in [nil, Instant(nanoseconds: Int64(random.below(Int(end.nanoseconds) + 1)))] {
          let why = try Why(app, at: instant, in: trace, under: scenario.policy)
          #expect(
            Self.complaints(about: why, in: trace, rules) == [],
            "\(scenario.name), \(app) at \(why.instant)")
          chains += why.chain.isEmpty ? 0 : 1
          owners.formUnion(why.chain.map(\.owner))
        }
      }
    }
    #expect(chains > 80 && owners == Set(Why.Owner.allCases), "\(chains) chains of \(owners)")
  }

  @Test func `D1 random scenarios' chains are sound`() throws {
    let rules = Set(try RuleBook.load().rules)
    let policies = try RandomScenarioTests.policies()
    for seed in Campaign.seeds(10) {
      let drawn = RandomScenario(seed: seed)
      let policy = drawn.set(over: policies[drawn.policy]!)
      let trace = try RandomRun(drawn.lines, policy).trace
      for app in trace.appNames {
        let why = try Why(app, in: trace, under: policy)
        #expect(Self.complaints(about: why, in: trace, rules) == [], "seed \(seed), \(app)")
      }
    }
  }

  /// The faults of a chain, found without the code that made it.
  private static func complaints(about why: Why, in trace: Trace, _ rules: Set<String>) -> [String]
  {
    var found: [String] = []
    func demand(_ condition: Bool, _ complaint: String) {
      if !condition { found.append(complaint) }
    }
    let lines = trace.lines.enumerated().filter {
      $0.element.time <= why.instant && $0.element.app == why.app
    }
    let states = lines.compactMap { line -> (AppState, Instant)? in
      if case .state(_, let to) = line.element.body { (to, line.element.time) } else { nil }
    }
    demand(
      why.state == states.last?.0 ?? .notRunning,
      "is \(why.state), not \(states.last?.0 ?? .notRunning)")
    demand(
      states.isEmpty || why.since == states.last?.1 || why.state == .notRunning,
      "since \(why.since)")
    demand(
      why.chain.isEmpty == states.isEmpty || why.state == .notRunning,
      "a chain of \(why.chain.count)")
    let numbers = why.chain.compactMap(\.line)
    demand(numbers == numbers.sorted() && Set(numbers).count == why.chain.count, "lines \(numbers)")
    for step in why.chain {
      guard let number = step.line, number <= trace.lines.count else { continue }
      let line = trace.lines[number - 1]
      demand(
        line.time == step.instant && step.instant <= why.instant,
        "\(step) belongs to line \(number)")
      demand(step.rule.map(rules.contains) ?? true, "there is no rule \(step.rule ?? "")")
      demand(
        line.app == nil || line.app == why.app || [.otherApp, .user, .world].contains(step.owner),
        "\(step) is \(line.app ?? "")'s")
      demand(step.rule != nil || step.owner != .system, "\(step) has no rule")
    }
    if let last = why.chain.last, why.state != .notRunning {
      demand(last.instant == why.since, "the last step is not the state's")
    }
    if let last = why.chain.last {
      demand(last.owner == .system || last.words.contains("removed"), "ends with \(last)")
    }
    let tasks = lines.reduce(into: Set<TaskID>()) { open, line in
      switch line.element.body {
      case .task(.begin, let id, _) where id != .invalid: open.insert(id)
      case .task(.end, let id, _): open.remove(id)
      case .terminated: open = []
      default: break
      }
    }
    demand(
      why.holdings.filter { $0.kind == .finiteTask }.count == tasks.count,
      "holds \(why.holdings), not \(tasks.count) tasks")
    return found
  }
}
