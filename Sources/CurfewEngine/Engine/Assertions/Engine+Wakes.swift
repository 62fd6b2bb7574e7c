/// Wakes (rules W1, W2): an event asks for an app to run.
extension Engine {
  @discardableResult
  mutating func deliver(_ kind: AssertionKind, to app: AppID, _ actions: inout ActionBuffer) -> Answer {
    guard rows.known(kind).class == .wake, exists(app) else { return answerIllegal(app, exists(app) ? .otherKind : .removed, &actions) }
    if apps[app].presence.isInFront {
      enqueue(.event(kind), app)
      runLoop(app, &actions)
      return .nothing
    }
    guard canHoldMore(app) else { return answerIllegal(app, .tooManyAssertions, &actions) }
    let (denied, next) = denialsAndBudget(kind, app)
    guard denied.isEmpty else { return deny(kind, app, denied, next: next, &actions) }
    return admit(kind, app, &actions)
  }

  /// So many wakes of one app may wait or run; one more makes no sense.
  private static let greatestNumberOfWakes: UInt16 = 60_000

  func canHoldMore(_ app: AppID) -> Bool { apps[app].otherAssertions < Engine.greatestNumberOfWakes }

  /// Admits a wake, from a request where there is one: writes its decision, counts it towards its budget and lets the app run.
  @discardableResult
  mutating func admit(_ kind: AssertionKind, from identifier: UInt32? = nil, _ app: AppID, _ actions: inout ActionBuffer) -> Answer {
    precondition(apps[extras: app].lastWake < .max, "App \(app.rawValue) has had \(apps[extras: app].lastWake) wakes")
    apps[extras: app].lastWake += 1
    var wake = Assertion(began: now.nanoseconds, app: app, kind: kind)
    wake.wake = WakeID(rawValue: apps[extras: app].lastWake)
    if let identifier { (wake.label, wake.isRequested) = (identifier, true) }
    if apps[extras: app].handlesWakeExpiration { wake.handler = .present }
    actions.append(.decision(app, kind, wake: wake.wake, denied: [], next: nil))
    noteAdmission(kind, app)
    let place = hold(wake)
    if apps[app].state == .notRunning {
      apps[app].presence = .background
      enqueue(.lifecycle(.launchInBackground), app)
    } else if apps[app].state == .suspended {
      setState(.background, of: app, grant: policy.tasks.grantAfterWake, &actions)
      deliverKeptPosts(app, &actions)
    }
    enqueue(.wake(place), app)
    runLoop(app, &actions)
    return .decision(kind, denied: [], next: nil)
  }

  mutating func deliverWake(_ place: Place<Assertion>, _ app: AppID, _ actions: inout ActionBuffer) {
    let kind = assertions[place].kind
    assertions[place].phase = .second
    assertions[place].due = now.nanoseconds
    if budgets[kind].endsRuns { armRuns(of: app, kind) } else { armWake(place, until: nil) }
    call(app, .wake)
    apps[extras: app].delivered = DeliveredWake(id: assertions[place].wake, kind: kind)
    actions.append(.wakeBegan(app, AdmittedWake(assertions[place])))
  }

  /// The delivered wake that is meant; nil where there is none.
  package func wake(_ choice: WakeChoice, of app: AppID) -> AdmittedWake? {
    chosen(choice, known(app)).map { AdmittedWake(assertions[$0]) }
  }

  private func chosen(_ choice: WakeChoice, _ app: AppID) -> Place<Assertion>? {
    guard apps[app].isRunning, apps[app].otherAssertions > 0 else { return nil }
    var choice = choice
    // Inside a wake's own delivery that wake is meant, if nothing says that it is another (rule W6).
    if [.wake, .wakeExpirationHandler].contains(apps[app].delivery), choice.id == nil, choice.identifier == nil {
      let own = apps[extras: app].delivered
      if choice.kind ?? own.kind == own.kind { choice.id = own.id }
    }
    return oldest(of: app) { $0.isWake && $0.isDelivered && choice.means($0) }
  }

  mutating func completeWake(_ choice: WakeChoice, _ result: WakeResult?, of app: AppID, _ actions: inout ActionBuffer) {
    guard let place = chosen(choice, app) else { return illegal(app, idleness(of: app) ?? .noWake, &actions) }
    let wake = AdmittedWake(assertions[place])
    actions.append(.wakeCompleted(app, wake))
    if let result, rows[wake.kind].start == .opportunity { noteResult(result, of: wake.kind, app) }
    finish(place)
    runLoop(app, &actions)
  }

  /// A wake's work is done. Its assertion lingers as long as the policy says.
  private mutating func finish(_ place: Place<Assertion>) {
    let record = assertions[place]
    guard rows[record.kind].linger > .zero else { return end(place) }
    assertions[place].phase = .lingering
    noteRun(of: record)
    timers.arm(&assertions[place].timer, at: rows[record.kind].lingerEnd(from: now), .assertion(place))
    if record.isRequested { lookAgainAtRequests(of: record.app) }
  }

  // MARK: The warning (rule W6)

  /// One deadline: at the warning, where somebody is to be warned, then at the end: of the row's length, or of what there is in a budget.
  ///
  /// - Parameter exhausted: When what there is in a budget is used up.
  mutating func armWake(_ place: Place<Assertion>, until exhausted: Instant?) {
    let (wake, row) = (assertions[place], rows[assertions[place].kind])
    // Its end has been told, or comes at the instant of a warning that came too late.
    guard wake.warning != .overrun, wake.warning != .tooLate else { return }
    let end = end(ofWake: place, exhausted)
    var next = end
    if isWarning(place) {
      next = wake.isCutShort ? now : end - row.warning
    } else if wake.isCutShort {
      // With nobody to warn it has the time of the warning all the same.
      if !wake.isWarned { assertions[place].warning = .inTime }
      next = min(end, wake.isWarned && wake.timer != .none ? timers.deadline(of: wake.timer) : now + row.warning)
    }
    timers.arm(&assertions[place].timer, at: max(now, next), .assertion(place))
  }

  /// When a delivered wake is over, if it is not complete before.
  private func end(ofWake place: Place<Assertion>, _ exhausted: Instant?) -> Instant {
    let end = Instant(nanoseconds: assertions[place].due) + rows[assertions[place].kind].length
    return min(end, exhausted ?? end)
  }

  private func exhaustion(of place: Place<Assertion>) -> Instant? { exhaustion(of: assertions[place].kind, assertions[place].app) }

  /// Whether what comes next of a delivered wake is its warning; nobody is warned where there is no handler.
  func isWarning(_ place: Place<Assertion>) -> Bool {
    let wake = assertions[place]
    return !wake.isWarned && wake.handler == .present && rows[wake.kind].warning > .zero
  }

  /// The handler is due, and the end comes as long after that as the row warns before it, if not before.
  mutating func warnOfEnd(_ place: Place<Assertion>, due: Instant) {
    let row = rows[assertions[place].kind]
    let end = end(ofWake: place, exhaustion(of: place))
    assertions[place].warning = now - due > row.warning ? .tooLate : .inTime
    assertions[place].began = due.nanoseconds
    timers.arm(&assertions[place].timer, at: min(end, due + row.warning), .assertion(place))
    makeWakeHandlerDue(place)
  }

  private mutating func makeWakeHandlerDue(_ place: Place<Assertion>) {
    guard assertions[place].handler == .present, assertions[place].phase == .second else { return }
    guard rows[assertions[place].kind].warning > .zero else { return }
    assertions[place].phase = .called
    enqueue(.wakeExpiration(place, assertions[place].wake), assertions[place].app)
  }

  mutating func deliverWakeExpiration(_ place: Place<Assertion>, _ id: WakeID, _ app: AppID, _ actions: inout ActionBuffer) {
    // Completed or over before its turn.
    guard assertions.records.holds(place), assertions[place].app == app, assertions[place].wake == id else { return }
    guard assertions[place].handler == .present else {
      // Taken back: one that is set after this is due anew.
      assertions[place].phase = .second
      return
    }
    call(app, .wakeExpirationHandler)
    apps[extras: app].delivered = DeliveredWake(id: id, kind: assertions[place].kind)
    let due = Instant(nanoseconds: assertions[place].began)
    actions.append(.wakeWarned(app, AdmittedWake(assertions[place]), due: due))
  }

  /// A program sets or takes back a wake's handler. One that comes after the warning is due at once.
  mutating func setWakeHandler(_ id: WakeID, _ handler: ExpirationHandler, of app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, let place = oldest(of: app, where: { $0.wake == id && $0.phase != .lingering }) else {
      return illegal(app, idleness(of: app) ?? .noWake, &actions)
    }
    assertions[place].handler = handler
    guard assertions[place].isDelivered else { return }
    if assertions[place].isWarned {
      if assertions[place].phase == .second { assertions[place].began = now.nanoseconds }
      makeWakeHandlerDue(place)
    } else {
      armWake(place, until: exhaustion(of: place))
    }
    runLoop(app, &actions)
  }

  /// What a wake ran for has gone: it is warned now, or as soon as it is delivered.
  mutating func cutShort(_ place: Place<Assertion>) {
    assertions[place].isCutShort = true
    if assertions[place].isDelivered, !assertions[place].isWarned { armWake(place, until: exhaustion(of: place)) }
  }

  /// A wake's length is over, or what there was in a budget. Off the background that only ends it.
  mutating func overrun(_ place: Place<Assertion>, due: Instant, _ actions: inout ActionBuffer) -> WakeRules.Overrun {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    let row = rows[kind]
    // Sooner than its length lets it only a budget ends it, or that what it waited for has gone.
    let isSpent =
      budgets[kind].endsRuns && due - Instant(nanoseconds: assertions[place].due) < row.length
      && (!assertions[place].isCutShort || isSpent(kind, app, whatEndsRuns: true))
    actions.append(.wakeOverran(app, AdmittedWake(assertions[place]), isSpent ? .budget : .length))
    guard row.overrun != .tell else {
      assertions[place].warning = .overrun
      return .tell
    }
    if row.start == .opportunity { noteResult(.failed, of: kind, app) }
    guard row.overrun == .kill, apps[app].state == .background else {
      end(place)
      return .drop
    }
    var termination = Termination(reason: .backgroundTaskAssertionTimeout, code: row.code, kind: kind)
    if isSpent { termination.limit = .budget }
    if assertions[place].warning == .tooLate { termination.late = now - Instant(nanoseconds: assertions[place].began) }
    terminate(app, termination, &actions)
    return .kill
  }
}
