/// Wakes that the system starts by itself: fetches at opportunities, and keep-alives at an app's
/// own interval (rule W3).
extension Engine {
  @discardableResult
  mutating func setInterval(
    _ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) -> EventAnswer {
    guard apps[app].isRunning else { return answerIllegal(app, &actions) }
    switch rows.known(kind).start {
    case .opportunity: return setLeastInterval(interval, of: kind, app, &actions)
    case .interval: return setOwnInterval(interval, of: kind, app, &actions)
    case .event, .request: return answerIllegal(app, .otherKind, &actions)
    }
  }

  mutating func scheduleFired(_ place: Place<SystemSchedule>, _ actions: inout ActionBuffer) {
    schedules.fired(place)
    let (app, kind) = (schedules[place].app, schedules[place].kind)
    let isRegular = rows[kind].start == .interval
    if isRegular { armRegular(place) }
    guard !apps[app].presence.isInFront, canHoldMore(app) else {
      return isRegular ? () : armOpportunity(place)
    }
    let (denied, next) = denialsAndBudget(kind, app)
    if !isRegular {
      if denied.isEmpty { noteOwnRun(place) }
      armOpportunity(place)
    }
    if denied.isEmpty {
      admit(kind, app, &actions)
    } else {
      deny(kind, app, denied, next: next, &actions)
    }
  }

  /// Stops a schedule. Its history remains.
  private mutating func stopSchedule(_ kind: AssertionKind, _ app: AppID) {
    guard let place = schedules.place(of: kind, in: apps[extras: app].schedules) else { return }
    schedules[place].interval = nil
    schedules.disarm(place, &timers)
  }

  // MARK: Opportunities

  private mutating func setLeastInterval(
    _ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) -> EventAnswer {
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

  /// Arms the next opportunity: the first one after now at which the interval, multiplied by
  /// the backoff, has passed since `reference`.
  private mutating func armOpportunity(_ place: Place<SystemSchedule>) {
    let own = schedules[place]
    let (schedule, leeway) = (rows[own.kind].schedule, rows[own.kind].leewayOfStarts)
    guard let asked = own.interval else { return schedules.disarm(place, &timers) }
    let interval = schedule.interval(askedFor: asked)
    let (start, otherwise) = planBeforeUse(own, interval)
    let earliest = own.reference + (start == nil ? interval.times(own.backoff) : interval)
    // An opportunity that has not been examined yet is kept, if it is at this instant or within
    // the leeway of an opportunity that is due.
    if own.timer != .none, earliest <= now {
      let pending = timers.deadline(of: own.timer)
      if pending >= now, pending <= max(now, earliest + leeway) { return }
    }
    guard
      let next = start
        ?? schedule.opportunity(
          notBefore: max(earliest, otherwise), after: now, retryingAfter: interval)
    else {
      return schedules.disarm(place, &timers)
    }
    // A start before a use has no leeway, because a leeway could move it past the use.
    schedules.arm(place, at: start ?? Leeway.roundest(from: next, within: leeway), &timers)
  }

  // MARK: Backoff and uses

  private mutating func noteOwnRun(_ place: Place<SystemSchedule>) {
    (schedules[place].reference, schedules[place].hasStarted) = (now, true)
    if rows[schedules[place].kind].schedule.backoffGrowth == .runs { pushOut(place) }
  }

  /// Handles the result of a wake, whether the system started it or not. Results count from
  /// the first accepted interval on, whatever interval is set later.
  mutating func noteResult(_ result: WakeResult, of kind: AssertionKind, _ app: AppID) {
    guard let place = schedules.place(of: kind, in: apps[extras: app].schedules) else { return }
    let schedule = rows[kind].schedule
    switch result {
    case .newData: if schedule.backoffReset != .use { schedules[place].backoff = .one }
    case .noData, .failed: if schedule.backoffGrowth == .results { pushOut(place) }
    }
    if schedules[place].interval != nil { armOpportunity(place) }
  }

  private mutating func pushOut(_ place: Place<SystemSchedule>) {
    let schedule = rows[schedules[place].kind].schedule
    schedules[place].backoff = schedules[place].backoff.times(
      schedule.backoffFactor, atMost: ScaleFactor(schedule.greatestBackoff))
  }

  /// Updates an app's schedules when the app comes to the front.
  /// - Complexity: O(its schedules).
  mutating func noteOpening(of app: AppID) {
    if schedules.predictsUse { schedules.noteOpening(at: now, in: &apps[extras: app].openings) }
    guard apps.hasExtras(app) else { return }
    var walk = schedules.records.walk(apps[extras: app].schedules)
    while let place = walk.next(in: schedules.records) {
      let row = rows[schedules[place].kind]
      guard row.start == .opportunity, row.schedule.watchesUse else { continue }
      let isPushedOut = schedules[place].backoff != .one
      if row.schedule.backoffReset != .newData { schedules[place].backoff = .one }
      // Without a backoff, a use changes nothing. Arming again at each use would postpone
      // an opportunity that was skipped while the app was in front.
      if isPushedOut || row.schedule.leadToUse != nil { armOpportunity(place) }
    }
  }

  /// Returns two instants: the start that precedes the soonest use that a wake can precede, or nil;
  /// and the instant before which the interval alone starts no wake.
  ///
  /// The app is expected to be used a day after each earlier use. A use that the system's last
  /// start has served needs no other start, and no wake starts until that use.
  private func planBeforeUse(_ own: SystemSchedule, _ interval: Interval) -> (
    start: Instant?, otherwiseFrom: Instant
  ) {
    let schedule = rows[own.kind].schedule
    var served = Instant.zero
    guard let lead = schedule.leadToUse else { return (nil, served) }
    var walk = schedules.openings.walk(apps[extras: own.app].openings)
    while let place = walk.next(in: schedules.openings) {
      let use = schedules.openings[place].instant + WakeSchedule.dayOfUse
      let wanted = schedule.opportunity(before: use, by: lead)
      if own.hasStarted, own.reference >= wanted {
        served = use
        continue
      }
      let earliest = max(wanted, own.reference + interval)
      let start = schedule.opportunity(notBefore: earliest, after: now, retryingAfter: interval)
      if let start, start < use { return (start, served) }
    }
    return (nil, served)
  }

  // MARK: An app's own interval

  private mutating func setOwnInterval(
    _ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) -> EventAnswer {
    guard let interval else {
      stopSchedule(kind, app)
      return .nothing
    }
    precondition(interval >= .zero, "An interval of \(interval.nanoseconds) ns")
    var denied = standingDenials(kind, app)
    let row = rows[kind]
    // An interval of zero would stop time, so it is too short for every policy that has the kind.
    let minimum = max(
      row.schedule.minimumInterval, .nanoseconds(row.deniedBy.contains(.kindNotInPolicy) ? 0 : 1))
    let isTooShort = interval < minimum
    if isTooShort { denied.insert(.interval) }
    guard denied.isEmpty else {
      return deny(kind, app, denied, next: isTooShort ? now + minimum : nil, &actions)
    }
    let place = schedules.makePlace(of: kind, app, in: &apps[extras: app].schedules)
    (schedules[place].interval, schedules[place].reference) = (interval, now)
    schedules.disarm(place, &timers)
    armRegular(place)
    return .nothing
  }

  /// Arms the next multiple of the interval since the call. Multiples that a late host has missed
  /// are skipped.
  private mutating func armRegular(_ place: Place<SystemSchedule>) {
    guard let interval = schedules[place].interval else { return }
    let start = schedules[place].reference
    let missed = max(0, (now - start).nanoseconds / interval.nanoseconds)
    let next = start + interval.times(missed + 1)
    guard next < .distantFuture else { return }
    // The following wake counts from the instant at which this wake was due, without the leeway.
    schedules[place].reference = next
    schedules.arm(
      place, at: Leeway.roundest(from: next, within: rows[schedules[place].kind].leewayOfStarts),
      &timers)
  }
}
