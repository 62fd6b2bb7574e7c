internal import CurfewEngine
import CurfewSystem

/// A real clock: what its ticks do, and how apps are called on other threads.
extension DeviceCore {
  func arm(_ clock: any RealTimeClock) {
    let next = state.driver.nextInstant ?? .distantFuture
    guard next != state.armed else { return }
    state.armed = next
    clock.arm(next == .distantFuture ? nil : next)
  }

  /// Whether what the clock is armed to has passed: then its tick is on its way, and quicker than
  /// a thread that would have to be called. The lock is held, here and below.
  var isTickComing: Bool {
    guard mayUseClocksThread, let clock, !state.isClosed, state.armed <= state.now else {
      return false
    }
    return clock.ticksAtOnce
  }

  /// Takes every step that is due by now. The lock is held.
  func keepUp() { if let clock, !state.isClosed { state.move(to: clock.now(), self) } }

  /// The clock has come to a deadline.
  func tick() {
    guard let clock else { return }
    lock.lock()
    guard !state.isClosed else { return unlock() }
    // Whatever it was armed to has gone off.
    state.armed = .distantFuture
    state.catchUp(to: clock.now(), self, .tick)
    leave(isTick: true)
    threads?.retry()
  }

  /// Delivers to a process what waits for it, one after the other, on a thread of the executor's
  /// or the clock's; on the lane, until a handler of the program's comes.
  func run(_ process: AppProcess, isOnLane: Bool = false) {
    lock.lock()
    keepUp()
    while process.isAlive, process.hasNext {
      // What others are to be told comes before a handler that may take long, and before its first
      // line is told.
      if hasMoreToHandOver {
        leave()
        lock.lock()
        keepUp()
        continue
      }
      if isOnLane, !process.nextOnlyCancels {
        leave()
        return execute(process)
      }
      guard let outcome = callNext(process) else { continue }
      lock.lock()
      keepUp()
      finish(process, outcome)
    }
    process.isScheduled = false
    // Nothing is left of a process that lives.
    for delivery in process.empty() { state.leaveOut(delivery) }
    leave()
  }

  /// Calls a process with what waits for it first, once the engine knows that this begins (rule
  /// A10) and others have what they are to be told. The lock is held on the way in, and not on
  /// the way out: by then what it was called with is gone, which may hold the last of something
  /// of the program's.
  ///
  /// - Returns: nil where it was not to be called any more; then the lock is still held.
  func callNext(_ process: AppProcess) -> Outcome? {
    guard var delivery = process.next() else { return nil }
    let owesReturn = delivery.owesReturn
    guard state.isWanted(&delivery) else {
      state.outgoing.deliveries.append(delivery)
      finish(process, Outcome(owesReturn: owesReturn))
      return nil
    }
    if owesReturn { state.say(.began(process.app)) }
    if let clock, !isTickComing { arm(clock) }
    unlock()
    return Outcome(
      owesReturn: owesReturn, handler: delivery.handler, failure: process.perform(delivery))
  }
}
