/// Wakes that the system starts by itself: fetches on aligned opportunities, and keep-alives (rule W3).
extension Engine {
  // MARK: Fetch

  @discardableResult
  mutating func setMinimumFetchInterval(_ interval: Interval?, of app: AppID, _ actions: inout ActionBuffer) -> Answer {
    guard apps[app].isRunning else { return answerIllegal(app, &actions) }
    guard let interval else {
      guard apps[extras: app].fetch.interval != nil else { return .nothing }
      apps[extras: app].fetch.interval = nil
      schedules.disarm(&apps[extras: app].fetch.timer, &timers)
      return .nothing
    }
    precondition(interval >= .zero, "A fetch interval of \(interval.nanoseconds) ns")
    let denied = standingDenials(.ofFetches, app)
    guard denied.isEmpty else { return deny(.ofFetches, app, denied, next: nil, &actions) }
    apps[extras: app].fetch.interval = interval
    apps[extras: app].fetch.hasBeenSet = true
    if !apps[extras: app].fetch.hasFetched { apps[extras: app].fetch.reference = now }
    armFetch(app)
    return .nothing
  }

  /// Waits for the next opportunity: the first one after now that leaves the interval, and what bad results have made of it, to the last
  /// fetch.
  private mutating func armFetch(_ app: AppID) {
    let (schedule, fetch) = (rows[.ofFetches].schedule, apps[extras: app].fetch)
    guard let asked = fetch.interval else { return schedules.disarm(&apps[extras: app].fetch.timer, &timers) }
    let interval = schedule.interval(askedFor: asked)
    let earliest = fetch.reference + interval.times(Int64(fetch.backoff))
    // An opportunity of this very instant that has not been looked at yet is not lost.
    if fetch.timer != .none, timers.deadline(of: fetch.timer) == now, earliest <= now { return }
    guard let next = schedule.opportunity(notBefore: earliest, after: now, retryingAfter: interval) else {
      return schedules.disarm(&apps[extras: app].fetch.timer, &timers)
    }
    schedules.arm(&apps[extras: app].fetch.timer, at: next, .fetch(app), &timers)
  }

  mutating func fetchFired(_ app: AppID, _ actions: inout ActionBuffer) {
    schedules.fired(&apps[extras: app].fetch.timer)
    guard !apps[app].presence.isInFront, canHoldMore(app) else { return armFetch(app) }
    let (denied, next) = denialsAndBudget(.ofFetches, app)
    if denied.isEmpty {
      apps[extras: app].fetch.reference = now
      apps[extras: app].fetch.hasFetched = true
    }
    armFetch(app)
    if denied.isEmpty { admit(.ofFetches, app, &actions) } else { deny(.ofFetches, app, denied, next: next, &actions) }
  }

  /// New data brings the next fetch back to its interval; anything else pushes it out twice as far, up to the policy's factor. Counts from the first interval on that
  /// was accepted, whatever was set after it.
  mutating func noteFetchResult(_ result: WakeResult, _ app: AppID) {
    guard apps[extras: app].fetch.hasBeenSet else { return }
    let greatest = rows[.ofFetches].schedule.greatestBackoff
    let backoff = apps[extras: app].fetch.backoff
    let next = result == .newData ? 1 : UInt32(min(UInt64(backoff) * 2, UInt64(greatest)))
    if next != backoff { apps[extras: app].fetch.backoff = next }
    if apps[extras: app].fetch.interval != nil { armFetch(app) }
  }

  // MARK: Keep-alive

  @discardableResult
  mutating func setKeepAlive(_ interval: Interval?, of app: AppID, _ actions: inout ActionBuffer) -> Answer {
    guard apps[app].isRunning else { return answerIllegal(app, &actions) }
    guard let interval else {
      if apps[extras: app].keepAlive.timer != .none { schedules.disarm(&apps[extras: app].keepAlive.timer, &timers) }
      return .nothing
    }
    precondition(interval >= .zero, "A keep-alive interval of \(interval.nanoseconds) ns")
    var denied = standingDenials(.ofKeepAlives, app)
    let row = rows[.ofKeepAlives]
    // One at every instant would stop time, so no time at all is too short for any policy that has keep-alives.
    let minimum = max(row.schedule.minimumInterval, .nanoseconds(row.deniedBy.contains(.kindNotInPolicy) ? 0 : 1))
    let isTooShort = interval < minimum
    if isTooShort { denied.insert(.interval) }
    guard denied.isEmpty else { return deny(.ofKeepAlives, app, denied, next: isTooShort ? now + minimum : nil, &actions) }
    apps[extras: app].keepAlive.interval = interval
    schedules.disarm(&apps[extras: app].keepAlive.timer, &timers)
    armKeepAlive(app, from: now)
    return .nothing
  }

  /// Every interval from the call on; those that a late host has missed are past.
  private mutating func armKeepAlive(_ app: AppID, from start: Instant) {
    let interval = apps[extras: app].keepAlive.interval
    let missed = max(0, (now - start).nanoseconds / interval.nanoseconds)
    let next = start + interval.times(missed + 1)
    guard next < .distantFuture else { return }
    schedules.arm(&apps[extras: app].keepAlive.timer, at: next, .keepAlive(app), &timers)
  }

  mutating func keepAliveFired(_ app: AppID, due: Instant, _ actions: inout ActionBuffer) {
    schedules.fired(&apps[extras: app].keepAlive.timer)
    armKeepAlive(app, from: due)
    guard !apps[app].presence.isInFront, canHoldMore(app) else { return }
    let (denied, next) = denialsAndBudget(.ofKeepAlives, app)
    if denied.isEmpty { admit(.ofKeepAlives, app, &actions) } else { deny(.ofKeepAlives, app, denied, next: next, &actions) }
  }
}
