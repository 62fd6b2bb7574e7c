/// Long-running modes (rules L1–L3), and how long they may continue in the background (rule L4).
extension Engine {
  @discardableResult
  mutating func startSession(
    _ kind: AssertionKind, _ handler: ExpirationHandler, of app: AppID,
    _ actions: inout ActionBuffer
  ) -> EventAnswer {
    let existing = oldest(of: app) { $0.kind == kind }
    let isOn = existing.map { assertions[$0].isOn } ?? false
    guard apps[app].isRunning, rows.known(kind).class == .session, !isOn else {
      return answerIllegal(app, idleness(of: app) ?? (isOn ? .sessionOn : .otherKind), &actions)
    }
    let (denied, next) = denialsOfStart(of: kind, app, existing)
    actions.append(.decision(app, kind, denied: denied, next: next))
    actions.append(.session(app, kind, denied.isEmpty ? .began : .denied))
    let answer = EventAnswer.decision(kind, denied: denied, next: next)
    guard denied.isEmpty else { return answer }
    noteAdmission(kind, app)
    let place: Place<Assertion>
    if let existing {
      // The session begins again during its linger; the assertion never ended.
      place = existing
      assertions[place].phase = .fresh
      clearTimer(of: place)
    } else {
      place = hold(Assertion(began: now.nanoseconds, app: app, kind: kind))
      assertions[place].lastDeferral = .zero
    }
    assertions[place].handler = handler
    if apps[app].state == .background { beginSessionRun(place) }
    runLoop(app, &actions)
    return answer
  }

  /// All denials of a session now. A session that was stopped while it was deferred may not begin
  /// before the deferral ends.
  private mutating func denialsOfStart(
    of kind: AssertionKind, _ app: AppID, _ existing: Place<Assertion>?
  ) -> (denied: DenialReasons, next: Instant?) {
    var denied = denialsOfSession(kind, app)
    var next: Instant?
    if let budget = budgetDenial(kind, app) {
      denied.formUnion(.budget(full: budget.full))
      next = budget.next
    }
    guard let existing, assertions[existing].phase == .stoppedDeferred else {
      return (denied, next)
    }
    // Meanwhile the app may move to a group whose budgets have no room.
    let end = timers.deadline(of: assertions[existing].timer)
    return (
      denied.union(.interval), budgets.limits(kind) ? firstRoom(for: kind, app, from: end) : end
    )
  }

  mutating func stopSession(_ kind: AssertionKind, of app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, rows.known(kind).class == .session,
      let place = oldest(of: app, where: { $0.kind == kind && $0.isOn })
    else {
      return illegal(app, idleness(of: app) ?? .noSession, &actions)
    }
    stop(place, kind, app, &actions)
    runLoop(app, &actions)
  }

  /// Stops a session. Its assertion lingers as long as the policy says. The assertion of a deferred
  /// session does not linger, because it does not keep the app running.
  mutating func stop(
    _ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) {
    actions.append(.session(app, kind, .ended))
    guard assertions[place].holds else { return assertions[place].phase = .stoppedDeferred }
    guard rows[kind].linger > .zero else { return end(place) }
    let record = assertions[place]
    clearTimer(of: place)
    assertions[place].phase = .lingering
    assertions[place].lastDeferral = .zero
    if record.isRun { noteRun(of: record) }
    setTimer(of: place, at: rows[kind].lingerEnd(from: now))
  }

  // MARK: In the background

  /// Begins the runs of an app that enters the background, for sessions with a limit.
  @inline(__always)
  mutating func beginSessionRuns(of app: AppID) {
    if rows.limitSessions, apps[app].otherAssertions > 0 { beginRunsOfSessions(of: app) }
  }

  @inline(never)
  private mutating func beginRunsOfSessions(of app: AppID) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      if rows[assertions[place].kind].class == .session, assertions[place].phase == .fresh {
        beginSessionRun(place)
      }
    }
  }

  private mutating func beginSessionRun(_ place: Place<Assertion>) {
    let kind = assertions[place].kind
    assertions[place].warning = .none
    if rows[kind].length < .greatest || budgets[kind].countsRuns { beginRun(place) }
  }

  /// Ends the runs of an app that leaves the background: time in front does not count.
  @inline(__always)
  mutating func endSessionRuns(of app: AppID) {
    if rows.limitSessions, apps[app].otherAssertions > 0 { endRunsOfSessions(of: app) }
  }

  @inline(never)
  private mutating func endRunsOfSessions(of app: AppID) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let record = assertions[place]
      guard rows[record.kind].class == .session, record.isRun else { continue }
      clearTimer(of: place)
      assertions[place].phase = .fresh
      noteRun(of: record)
    }
  }

  /// Ends the deferrals of an app that comes to the front.
  @inline(__always)
  mutating func endDeferrals(of app: AppID, _ actions: inout ActionBuffer) {
    if rows.limitSessions, !apps[app].assertions.isEmpty { endAllDeferrals(of: app, &actions) }
  }

  @inline(never)
  private mutating func endAllDeferrals(of app: AppID, _ actions: inout ActionBuffer) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let record = assertions[place]
      guard record.isRenewed else { continue }
      clearTimer(of: place)
      assertions[place].lastDeferral = .zero
      if record.phase == .stoppedDeferred {
        end(place)
      } else if record.phase == .deferred {
        renewSession(place, &actions)
      }
    }
  }

  mutating func deliverSessionExpiration(
    _ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) {
    // Before the handler's turn, the session was stopped or ended, or its app came to the front.
    guard assertions.records.holds(place), assertions[place].app == app,
      assertions[place].kind == kind, assertions[place].phase == .called
    else { return }
    assertions[place].phase = .told
    call(app, .sessionExpirationHandler)
    actions.append(.sessionWarned(app, kind, due: Instant(nanoseconds: assertions[place].began)))
  }

  // MARK: Terms

  /// Ends a run without a kill: the session ends, or is deferred and does not keep the app running
  /// until it is renewed. A session that has used up a budget is not deferred.
  mutating func endOverrun(_ place: Place<Assertion>, isSpent: Bool, _ actions: inout ActionBuffer)
  {
    let record = assertions[place]
    let (app, kind) = (record.app, record.kind)
    let isUsedUp = isSpent || budgets[kind].endsRuns && self.isSpent(kind, app, whatEndsRuns: true)
    guard !isUsedUp, let deferral = rows[kind].deferral?.after(record.lastDeferral) else {
      actions.append(.session(app, kind, .ended))
      return end(place)
    }
    actions.append(.session(app, kind, .deferred))
    assertions[place].phase = .deferred
    assertions[place].lastDeferral = deferral
    noteRun(of: record)
    endHolding(kind, app)
    setTimer(of: place, at: now + deferral)
  }

  /// Renews a deferred session, if nothing denies it now. The new decision does not count as
  /// an admission.
  mutating func renewSession(_ place: Place<Assertion>, _ actions: inout ActionBuffer) {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    clearTimer(of: place)
    let denied = denialsOfSession(kind, app)
    actions.append(.decision(app, kind, denied: denied, next: nil))
    guard denied.isEmpty else {
      actions.append(.session(app, kind, .ended))
      return end(place)
    }
    actions.append(.session(app, kind, .renewed))
    assertions[place].phase = .fresh
    beginHolding(kind, app)
    if apps[app].state == .suspended {
      setState(.background, of: app, grant: policy.tasks.grantAfterWake, &actions)
      deliverKeptPosts(app, &actions)
    } else if apps[app].state == .background {
      beginSessionRun(place)
    }
  }
}
