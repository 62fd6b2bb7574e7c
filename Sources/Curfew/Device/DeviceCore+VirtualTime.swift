internal import CurfewEngine
import CurfewSystem

/// A virtual clock: who causes something delivers it, and time passes when it is told to.
extension DeviceCore {
  /// Delivers what there is to deliver and takes what steps are due now, unless somebody is at it,
  /// who will come to it.
  func deliver(fromOutside isOutside: Bool) {
    lock.lock()
    if mayDeliver(fromOutside: isOutside) { pumpOnce(withWork: isOutside) }
    unlock()
  }

  /// Whether what is to be delivered need not wait for somebody who is at it. Async work that lets
  /// the user or the world do something has run because nothing was left to deliver: unless it runs
  /// inside a call, it is as much on its own as a test on a thread. The lock is held.
  func mayDeliver(fromOutside isOutside: Bool) -> Bool {
    pump.map { isOutside && callDepth == 0 && $0.isWork && work?.isHere == true } ?? true
  }

  /// The lock is held on the way in and out.
  /// - Parameter runsWork: Whether async work runs as well: not inside what an app does itself,
  ///   where it may hold a lock, or the main actor. Whoever runs that work comes to the rest.
  func pumpOnce(withWork runsWork: Bool = true) { pumping { settle(withWork: runsWork) } }

  /// Does this as the one who delivers, inside whoever does already. The lock is held on the way
  /// in and out.
  func pumping<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = pump
    pump = (.current, (outer?.depth ?? 0) + 1, work?.isHere == true)
    defer {
      pump = outer
      lock.broadcast()
    }
    return try body()
  }

  /// Waits while another thread is in the middle of what it has caused: time stands still until
  /// that is done. Async work's two threads are as one. The lock is held on the way in and out.
  func waitForPump() {
    while let pump, pump.thread != .current, !(pump.isWork && work?.isHere == true) {
      checkInvariants()
      lock.wait()
    }
  }

  /// Until nothing is left to do at this instant (rule C2). The lock is held on the way in and out.
  /// - Parameter afterCall: Whether a call has just returned, the work of which comes first.
  func settle(withWork runsWork: Bool = true, afterCall: Bool = false) {
    var hasCalled = afterCall
    while true {
      if !state.outgoing.isEmpty {
        letGo()
        lock.lock()
      } else if state.isClosed || state.standsStill() {
        return
      } else if hasCalled {
        hasCalled = false
        settleWorkOfCall()
      } else if let place = state.outbox.nextPlace() {
        callDepth += 1
        let (process, outcome) = callNext(place)
        lock.lock()
        callDepth -= 1
        finish(process, outcome)
        // Handlers that are due together are called in one turn of the main run loop, as on
        // a phone.
        hasCalled =
          work != nil && !(outcome.handler != nil && state.outbox.isExpirationNext(of: process))
      } else if !state.step(until: state.now, self), !state.standsStill(),
        !(runsWork && settleWork())
      {
        if callDepth == 0 { state.driver.finishInstant() }
        return
      }
    }
  }

  /// Has async work run that a call has begun or woken, once the call has returned. It belongs to
  /// the call's step: no deadline of this instant, such as the app's suspension, comes before it is
  /// at rest. The test itself waits: what it does next comes when everything else is done. The lock
  /// is held on the way in and out.
  private func settleWorkOfCall() {
    guard let work else { return }
    callDepth += 1
    workDepth += 1
    _ = settle(work, withTest: false)
    workDepth -= 1
    callDepth -= 1
  }

  /// Whether the caller is async work of a step that is still under way. The lock is held.
  var isWorkOfStep: Bool { workDepth > 0 && work?.isHere == true }

  /// The lock is held on the way in and not on the way out: by then what the process was called
  /// with is gone.
  private func callNext(_ place: Int) -> (AppProcess, Outcome) {
    var (process, delivery) = state.outbox.take(place)
    let isCalled = process.isAlive && state.isWanted(&delivery)
    if isCalled { process.isBusy = true }
    if !process.isAlive { state.leaveOut(delivery) }
    unlock()
    guard isCalled else { return (process, Outcome(owesReturn: delivery.owesReturn)) }
    return (
      process,
      Outcome(
        owesReturn: delivery.owesReturn, handler: delivery.handler,
        failure: process.perform(delivery))
    )
  }

  /// Lets time pass on a virtual clock, and everything happen that is due meanwhile. What other
  /// threads let pass comes before or after.
  ///
  /// - Parameter condition: Looked at after every instant at which something happened; true ends
  ///   it there.
  /// - Returns: Whether the condition ended it. Where apps cause their own calls at one instant it
  ///   stays there (rule C4).
  @discardableResult
  func advance(by interval: Interval, until condition: ((borrowing DeviceState) -> Bool)? = nil)
    -> Bool
  {
    precondition(clock == nil, "advance(by:) is for a virtual clock; a real one goes by itself")
    lock.lock()
    defer { unlock() }
    noteTestCode()
    waitForPump()
    if callDepth == 0 { state.resume() }
    let end = state.now + interval
    return pumping {
      settle()
      while !state.isClosed, !state.standsStill() {
        if let condition, condition(state) { return true }
        guard step(towards: end) else { break }
        settle()
      }
      if !state.isClosed, !state.standsStill(), end > state.now {
        state.move(to: end, self)
        work?.wake(upTo: end.nanoseconds)
      }
      return false
    }
  }
}
