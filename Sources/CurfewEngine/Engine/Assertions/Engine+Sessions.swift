/// Long-running modes (rules L1–L3), and how long they may go on in the background (rule L4).
extension Engine {
  @discardableResult
  mutating func startSession(
    _ kind: AssertionKind, _ handler: ExpirationHandler, of app: AppID,
    _ actions: inout ActionBuffer
  ) -> Answer {
    let existing = oldest(of: app) { $0.kind == kind }
    let isOn = existing.map { assertions[$0].isOn } ?? false
    guard apps[app].isRunning, rows.known(kind).class == .session, !isOn else {
      return answerIllegal(app, idleness(of: app) ?? (isOn ? .sessionOn : .otherKind), &actions)
    }
    let (denied, next) = denialsOfStart(of: kind, app, existing)
    actions.append(.decision(app, kind, denied: denied, next: next))
    actions.append(.session(app, kind, denied.isEmpty ? .began : .denied))
    let answer = Answer.decision(kind, denied: denied, next: next)
    guard denied.isEmpty else { return answer }
    noteAdmission(kind, app)
    let place: Place<Assertion>
    if let existing {
      // Within its linger it begins again; the assertion never ended.
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

  /// Everything that denies a session now. One that was stopped while it was put off may not begin
  /// before that is over.
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
    // A group that its app comes into meanwhile may leave it nothing.
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

  /// The session is over; its assertion lingers as long as the policy says. One that is put off
  /// holds nothing.
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

  /// A visit to the background begins: what is on runs, where it has a limit.
  mutating func beginSessionRuns(of app: AppID) {
    guard rows.limitSessions, apps[app].otherAssertions > 0 else { return }
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

  /// The app leaves the background: nothing counts any more.
  mutating func endSessionRuns(of app: AppID) {
    guard rows.limitSessions, apps[app].otherAssertions > 0 else { return }
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let record = assertions[place]
      guard rows[record.kind].class == .session, record.isRun else { continue }
      clearTimer(of: place)
      assertions[place].phase = .fresh
      noteRun(of: record)
    }
  }

  /// In front nothing is put off.
  mutating func endDeferrals(of app: AppID, _ actions: inout ActionBuffer) {
    guard rows.limitSessions else { return }
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
    // Stopped, over, or in front before its turn.
    guard assertions.records.holds(place), assertions[place].app == app,
      assertions[place].kind == kind, assertions[place].phase == .called
    else { return }
    assertions[place].phase = .told
    call(app, .sessionExpirationHandler)
    actions.append(.sessionWarned(app, kind, due: Instant(nanoseconds: assertions[place].began)))
  }

  // MARK: Terms

  /// A run is over, and nobody is killed for it: it ends, or holds nothing until it is renewed.
  /// What has used up a budget is not.
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

  /// What was put off goes on, if nothing denies it by now: it is asked for anew, but is not
  /// counted again.
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
