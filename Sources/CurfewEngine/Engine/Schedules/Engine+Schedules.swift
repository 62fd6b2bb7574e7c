/// Wakes that the system starts by itself: on aligned opportunities, as fetches, or at an app's own
/// interval, as keep-alives (rule W3).
extension Engine {
  @discardableResult
  mutating func setInterval(
    _ interval: Interval?, of kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) -> Answer {
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

  /// Waits for the next opportunity: the first one after now that leaves the interval, and what bad
  /// results have made of it, to the last.
  private mutating func armOpportunity(_ place: Place<SystemSchedule>) {
    let own = schedules[place]
    let (schedule, leeway) = (rows[own.kind].schedule, rows[own.kind].leewayOfStarts)
    guard let asked = own.interval else { return schedules.disarm(place, &timers) }
    let interval = schedule.interval(askedFor: asked)
    let (start, otherwise) = planBeforeUse(own, interval)
    let earliest = own.reference + (start == nil ? interval.times(own.backoff) : interval)
    // An opportunity of this very instant, or of a due one's leeway, that has not been looked at
    // yet is not lost.
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
    // What is to come before a use is not put off until after it.
    schedules.arm(place, at: start ?? Leeway.roundest(from: next, within: leeway), &timers)
  }

  // MARK: What moves the next one

  private mutating func noteOwnRun(_ place: Place<SystemSchedule>) {
    (schedules[place].reference, schedules[place].hasStarted) = (now, true)
    if rows[schedules[place].kind].schedule.backoffGrowth == .runs { pushOut(place) }
  }

  /// What has come of a wake, the system's own or not. Counts from the first interval on that was
  /// accepted, whatever was set after it.
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
      schedule.backoffFactor, atMost: Factor(schedule.greatestBackoff))
  }

  /// An app comes to the front.
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
      // Where nothing was pushed out, a use changes nothing: what was skipped in front would be put
      // off anew each time.
      if isPushedOut || row.schedule.leadToUse != nil { armOpportunity(place) }
    }
  }

  /// When the next one comes before a use, the soonest that it can come before; with no start, from
  /// when the interval may start one.
  ///
  /// The app is expected to be used when it was used the day before. A use for which the last
  /// of the system's own has come needs no other, and until then nothing does.
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
    // One at every instant would stop time, so no time at all is too short for any policy that has
    // the kind.
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

  /// Every interval from the call on; those that a late host has missed are past.
  private mutating func armRegular(_ place: Place<SystemSchedule>) {
    guard let interval = schedules[place].interval else { return }
    let start = schedules[place].reference
    let missed = max(0, (now - start).nanoseconds / interval.nanoseconds)
    let next = start + interval.times(missed + 1)
    guard next < .distantFuture else { return }
    // The one after that counts from when this one was due, not from its leeway.
    schedules[place].reference = next
    schedules.arm(
      place, at: Leeway.roundest(from: next, within: rows[schedules[place].kind].leewayOfStarts),
      &timers)
  }
}
