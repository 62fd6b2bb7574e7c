/// Wakes that the system starts by itself: fetches on aligned opportunities, and keep-alives (rule W3).
extension Engine {
  // MARK: Fetch

  mutating func setMinimumFetchInterval(_ interval: Interval?, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    guard let interval else {
      if let slot = extra(app) {
        extras[slot].fetchInterval = -1
        disarmFetch(slot)
      }
      return
    }
    precondition(interval >= .zero, "A fetch interval of \(interval.nanoseconds) ns")
    let denied = standingDenials(.fetch, app)
    guard denied.isEmpty else { return decide(.fetch, app, denied, next: nil, &actions) }
    let slot = makeExtras(app)
    extras[slot].fetchInterval = interval.nanoseconds
    if !extras[slot].hasFetched { extras[slot].fetchReference = now.nanoseconds }
    armFetch(slot)
  }

  /// Waits for the next opportunity: the first one after now that leaves the interval, and what bad results have made of it, to the last fetch.
  private mutating func armFetch(_ slot: UInt32) {
    let (schedule, app) = (rows[Int(AssertionKind.fetch.rawValue)].schedule, extras[slot].app)
    let interval = schedule.interval(askedFor: Interval(nanoseconds: extras[slot].fetchInterval)).nanoseconds
    let (pushed, overflow) = interval.multipliedReportingOverflow(by: Int64(extras[slot].fetchBackoff))
    let earliest = Instant(nanoseconds: extras[slot].fetchReference) + Interval(nanoseconds: overflow ? .max : pushed)
    // An opportunity of this very instant that has not been looked at yet is not lost.
    let timer = extras[slot].fetchTimer
    if timer != .none, timers.deadline(of: timer) == now, earliest <= now { return }
    guard let next = schedule.opportunity(notBefore: earliest, after: now, retryingAfter: Interval(nanoseconds: interval)) else {
      return disarmFetch(slot)
    }
    if extras[slot].fetchTimer == .none { opportunities += 1 }
    timers.arm(&extras[slot].fetchTimer, at: next, .fetch(app))
  }

  mutating func fetchFired(_ app: UInt32, _ actions: inout ActionBuffer) {
    let slot = makeExtras(app)
    extras[slot].fetchTimer = .none
    opportunities -= 1
    guard !apps[app].presence.isInFront, canHoldMore(app) else { return armFetch(slot) }
    let (denied, next) = denialsAndBudget(.fetch, app)
    if denied.isEmpty {
      extras[slot].fetchReference = now.nanoseconds
      extras[slot].hasFetched = true
    }
    armFetch(slot)
    decide(.fetch, app, denied, next: next, &actions)
    if denied.isEmpty { admit(.fetch, app, &actions) }
  }

  /// New data brings the next fetch back to its interval; anything else pushes it out twice as far, up to the policy's factor.
  mutating func noteFetchResult(_ result: WakeResult, _ app: UInt32) {
    let greatest = rows[Int(AssertionKind.fetch.rawValue)].schedule.greatestBackoff
    guard result != .newData || extra(app) != nil else { return }
    let slot = makeExtras(app)
    switch result {
    case .newData: extras[slot].fetchBackoff = 1
    case .noData, .failed: extras[slot].fetchBackoff = UInt32(min(UInt64(extras[slot].fetchBackoff) * 2, UInt64(greatest)))
    }
    if extras[slot].fetchInterval >= 0 { armFetch(slot) }
  }

  // MARK: Keep-alive

  mutating func setKeepAlive(_ interval: Interval?, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    guard let interval else {
      if let slot = extra(app) { disarmKeepAlive(slot) }
      return
    }
    precondition(interval >= .zero, "A keep-alive interval of \(interval.nanoseconds) ns")
    var denied = standingDenials(.voipKeepAlive, app)
    let row = rows[Int(AssertionKind.voipKeepAlive.rawValue)]
    // One at every instant would stop time, so no time at all is too short for any policy that has keep-alives.
    let minimum = max(row.schedule.minimumInterval, .nanoseconds(row.deniedBy.contains(.kindNotInPolicy) ? 0 : 1))
    let isTooShort = interval < minimum
    if isTooShort { denied.insert(.interval) }
    guard denied.isEmpty else { return decide(.voipKeepAlive, app, denied, next: isTooShort ? now + minimum : nil, &actions) }
    let slot = makeExtras(app)
    extras[slot].keepAliveInterval = interval.nanoseconds
    disarmKeepAlive(slot)
    armKeepAlive(slot, from: now)
  }

  /// Every interval from the call on; those that a late host has missed are past.
  private mutating func armKeepAlive(_ slot: UInt32, from start: Instant) {
    let interval = extras[slot].keepAliveInterval
    let missed = max(0, (now - start).nanoseconds / interval)
    let (length, overflow) = interval.multipliedReportingOverflow(by: missed + 1)
    let next = start + Interval(nanoseconds: overflow ? .max : length)
    guard next < .distantFuture else { return }
    opportunities += 1
    timers.arm(&extras[slot].keepAliveTimer, at: next, .keepAlive(extras[slot].app))
  }

  mutating func keepAliveFired(_ app: UInt32, due: Instant, _ actions: inout ActionBuffer) {
    let slot = makeExtras(app)
    extras[slot].keepAliveTimer = .none
    opportunities -= 1
    armKeepAlive(slot, from: due)
    guard !apps[app].presence.isInFront, canHoldMore(app) else { return }
    let (denied, next) = denialsAndBudget(.voipKeepAlive, app)
    decide(.voipKeepAlive, app, denied, next: next, &actions)
    if denied.isEmpty { admit(.voipKeepAlive, app, &actions) }
  }

  private mutating func disarmFetch(_ slot: UInt32) {
    if extras[slot].fetchTimer != .none { opportunities -= 1 }
    timers.disarm(&extras[slot].fetchTimer)
  }

  private mutating func disarmKeepAlive(_ slot: UInt32) {
    if extras[slot].keepAliveTimer != .none { opportunities -= 1 }
    timers.disarm(&extras[slot].keepAliveTimer)
  }
}

extension WakeSchedule {
  /// How long fetches are apart that an app wants so long apart: no sooner than the policy says. Where neither says anything and nothing is
  /// aligned, a second.
  func interval(askedFor own: Interval) -> Interval {
    let interval = max(minimumInterval, own)
    return interval > .zero || alignment > .zero ? interval : WakeSchedule.intervalOfNone
  }

  /// The first opportunity that is not before `earliest` and after `now`; nil where there is none any more.
  func opportunity(notBefore earliest: Instant, after now: Instant, retryingAfter interval: Interval) -> Instant? {
    let step = alignment.nanoseconds
    guard step > 0 else {
      let next = earliest > now ? earliest : now + interval
      return next > now && next < .distantFuture ? next : nil
    }
    let from = max(earliest, now + .nanoseconds(1)).nanoseconds
    let (aligned, overflow) = (from / step).addingReportingOverflow(from % step == 0 ? 0 : 1)
    let (next, tooLate) = aligned.multipliedReportingOverflow(by: step)
    return overflow || tooLate || next == .max ? nil : Instant(nanoseconds: next)
  }
}
