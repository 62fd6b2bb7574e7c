import Curfew
import Foundation

/// A real clock that a test moves, like a process that is stopped while time passes. Deadlines that
/// came due meanwhile are late, and get one tick.
final class StandingClock: RealTimeClock, @unchecked Sendable {
  let name = "monotonic"
  private let lock = NSLock()
  private var instant = Instant.zero
  private var deadline: Instant?
  private var tick: (@Sendable () -> Void)?

  func now() -> Instant { lock.withLock { instant } }

  /// A past deadline ticks at once, on another thread, because the caller holds the device's lock.
  func arm(_ deadline: Instant?) {
    lock.withLock { self.deadline = deadline }
    if let tick = takeDueTick() { Thread.detachNewThread(tick) }
  }

  func start(_ tick: @escaping @Sendable () -> Void) { lock.withLock { self.tick = tick } }

  func stop() { lock.withLock { tick = nil } }

  /// Moves the clock to `instant`. A tick that is due then runs on this thread.
  func goOn(at instant: Instant) {
    lock.withLock { self.instant = instant }
    takeDueTick()?()
  }

  private func takeDueTick() -> (@Sendable () -> Void)? {
    lock.withLock {
      guard let tick, let deadline, deadline <= instant else { return nil }
      self.deadline = nil
      return tick
    }
  }
}
