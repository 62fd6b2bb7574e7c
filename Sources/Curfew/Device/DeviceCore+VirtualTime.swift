internal import CurfewEngine
import CurfewSystem

/// The virtual clock: a caller delivers the events that it causes, and time passes when a caller
/// advances it.
extension DeviceCore {
  /// A deliverer: a thread, and whether the thread belongs to async work. Guarded by the lock.
  struct Pump {
    var thread = ThreadID.current
    let isWork: Bool
    /// Unique on the device. An object would be an allocation for each call of the device.
    let number: Int
  }

  /// Performs the deliveries and takes the steps that are due now. Does nothing if another call
  /// is already delivering: that call will perform them.
  func deliver(fromOutside isOutside: Bool) {
    lock.lock()
    if mayDeliver(fromOutside: isOutside) { pumpOnce(withWork: isOutside) }
    unlock()
  }

  /// Whether deliveries may be performed now, although another call may be delivering. Async work
  /// that acts for the user or the system runs only when nothing is left to deliver. So such work
  /// may deliver, like a test on a separate thread, unless it runs inside a call. The lock is held.
  func mayDeliver(fromOutside isOutside: Bool) -> Bool {
    pump.map { isOutside && callDepth == 0 && $0.isWork && work?.isHere == true } ?? true
  }

  /// Delivers once. The lock is held on entry and on return.
  /// - Parameter runsWork: Whether async work runs as well. False inside a call that an app itself
  ///   makes, because the app may hold a lock or the main actor; the runner of async work then does
  ///   the rest.
  func pumpOnce(withWork runsWork: Bool = true) {
    pumping { settle(withWork: runsWork, withTest: false) }
  }

  /// Runs `body` as the deliverer, nested in an outer deliverer if there is one. The lock is held
  /// on entry and on return.
  func pumping<Result>(_ body: () throws -> Result) rethrows -> Result {
    pumpCount += 1
    let number = pumpCount
    pumps.append(Pump(isWork: work?.isHere == true, number: number))
    defer {
      if let place = pumps.lastIndex(where: { $0.number == number }) { pumps.remove(at: place) }
      lock.broadcast()
    }
    return try body()
  }

  /// Waits while another thread is delivering, so that time does not pass meanwhile. The two
  /// threads of async work count as one. The lock is held on entry and on return.
  func waitForPump() {
    while let pump, pump.thread != .current, !(pump.isWork && work?.isHere == true) {
      checkInvariants()
      lock.wait()
    }
  }

  /// Performs everything that is due at this instant (rule C2). The lock is held on entry and
  /// on return.
  /// - Parameters:
  ///   - isTestIncluded: Whether the test itself may continue too. If not, it continues when time
  ///     is about to pass: a call of the device by other work must not run the test inside it.
  ///   - afterCall: Whether a call has just returned; its async work then runs first.
  func settle(
    withWork runsWork: Bool = true, withTest isTestIncluded: Bool = true, afterCall: Bool = false
  ) {
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
        !(runsWork && settleWork(withTest: isTestIncluded))
      {
        if callDepth == 0 { state.driver.finishInstant() }
        return
      }
    }
  }

  /// Runs the async work that a call has begun or woken, once the call has returned. The work
  /// belongs to the call's step: no deadline of this instant, such as the app's suspension, takes
  /// effect until the work is at rest. The test itself continues after all other work. The lock
  /// is held on entry and on return.
  func settleWorkOfCall() {
    guard let work else { return }
    callDepth += 1
    workDepth += 1
    _ = settle(work, withTest: false)
    workDepth -= 1
    callDepth -= 1
  }

  /// Whether the caller is async work of a step in progress. The lock is held.
  var isWorkOfStep: Bool { workDepth > 0 && work?.isHere == true }

  /// Calls the process at this place. The lock is held on entry and released on return;
  /// the delivery has then been released too.
  private func callNext(_ place: Int) -> (AppProcess, Outcome) {
    var (process, delivery) = state.outbox.take(place)
    guard process.isAlive || delivery.isEnd, let actor = process.actor(for: delivery) else {
      return (process, call(process, &delivery))
    }
    unlock()
    let outcome = run(on: actor, of: process, for: delivery.name) {
      lock.lock()
      return call(process, &delivery)
    }
    if let outcome { return (process, outcome) }
    lock.lock()
    return (process, call(process, &delivery))
  }

  /// Performs a delivery, if it is still wanted now. The caller is on the delivery's actor, unless
  /// the process has ended. The lock is held on entry and released on return.
  private func call(_ process: AppProcess, _ delivery: inout Delivery) -> Outcome {
    let mayBeCalled = process.isAlive || delivery.isEnd
    let isCalled = mayBeCalled && state.isWanted(&delivery)
    if isCalled { process.isBusy = true }
    if !mayBeCalled { state.leaveOut(delivery) }
    unlock()
    guard isCalled else { return Outcome(owesReturn: delivery.owesReturn) }
    return Outcome(
      owesReturn: delivery.owesReturn, handler: delivery.handler,
      hostCall: process.hostCall(in: delivery),
      failure: process.perform(delivery))
  }

  /// Lets time pass on a virtual clock, and performs everything that becomes due. Advances by other
  /// threads take place before or after this one.
  ///
  /// - Parameter condition: Checked after every instant at which something happened; true ends
  ///   the advance at that instant.
  /// - Returns: Whether the condition ended the advance. If apps keep causing their own callbacks
  ///   at one instant, the advance ends at that instant (rule C4).
  @discardableResult
  func advance(by interval: Interval, until condition: ((borrowing DeviceState) -> Bool)? = nil)
    -> Bool
  {
    precondition(
      clock == nil, "advance(by:) needs a virtual clock; a real clock advances by itself")
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
        if end > state.now, mustStay() {
          settle()
          continue
        }
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

  /// Lets time pass to the next instant at which something is due, but not beyond `limit`.
  /// - Returns: False if there is no such instant.
  func advanceToNext(upTo limit: Instant?) -> Bool {
    lock.lock()
    defer { unlock() }
    waitForPump()
    return pumping {
      let start = state.now
      settle()
      while mustStay() { settle() }
      while !state.isClosed, !state.standsStill(), step(towards: limit ?? .distantFuture) {
        settle()
        if state.now > start { return true }
      }
      guard let limit, limit > state.now, !state.isClosed, !state.standsStill() else {
        return state.now > start
      }
      state.move(to: limit, self)
      work?.wake(upTo: limit.nanoseconds)
      return true
    }
  }
}
