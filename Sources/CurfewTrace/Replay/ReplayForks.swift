import CurfewEngine

/// Places in a replay where the lines did not tell what came first, to go back to and take the other way.
///
/// What is tried first is nearly always right, and where it is not a difference follows soon; so few places are kept, the latest of them.
struct ReplayForks: ~Copyable {
  private static let greatestNumberKept = 16
  private static let greatestNumberTaken = 1000

  /// An engine cannot lie in an array by itself.
  private final class Fork {
    let engine: Engine
    let state: ReplayState

    init(_ engine: consuming Engine, _ state: ReplayState) {
      self.engine = engine
      self.state = state
    }
  }

  private var forks: [Fork] = []
  private var taken = 0

  init() {}

  /// Remembers where a replay stands.
  /// - Complexity: O(apps + assertions + deadlines).
  mutating func add(_ engine: borrowing Engine, _ state: ReplayState) {
    if forks.count == ReplayForks.greatestNumberKept { forks.removeFirst() }
    forks.append(Fork(engine.copy(), state))
  }

  /// Goes back to the last of them; false if there is none.
  mutating func takeLast(_ engine: inout Engine, _ state: inout ReplayState) -> Bool {
    guard taken < ReplayForks.greatestNumberTaken, let fork = forks.popLast() else { return false }
    taken += 1
    engine = fork.engine.copy()
    state = fork.state
    return true
  }
}
