import CurfewEngine

/// Places in a replay where the lines did not tell what came first, to go back to and take the other way.
///
/// What is tried first is nearly always right, and where it is not a difference follows soon; so few places are kept, the latest of them.
struct ReplayForks: ~Copyable {
  private static let greatestNumberKept = 16
  private static let greatestNumberTaken = 1000

  /// A driver cannot lie in an array by itself.
  private final class Fork {
    let driver: Driver
    let state: ReplayState

    init(_ driver: consuming Driver, _ state: ReplayState) {
      self.driver = driver
      self.state = state
    }
  }

  private var forks: [Fork] = []
  private var taken = 0

  init() {}

  /// Remembers where a replay stands.
  /// - Complexity: O(apps + assertions + deadlines).
  mutating func add(_ driver: borrowing Driver, _ state: ReplayState) {
    if forks.count == ReplayForks.greatestNumberKept { forks.removeFirst() }
    forks.append(Fork(driver.copy(), state))
  }

  /// Goes back to the last of them; false if there is none.
  mutating func takeLast(_ driver: inout Driver, _ state: inout ReplayState) -> Bool {
    guard taken < ReplayForks.greatestNumberTaken, let fork = forks.popLast() else { return false }
    taken += 1
    driver = fork.driver.copy()
    state = fork.state
    return true
  }
}
