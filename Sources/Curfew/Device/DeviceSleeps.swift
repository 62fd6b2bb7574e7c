import CurfewEngine
import CurfewSystem

/// Tasks that sleep by a device's virtual clock.
///
/// Invariant: they lie in the order of deadlines, the next one last, and among equals in the order
/// in which they went to sleep.
struct DeviceSleeps {
  typealias Sleeper = UnsafeContinuation<Void, any Error>

  private var sleeps: [(deadline: Instant, number: Int, sleeper: Sleeper)] = []
  /// How many sleeps have been asked for.
  private(set) var asked = 0

  var sleeperCount: Int { sleeps.count }

  /// When the next one ends.
  var next: Instant? { sleeps.last?.deadline }

  mutating func takeNumber() -> Int {
    asked += 1
    return asked
  }

  /// - Complexity: O(sleeps).
  mutating func insert(until deadline: Instant, _ number: Int, _ sleeper: Sleeper) {
    let place = sleeps.firstIndex { $0.deadline <= deadline } ?? sleeps.count
    sleeps.insert((deadline, number, sleeper), at: place)
  }

  /// - Complexity: O(sleeps).
  mutating func remove(_ number: Int) -> Sleeper? {
    sleeps.firstIndex { $0.number == number }.map { sleeps.remove(at: $0).sleeper }
  }

  /// Takes the next one whose deadline has come.
  mutating func takeDue(at now: Instant) -> Sleeper? {
    guard let next, next <= now else { return nil }
    return sleeps.removeLast().sleeper
  }

  mutating func takeAll() -> [Sleeper] {
    defer { sleeps = [] }
    return sleeps.reversed().map(\.sleeper)
  }

  /// - Complexity: O(sleeps).
  func checkInvariants() {
    precondition(
      zip(sleeps, sleeps.dropFirst()).allSatisfy { $0.deadline >= $1.deadline },
      "sleeps are out of order")
  }
}

extension DeviceState {
  /// When something is due, or a sleep ends.
  var nextInstant: Instant? {
    isClosed ? nil : [driver.nextInstant, sleeps.next].compactMap(\.self).min()
  }

  /// Those whose deadline has come go on, when the lock is let go of.
  mutating func endSleeps() {
    while let sleeper = sleeps.takeDue(at: now) { outgoing.notices.append { sleeper.resume() } }
  }
}

extension DeviceCore {
  /// Comes back when a virtual clock has come to `deadline`.
  /// - Throws: `CancellationError`, when the task is cancelled or the device closed.
  func sleep(until deadline: Instant) async throws {
    let number = withState { $0.sleeps.takeNumber() }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (sleeper: DeviceSleeps.Sleeper) in
        let outcome = withState { state -> Result<Void, any Error>? in
          // Who is cancelled after this look comes for its sleeper below, and finds it.
          if state.isClosed || Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleeps.insert(until: deadline, number, sleeper)
          return nil
        }
        if let outcome { sleeper.resume(with: outcome) }
      }
    } onCancel: {
      withState { $0.sleeps.remove(number) }?.resume(throwing: CancellationError())
    }
  }
}
