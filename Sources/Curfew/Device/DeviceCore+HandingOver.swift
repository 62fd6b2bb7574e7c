internal import CurfewEngine
import CurfewSystem

/// What has been decided goes to those whom it concerns, outside the lock.
extension DeviceCore {
  /// Whether `leave` has more to do than to let go of the lock.
  var hasMoreToHandOver: Bool {
    !state.outgoing.isEmpty || state.warnings.isUnattended || state.outbox.hasReady && !isTickComing
  }

  /// Has processes called that are to be, and lets go of what is not wanted any more. The lock
  /// is held on the way in and not on the way out.
  func unlockAndHandOver(isTick: Bool = false) {
    let ready = state.outbox.takeReady()
    letGo(isTick: isTick)
    handOver(ready, isTick: isTick)
  }

  /// Hands over what a large step has left, in slices between which others come to the device. On
  /// the lane.
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

  /// Has processes called that were given something while nobody was calling them, in real time:
  /// by the executor, or by the lane if no handler of the program's comes first. The first that
  /// a tick has found may be called on the tick's own thread, where no other has to wake up for it
  /// (decision 0010).
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
    if let threads {
      threads.execute(for: process.occupant) { self.run(process) }
    } else {
      executor.execute { self.run(process) }
    }
  }

  /// Lets go of what the program had handed over and has no use any more. The lock is held on
  /// the way in and not on the way out.
  ///
  /// - Parameter isTick: Then nothing of the program's ends here, on the loop's thread, but on
  ///   the executor's.
  func letGo(isTick: Bool = false) {
    guard !state.outgoing.isEmpty else { return unlock() }
    if !isTick, let handler = state.outgoing.takeOnlyHandler() {
      unlock()
      return withExtendedLifetime(handler) {}
    }
    var outgoing = state.outgoing.takeAll()
    let occupants = outgoing.occupants
    outgoing.occupants = []
    unlock()
    if let threads { for occupant in occupants { threads.abandon(occupant) } }
    outgoing.tell(on: lane)
    guard isTick, !outgoing.isEmpty else { return }
    let parcel = OutgoingParcel(outgoing)
    // The last hold on any of it is the parcel's.
    outgoing = Outgoing()
    executor.execute { parcel.open() }
  }
}
