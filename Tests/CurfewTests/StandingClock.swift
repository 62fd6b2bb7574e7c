import Curfew
import Foundation

/// A real clock of which the test says when it goes on: a process that is stopped while time passes. Whatever came due meanwhile comes late, with one tick.
final class StandingClock: RealTimeClock, @unchecked Sendable {
  let name = "monotonic"
  private let lock = NSLock()
  private var instant = Instant.zero
  private var deadline: Instant?
  private var tick: (@Sendable () -> Void)?

  func now() -> Instant { lock.withLock { instant } }

  func arm(_ deadline: Instant?) { lock.withLock { self.deadline = deadline } }

  func start(_ tick: @escaping @Sendable () -> Void) { lock.withLock { self.tick = tick } }

  func stop() { lock.withLock { tick = nil } }

  /// It is that late now, and the process goes on: the tick that has come due comes, on this thread.
  func goOn(at instant: Instant) {
    let due = lock.withLock { () -> (@Sendable () -> Void)? in
      self.instant = instant
      guard let deadline, deadline <= instant else { return nil }
      self.deadline = nil
      return tick
    }
    due?()
  }
}
