internal import CurfewEngine
import CurfewSystem

/// Passes decisions to apps and readers, outside the lock.
extension DeviceCore {
  /// Whether `leave` must do more than release the lock.
  var hasMoreToHandOver: Bool {
    !state.outgoing.isEmpty || state.warnings.isUnattended || state.outbox.hasReady && !isTickComing
  }

  /// Schedules the ready processes, and releases outgoing objects. The lock is held on entry
  /// and released on return.
  func unlockAndHandOver(isTick: Bool = false) {
    let ready = state.outbox.takeReady()
    letGo(isTick: isTick, leavesNotice: isTick && mayUseClocksThread && ready.isEmpty)
    handOver(ready, isTick: isTick)
  }

  /// Hands over the remaining warnings of a large step, in slices, so that other callers get
  /// the lock in between. Runs on the lane.
  func handOverWarnings() {
    lock.lock()
    while !state.warnings.isEmpty {
      var call = Call(nil)
      state.handOverWarnings(&call)
      unlockAndHandOver()
      lock.lock()
    }
    state.warnings.finishHandingOver()
    unlock()
  }

  /// In real time: schedules processes that have received deliveries while no thread was calling
  /// them. The executor calls such a process. If the first delivery calls no handler of the
  /// program, the lane calls it instead. The first process that a tick has found may be called on
  /// the tick's own thread, which saves waking another thread (decision 0010).
  func handOver(_ ready: [AppProcess], isTick: Bool) {
    var mayRunHere = isTick && mayUseClocksThread
    for process in ready {
      if mayRunHere, let clock, clock.runAfterTick({ self.run(process) }) {
        mayRunHere = false
      } else if process.startsOnLane, let lane {
        lane.cancel { self.run(process, isOnLane: true) }
      } else {
        execute(process)
      }
    }
  }

  func execute(_ process: AppProcess) {
    if let threads {
      threads.execute(for: process.occupant) { self.run(process) }
    } else {
      executor.execute { self.run(process) }
    }
  }

  /// Releases objects of the program that the device no longer uses. The lock is held on entry
  /// and released on return.
  ///
  /// - Parameters:
  ///   - isTick: Whether a tick releases the objects. Objects of the program are then released
  ///     on the executor, not on the loop's thread.
  ///   - leavesNotice: Whether a single notice, such as the warning of a job, may be made on
  ///     the tick's own thread, as handlers are.
  func letGo(isTick: Bool = false, leavesNotice: Bool = false) {
    guard !state.outgoing.isEmpty else { return unlock() }
    if !isTick, let handler = state.outgoing.takeOnlyHandler() {
      unlock()
      return withExtendedLifetime(handler) {}
    }
    var outgoing = state.outgoing.takeAll()
    let (occupants, ends) = (outgoing.occupants, outgoing.ends)
    (outgoing.occupants, outgoing.ends) = ([], [])
    unlock()
    if let threads { for occupant in occupants { threads.abandon(occupant) } }
    for process in ends { executor.execute { self.callEnd(of: process) } }
    if leavesNotice, outgoing.notices.count == 1, let clock,
      clock.runAfterTick(outgoing.notices[0])
    {
      outgoing.notices = []
    }
    outgoing.tell(on: lane)
    guard isTick, !outgoing.isEmpty else { return }
    let parcel = OutgoingParcel(outgoing)
    // The parcel now has the last references to the objects.
    outgoing = Outgoing()
    executor.execute { parcel.open() }
  }
}
