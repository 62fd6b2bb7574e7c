public import CurfewEngine
import CurfewPolicy
public import CurfewTrace

/// Checks a scenario's expectations against a run's lines, one by one.
///
///     var check = ExpectationCheck(scenario)
///     let ending = try simulation.run { check.add($0) }
///     for verdict in check.verdicts() where verdict.outcome == .failed { print(verdict.place, verdict) }
public struct ExpectationCheck: Sendable {
  private var watches: [ExpectationWatch]
  /// For each line type, the watches that look at lines of that type, in file order.
  private let byType: [String: [Int]]
  /// The watches that look at states, in file order.
  private let holding: [Int]
  private var lives: AppLives

  /// Creates a check of `scenario`, before the first line of a run.
  public init(_ scenario: Scenario) {
    watches = scenario.expectations.map { ExpectationWatch($0) }
    holding = watches.indices.filter {
      if case .holds = scenario.expectations[$0].claim { true } else { false }
    }
    byType = Dictionary(grouping: Set(watches.indices).subtracting(holding).sorted()) {
      scenario.expectations[$0].lines.type
    }
    lives = AppLives(apps: scenario.apps.map(\.identifier), policy: scenario.policy.policy)
  }

  /// Whether the scenario has no expectations.
  package var isEmpty: Bool { watches.isEmpty }

  /// Checks the next line.
  ///
  /// - Complexity: O(n) in the number of expectations about lines of this type.
  public mutating func add(_ line: TraceLine) {
    if !holding.isEmpty {
      lives.read(line)
      for change in lives.changes {
        for index in holding { watches[index].add(change.body, of: lives.names.apps[change.app]) }
      }
    }
    guard !byType.isEmpty, let facts = LineFacts(line), let interested = byType[facts.keys.type]
    else { return }
    for index in interested { watches[index].add(facts) }
  }

  /// The verdict on each expectation, in file order.
  ///
  /// - Parameter cut: The instant at which the run was cut; nil if it was not. An expectation is
  ///   undecided if its outcome depends on this instant or a later one.
  public func verdicts(cutAt cut: Instant? = nil) -> [ExpectationVerdict] {
    watches.map { $0.verdict(cutAt: cut) }
  }
}

extension Scenario {
  /// Runs the scenario and returns the verdict on each expectation, in file order.
  ///
  /// If the run does not reach its end, because time stood still or ended, expectations whose
  /// outcome depends on the missing lines are undecided.
  public func verdicts() throws -> [ExpectationVerdict] {
    var check = ExpectationCheck(self)
    var simulation = Simulation(self)
    let ending = try simulation.run { check.add($0) }
    return check.verdicts(cutAt: ending.isWhole ? nil : simulation.now)
  }
}
