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

  /// The clock has come to a deadline.
  func tick() {
    guard let clock else { return }
    lock.lock()
    guard !state.isClosed else { return lock.unlock() }
    // Whatever it was armed to has gone off.
    state.armed = .distantFuture
    state.isTicking = true
    state.catchUp(to: clock.now(), self)
    state.isTicking = false
    leave(isTick: true)
    threads?.retry()
  }

  /// Delivers to a process what waits for it, one after the other, on a thread of the executor's or the clock's; on the lane, until a handler of the program's comes.
  func run(_ process: AppProcess, isOnLane: Bool = false) {
    lock.lock()
    if let clock, !state.isClosed { state.move(to: clock.now(), self) }
    while process.isAlive, process.hasNext {
      // What others are to be told comes before a handler that may take long, and before its first line is told.
      if hasMoreToHandOver {
        leave()
        lock.lock()
        if let clock, !state.isClosed { state.move(to: clock.now(), self) }
        continue
      }
      if isOnLane, !process.nextOnlyCancels {
        leave()
        return execute(process)
      }
      guard let outcome = callNext(process) else { continue }
      lock.lock()
      if let clock, !state.isClosed { state.move(to: clock.now(), self) }
      finish(process, outcome)
    }
    process.isScheduled = false
    // Nothing is left of a process that lives.
    for delivery in process.empty() { state.leaveOut(delivery) }
    leave()
  }

  /// Calls a process with what waits for it first, once the engine knows that this begins (rule A10) and others have what they are to be told. The lock is held on the way in, and not
  /// on the way out: by then what it was called with is gone, which may hold the last of something of the program's.
  ///
  /// - Returns: nil where it was not to be called any more; then the lock is still held.
  func callNext(_ process: AppProcess) -> Outcome? {
    guard let delivery = process.next() else { return nil }
    let owesReturn = delivery.owesReturn
    guard state.isWanted(delivery) else {
      state.leftovers.deliveries.append(delivery)
      finish(process, Outcome(owesReturn: owesReturn))
      return nil
    }
    if owesReturn { state.say(.began(process.app)) }
    if let clock, !isTickComing { arm(clock) }
    state.handedOver = 0
    lock.unlock()
    return Outcome(owesReturn: owesReturn, handler: delivery.handler, failure: process.perform(delivery))
  }

  // MARK: Handing over

  /// Has processes called that are to be, and lets go of what is not wanted any more. The lock is held on the way in and not on the way out.
  func unlockAndHandOver(isTick: Bool = false) {
    let ready = state.ready
    if !ready.isEmpty { state.ready.removeAll(keepingCapacity: true) }
    letGo(isTick: isTick)
    handOver(ready, isTick: isTick)
  }

  /// Hands over what a large step has left, in slices between which others come to the device. On the lane.
  func handOverWarnings() {
    lock.lock()
    while state.hasWarnings {
      state.handedOver = 0
      state.handOverWarnings(self)
      unlockAndHandOver()
      lock.lock()
    }
    state.isHandingOver = false
    lock.unlock()
  }

  /// Has processes called that were given something while nobody was calling them, in real time: by the executor, or by the lane if no handler of the program's comes
  /// first. The first that a tick has found may be called on the tick's own thread, where no other has to wake up for it (decision 0010).
  func handOver(_ ready: [AppProcess], isTick: Bool) {
    var mayRunHere = isTick && mayUseClocksThread
    for process in ready {
      if process.startsOnLane, let lane {
        lane.cancel { self.run(process, isOnLane: true) }
      } else if mayRunHere, let clock, clock.runAfterTick({ self.run(process) }) {
        mayRunHere = false
      } else {
        execute(process)
      }
    }
  }

  func execute(_ process: AppProcess) {
    if let threads { threads.execute(for: process.occupant) { self.run(process) } } else { executor.execute { self.run(process) } }
  }

  /// Lets go of what the program had handed over and has no use any more. The lock is held on the way in and not on the way out.
  ///
  /// - Parameter isTick: Then nothing of the program's ends here, on the loop's thread, but on the executor's.
  func letGo(isTick: Bool = false) {
    guard !state.leftovers.isEmpty else { return lock.unlock() }
    var leftovers = state.takeLeftovers()
    let occupants = leftovers.occupants
    leftovers.occupants = []
    lock.unlock()
    if let threads { for occupant in occupants { threads.abandon(occupant) } }
    leftovers.tell(on: lane)
    guard isTick, !leftovers.isEmpty else { return }
    let parcel = LeftoversParcel(leftovers)
    // The last hold on any of it is the parcel's.
    leftovers = Leftovers()
    executor.execute { parcel.open() }
  }
}
