internal import Curfew
import CurfewSystem

/// Lets a loop's wake-ups through to a clock's tick until it is shut; then waits for the last.
///
/// The lock is never held while the tick runs: a tick takes the device's lock, and whoever arms
/// the clock holds it.
final class TickGate: @unchecked Sendable {
  private let lock = Lock()
  // All of it within the lock.
  private var tick: (@Sendable () -> Void)?
  private var isShut = false
  private var runner: ThreadID?
  private var count = 0

  /// How many wake-ups came.
  var wakeUps: Int { lock.withLock { count } }

  /// Whether it has been shut.
  var isClosed: Bool { lock.withLock { isShut } }

  /// Gives it the tick; too late once it is shut.
  func open(_ tick: @escaping @Sendable () -> Void) {
    lock.withLock {
      if !isShut { self.tick = tick }
    }
  }

  /// Counts a wake-up, and ticks where something was asked for. Only on the loop's thread.
  func pass(isDue: Bool) {
    let due = lock.withLock {
      count += 1
      let due = isDue ? tick : nil
      if due != nil { runner = .current }
      return due
    }
    guard let due else { return }
    due()
    lock.withLock {
      runner = nil
      lock.broadcast()
    }
  }

  /// Ends the ticks. When it returns none is running, unless this is called from one.
  func shut() {
    // The closure is let go of outside: what it has captured may end here too, and come back
    // to this gate.
    var last: (@Sendable () -> Void)?
    lock.withLock {
      isShut = true
      (last, tick) = (tick, nil)
      while let runner, runner != .current { lock.wait() }
    }
    _ = consume last
  }
}
