import CurfewEngine
import CurfewSystem

/// Tasks that sleep on a device's virtual clock.
///
/// Invariant: sleeps are sorted by deadline, the next one last. Among equal deadlines, the sleep
/// that began first is taken first.
struct DeviceSleeps {
  typealias Sleeper = UnsafeContinuation<Void, any Error>

  private var sleeps: [(deadline: Instant, number: Int, sleeper: Sleeper)] = []
  /// The number of sleeps that have been requested.
  private(set) var asked = 0

  var sleeperCount: Int { sleeps.count }

  /// The end of the next sleep.
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

  /// Takes the next sleeper whose deadline has been reached.
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
  /// The next deadline or the next end of a sleep.
  var nextInstant: Instant? {
    isClosed ? nil : [driver.nextInstant, sleeps.next].compactMap(\.self).min()
  }

  /// Ends the sleeps whose deadline has been reached. The sleepers resume when the lock
  /// is released.
  mutating func endSleeps() {
    while let sleeper = sleeps.takeDue(at: now) { outgoing.notices.append { sleeper.resume() } }
  }
}

extension DeviceCore {
  /// Returns when a virtual clock has reached `deadline`.
  /// - Throws: `CancellationError`, when the task is cancelled or the device closed.
  func sleep(until deadline: Instant) async throws {
    let number = withState { $0.sleeps.takeNumber() }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (sleeper: DeviceSleeps.Sleeper) in
        let outcome = withState { state -> Result<Void, any Error>? in
          // A task that is cancelled after this check finds its sleeper in `onCancel`.
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
