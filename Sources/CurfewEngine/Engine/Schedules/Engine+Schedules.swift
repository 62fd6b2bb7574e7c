/// Wakes that the system starts by itself: on aligned opportunities, as fetches, or at an app's own interval, as keep-alives (rule W3).
extension Engine {
  @discardableResult
  mutating func setInterval(_ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer) -> Answer {
    guard apps[app].isRunning else { return answerIllegal(app, &actions) }
    switch rows.known(kind).start {
    case .opportunity: return setLeastInterval(interval, of: kind, app, &actions)
    case .interval: return setOwnInterval(interval, of: kind, app, &actions)
    case .event, .request: return answerIllegal(app, .otherKind, &actions)
    }
  }

  mutating func scheduleFired(_ place: Place<SystemSchedule>, due: Instant, _ actions: inout ActionBuffer) {
    schedules.fired(place)
    let (app, kind) = (schedules[place].app, schedules[place].kind)
    let isRegular = rows[kind].start == .interval
    if isRegular { armRegular(place, from: due) }
    guard !apps[app].presence.isInFront, canHoldMore(app) else { return isRegular ? () : armOpportunity(place) }
    let (denied, next) = denialsAndBudget(kind, app)
    if !isRegular {
      if denied.isEmpty { (schedules[place].reference, schedules[place].hasStarted) = (now, true) }
      armOpportunity(place)
    }
    if denied.isEmpty { admit(kind, app, &actions) } else { deny(kind, app, denied, next: next, &actions) }
  }

  /// It asks for no more, which outlives nothing but its history.
  private mutating func stopSchedule(_ kind: AssertionKind, _ app: AppID) {
    guard let place = schedules.place(of: kind, in: apps[extras: app].schedules) else { return }
    schedules[place].interval = nil
    schedules.disarm(place, &timers)
  }

  // MARK: On opportunities

  private mutating func setLeastInterval(
    _ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) -> Answer {
    guard let interval else {
      stopSchedule(kind, app)
      return .nothing
    }
    precondition(interval >= .zero, "An interval of \(interval.nanoseconds) ns")
    let denied = standingDenials(kind, app)
    guard denied.isEmpty else { return deny(kind, app, denied, next: nil, &actions) }
    let place = schedules.makePlace(of: kind, app, in: &apps[extras: app].schedules)
    schedules[place].interval = interval
    if !schedules[place].hasStarted { schedules[place].reference = now }
    armOpportunity(place)
    return .nothing
  }

  /// Waits for the next opportunity: the first one after now that leaves the interval, and what bad results have made of it, to the last.
  private mutating func armOpportunity(_ place: Place<SystemSchedule>) {
    let own = schedules[place]
    let schedule = rows[own.kind].schedule
    guard let asked = own.interval else { return schedules.disarm(place, &timers) }
    let interval = schedule.interval(askedFor: asked)
    let earliest = own.reference + interval.times(Int64(own.backoff))
    // An opportunity of this very instant that has not been looked at yet is not lost.
    if own.timer != .none, timers.deadline(of: own.timer) == now, earliest <= now { return }
    guard let next = schedule.opportunity(notBefore: earliest, after: now, retryingAfter: interval) else {
      return schedules.disarm(place, &timers)
    }
    schedules.arm(place, at: next, &timers)
  }

  /// New data brings the next one back to its interval; anything else pushes it out twice as far, up to the policy's factor. Counts from the first interval on that
  /// was accepted, whatever was set after it.
  mutating func noteResult(_ result: WakeResult, of kind: AssertionKind, _ app: AppID) {
    guard let place = schedules.place(of: kind, in: apps[extras: app].schedules) else { return }
    let (greatest, backoff) = (rows[kind].schedule.greatestBackoff, schedules[place].backoff)
    schedules[place].backoff = result == .newData ? 1 : UInt32(min(UInt64(backoff) * 2, UInt64(greatest)))
    if schedules[place].interval != nil { armOpportunity(place) }
  }

  // MARK: At an app's own interval

  private mutating func setOwnInterval(
    _ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) -> Answer {
    guard let interval else {
      stopSchedule(kind, app)
      return .nothing
    }
    precondition(interval >= .zero, "An interval of \(interval.nanoseconds) ns")
    var denied = standingDenials(kind, app)
    let row = rows[kind]
    // One at every instant would stop time, so no time at all is too short for any policy that has the kind.
    let minimum = max(row.schedule.minimumInterval, .nanoseconds(row.deniedBy.contains(.kindNotInPolicy) ? 0 : 1))
    let isTooShort = interval < minimum
    if isTooShort { denied.insert(.interval) }
    guard denied.isEmpty else { return deny(kind, app, denied, next: isTooShort ? now + minimum : nil, &actions) }
    let place = schedules.makePlace(of: kind, app, in: &apps[extras: app].schedules)
    schedules[place].interval = interval
    schedules.disarm(place, &timers)
    armRegular(place, from: now)
    return .nothing
  }

  /// Every interval from the call on; those that a late host has missed are past.
  private mutating func armRegular(_ place: Place<SystemSchedule>, from start: Instant) {
    guard let interval = schedules[place].interval else { return }
    let missed = max(0, (now - start).nanoseconds / interval.nanoseconds)
    let next = start + interval.times(missed + 1)
    guard next < .distantFuture else { return }
    schedules.arm(place, at: next, &timers)
  }
}
