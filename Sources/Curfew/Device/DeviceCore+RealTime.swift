internal import CurfewEngine
import CurfewSystem

/// The real clock: its ticks, and calls of apps on other threads.
extension DeviceCore {
  /// Sets the clock to the next deadline.
  func arm(_ clock: any RealTimeClock) {
    let next = state.driver.nextInstant ?? .distantFuture
    guard next != state.armed else { return }
    state.armed = next
    clock.arm(next == .distantFuture ? nil : next)
  }

  /// Sets the clock to the next deadline if it is earlier than the one that the clock is set to.
  /// Used before a delivery. The limit of each callback is later than the limit of the callback
  /// before, and `leave` sets the clock to a later deadline when all have returned; a tick that
  /// comes meanwhile finds nothing due.
  private func armEarlier(_ clock: any RealTimeClock) {
    if state.driver.nextInstant ?? .distantFuture < state.armed { arm(clock) }
  }

  /// Whether the deadline to which the clock is armed has passed. Its tick is then imminent,
  /// and faster than waking another thread. The lock is held, here and below.
  var isTickComing: Bool {
    guard mayUseClocksThread, let clock, !state.isClosed, state.armed <= state.now else {
      return false
    }
    return clock.ticksImmediately
  }

  /// Takes every step that is due. The lock is held.
  func keepUp() { if let clock, !state.isClosed { state.move(to: clock.now(), self) } }

  /// Handles a tick: the clock has reached a deadline.
  func tick() {
    guard let clock else { return }
    lock.lock()
    guard !state.isClosed else { return unlock() }
    // The deadline to which the clock was armed has passed.
    state.armed = .distantFuture
    state.catchUp(to: clock.now(), self, .tick)
    leave(isTick: true)
    threads?.retry()
  }

  /// Performs the waiting deliveries of a process one after the other, on a thread of the executor
  /// or the clock. On the lane it stops at the first delivery that calls a handler of the program.
  func run(_ process: AppProcess, isOnLane: Bool = false) {
    lock.lock()
    keepUp()
    while process.isAlive || process.owesEnd, process.hasNext {
      // Notifies readers before the handler, which may take long, and before its first line
      // is noted.
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
    // A living process has no deliveries left.
    for delivery in process.empty() { state.leaveOut(delivery) }
    leave()
  }

  /// Performs the first waiting delivery of a process, after telling the engine that it begins
  /// (rule A10) and notifying the readers. The lock is held on entry and released on return.
  /// The delivery may hold the last reference to an object of the program; it has been released
  /// on return.
  ///
  /// - Returns: nil if the delivery was no longer wanted; the lock is then still held.
  func callNext(_ process: AppProcess) -> Outcome? {
    guard var delivery = process.next() else { return nil }
    guard let actor = process.actor(for: delivery) else { return call(process, &delivery) }
    if let clock, !isTickComing { armEarlier(clock) }
    unlock()
    // The delivery begins when the actor is free. Meanwhile its task may end, or its process.
    let outcome = run(on: actor, of: process, for: delivery.name) {
      lockHavingHandedOver()
      let outcome = call(process, &delivery)
      if outcome == nil { leave() }
      return outcome
    }
    if let outcome, let outcome { return outcome }
    lock.lock()
    keepUp()
    return nil
  }

  /// Performs a delivery, if it is still wanted now. The caller is on the delivery's actor.
  /// The lock is held on entry and released on return, unless the result is nil.
  private func call(_ process: AppProcess, _ delivery: inout Delivery) -> Outcome? {
    guard process.isAlive || delivery.isEnd else {
      state.leaveOut(delivery)
      return nil
    }
    let owesReturn = delivery.owesReturn
    guard state.isWanted(&delivery) else {
      state.outgoing.deliveries.append(delivery)
      finish(process, Outcome(owesReturn: owesReturn))
      return nil
    }
    if owesReturn { state.say(.began(process.app)) }
    if let clock, !isTickComing { armEarlier(clock) }
    unlock()
    return Outcome(
      owesReturn: owesReturn, handler: delivery.handler, hostCall: process.hostCall(in: delivery),
      failure: process.perform(delivery))
  }

  /// Takes the lock, keeps up with the clock, and hands over everything that is due by then.
  private func lockHavingHandedOver() {
    lock.lock()
    keepUp()
    while hasMoreToHandOver {
      leave()
      lock.lock()
      keepUp()
    }
  }

  /// Calls the host with the end of a process, unless the process's own thread has done so. That
  /// thread may be in a callback that never returns.
  func callEnd(of process: AppProcess) {
    guard let calls = process.hostCalls else { return }
    lockHavingHandedOver()
    var delivery = Delivery.host(calls, .end)
    if let outcome = call(process, &delivery) {
      lock.lock()
      keepUp()
      finish(process, outcome)
    }
    leave()
  }
}
