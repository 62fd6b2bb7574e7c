public import CurfewEngine
import CurfewPolicy
public import CurfewTrace

/// Looks at a run's lines, one by one, for what its scenario expects.
///
///     var check = ExpectationCheck(scenario)
///     let ending = try simulation.run { check.add($0) }
///     for verdict in check.verdicts() where verdict.outcome == .failed { print(verdict.place, verdict) }
public struct ExpectationCheck: Sendable {
  private var watches: [ExpectationWatch]
  /// Those that look at lines of a type, in file order.
  private let byType: [String: [Int]]
  /// The watches that look at states, in file order.
  private let holding: [Int]
  private var lives: AppLives

  /// Before the first line of a run of `scenario`.
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

  /// Whether nothing is expected.
  public var isEmpty: Bool { watches.isEmpty }

  /// Looks at the next line.
  ///
  /// - Complexity: O(n) in the number of expectations about lines of its type.
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

  /// What has come of each, in file order.
  ///
  /// - Parameter cut: Where the run was, if it was cut: what that instant or a later one would have
  ///   decided is undecided.
  public func verdicts(cutAt cut: Instant? = nil) -> [ExpectationVerdict] {
    watches.map { $0.verdict(cutAt: cut) }
  }
}

extension Scenario {
  /// Runs it and says what has come of what it expects, in file order.
  ///
  /// What a run did not come to the end of, because time stood still or ended, is undecided.
  public func verdicts() throws -> [ExpectationVerdict] {
    var check = ExpectationCheck(self)
    var simulation = Simulation(self)
    let ending = try simulation.run { check.add($0) }
    return check.verdicts(cutAt: ending.isWhole ? nil : simulation.now)
  }
}
