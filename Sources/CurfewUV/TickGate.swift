internal import Curfew
import CurfewSystem

/// Passes a loop's wake-ups to a clock's tick until the gate is shut; shutting waits for the
/// last tick.
///
/// The lock is never held while the tick runs: a tick takes the device's lock, and a thread that
/// arms the clock holds that lock.
final class TickGate: @unchecked Sendable {
  private let lock = Lock()
  // The lock guards the properties below.
  private var tick: (@Sendable () -> Void)?
  private var isShut = false
  private var runner: ThreadID?
  private var count = 0

  /// The number of wake-ups.
  var wakeUps: Int { lock.withLock { count } }

  /// Whether the gate has been shut.
  var isClosed: Bool { lock.withLock { isShut } }

  /// Sets the tick; has no effect once the gate is shut.
  func open(_ tick: @escaping @Sendable () -> Void) {
    lock.withLock {
      if !isShut { self.tick = tick }
    }
  }

  /// Counts a wake-up, and runs the tick if `isDue`. Must be called on the loop's thread.
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

  /// Stops the ticks. When this returns, no tick is running, unless the caller is a tick.
  func shut() {
    // Releases the closure outside the lock: its captures may be released here too, and may call
    // this gate.
    var last: (@Sendable () -> Void)?
    lock.withLock {
      isShut = true
      (last, tick) = (tick, nil)
      while let runner, runner != .current { lock.wait() }
    }
    _ = consume last
  }
}
