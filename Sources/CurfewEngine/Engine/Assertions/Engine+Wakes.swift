/// Wakes (rules W1, W2): events that ask for an app to run.
extension Engine {
  @discardableResult
  mutating func deliver(
    _ kind: AssertionKind, to app: AppID, for times: RunTimes? = nil, _ actions: inout ActionBuffer
  ) -> EventAnswer {
    guard rows.known(kind).class == .wake, exists(app) else {
      return answerIllegal(app, exists(app) ? .otherKind : .removed, &actions)
    }
    if apps[app].presence.isInFront {
      enqueue(.event(kind), app)
      runLoop(app, &actions)
      return .nothing
    }
    guard canHoldMore(app) else { return answerIllegal(app, .tooManyAssertions, &actions) }
    let (denied, next) = denialsAndBudget(kind, app)
    guard denied.isEmpty else { return deny(kind, app, denied, next: next, &actions) }
    return admit(kind, for: times, app, &actions)
  }

  /// The number of wakes and sessions that an app may hold; a further wake is illegal.
  private static let greatestNumberOfWakes: UInt16 = 60_000

  func canHoldMore(_ app: AppID) -> Bool {
    apps[app].otherAssertions < Engine.greatestNumberOfWakes
  }

  /// Admits a wake, with the identifier of its request if there is one: emits its decision, counts
  /// it towards its budgets and lets the app run.
  @discardableResult
  mutating func admit(
    _ kind: AssertionKind, from identifier: UInt32? = nil, for times: RunTimes? = nil, _ app: AppID,
    _ actions: inout ActionBuffer
  ) -> EventAnswer {
    precondition(
      apps[extras: app].lastWake < .max,
      "App \(app.rawValue) has had \(apps[extras: app].lastWake) wakes")
    apps[extras: app].lastWake += 1
    var wake = Assertion(began: now.nanoseconds, app: app, kind: kind)
    wake.wake = WakeID(rawValue: apps[extras: app].lastWake)
    if let identifier { (wake.label, wake.isRequested) = (identifier, true) }
    if apps[extras: app].handlesWakeExpiration { wake.handler = .present }
    actions.append(.decision(app, kind, wake: wake.wake, denied: [], next: nil))
    noteAdmission(kind, app)
    let place = hold(wake)
    if let times { assertions.giveTimes(times.within(rows[kind]), to: place) }
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

  mutating func deliverWake(_ place: Place<Assertion>, _ app: AppID, _ actions: inout ActionBuffer)
  {
    let kind = assertions[place].kind
    beginRun(place)
    call(app, .wake)
    apps[extras: app].delivered = DeliveredWake(id: assertions[place].wake, kind: kind)
    actions.append(.wakeBegan(app, AdmittedWake(assertions[place])))
  }

  /// The delivered wake that matches `choice`; nil if there is none.
  package func wake(_ choice: WakeChoice, of app: AppID) -> AdmittedWake? {
    chosen(choice, known(app)).map { AdmittedWake(assertions[$0]) }
  }

  private func chosen(_ choice: WakeChoice, _ app: AppID) -> Place<Assertion>? {
    guard apps[app].isRunning, apps[app].otherAssertions > 0 else { return nil }
    let choice = narrowed(choice, app)
    return oldest(of: app) { $0.isWake && $0.isRun && choice.means($0) }
  }

  /// During a wake's own delivery, the choice refers to that wake unless it names another
  /// (rule W6).
  private func narrowed(_ choice: WakeChoice, _ app: AppID) -> WakeChoice {
    guard [.wake, .wakeExpirationHandler].contains(apps[app].delivery), choice.id == nil,
      choice.identifier == nil
    else { return choice }
    var choice = choice
    let own = apps[extras: app].delivered
    if choice.kind ?? own.kind == own.kind { choice.id = own.id }
    return choice
  }

  /// Whether the wake with this number is among the last 16 that the app's process has completed.
  package func hasCompleted(_ id: WakeID, _ app: AppID) -> Bool {
    let choice = WakeChoice(id: id)
    return completedWakes.first(meantBy: choice, in: apps[extras: app].completed) != nil
  }

  /// Handles the completion of a wake that is already complete (rule W2).
  private mutating func completeAgain(
    _ earlier: CompletedWake, of app: AppID, _ actions: inout ActionBuffer
  ) {
    let wake = earlier.wake
    actions.append(.alreadyCompleted(app, wake, at: earlier.at))
    guard rows[wake.kind].completedTwice == .end else { return }
    terminate(app, EngineProcessEnd(reason: .abnormalExit, kind: wake.kind), &actions)
  }

  mutating func completeWake(
    _ choice: WakeChoice, _ result: WakeResult?, of app: AppID, _ actions: inout ActionBuffer
  ) {
    guard let place = chosen(choice, app) else {
      if apps[app].isRunning,
        let earlier = completedWakes.first(
          meantBy: narrowed(choice, app), in: apps[extras: app].completed)
      {
        return completeAgain(earlier, of: app, &actions)
      }
      return illegal(app, idleness(of: app) ?? .noWake, &actions)
    }
    let wake = AdmittedWake(assertions[place])
    actions.append(.wakeCompleted(app, wake))
    completedWakes.add(wake, at: now, to: &apps[extras: app].completed)
    if let result, rows[wake.kind].start == .opportunity { noteResult(result, of: wake.kind, app) }
    finish(place)
    runLoop(app, &actions)
  }

  /// Finishes a wake. Its assertion lingers as long as the policy says.
  private mutating func finish(_ place: Place<Assertion>) {
    let record = assertions[place]
    guard rows[record.kind].linger > .zero else { return end(place) }
    assertions[place].phase = .lingering
    noteRun(of: record)
    setTimer(of: place, at: rows[record.kind].lingerEnd(from: now))
    if record.isRequested { lookAgainAtRequests(of: record.app) }
  }

  // MARK: The warning (rule W6)

  mutating func deliverWakeExpiration(
    _ place: Place<Assertion>, _ id: WakeID, _ app: AppID, _ actions: inout ActionBuffer
  ) {
    // The wake was completed or ended before its turn.
    guard assertions.records.holds(place), assertions[place].app == app,
      assertions[place].wake == id
    else { return }
    guard assertions[place].handler == .present else {
      // The handler was removed. A handler that is set later is due at once.
      assertions[place].phase = .second
      return
    }
    call(app, .wakeExpirationHandler)
    apps[extras: app].delivered = DeliveredWake(id: id, kind: assertions[place].kind)
    let due = Instant(nanoseconds: assertions[place].began)
    actions.append(.wakeWarned(app, AdmittedWake(assertions[place]), due: due))
  }

  /// Sets or removes a wake's handler. A handler that is set after the warning is due at once.
  mutating func setWakeHandler(
    _ id: WakeID, _ handler: ExpirationHandler, of app: AppID, _ actions: inout ActionBuffer
  ) {
    guard apps[app].isRunning,
      let place = oldest(of: app, where: { $0.wake == id && $0.phase != .lingering })
    else {
      return illegal(app, idleness(of: app) ?? .noWake, &actions)
    }
    assertions[place].handler = handler
    guard assertions[place].isRun else { return }
    if assertions[place].isWarned {
      if assertions[place].phase == .second { assertions[place].began = now.nanoseconds }
      makeRunHandlerDue(place)
    } else {
      armRun(place, until: exhaustion(of: place))
    }
    runLoop(app, &actions)
  }

  /// Warns a wake whose condition no longer holds: now, or as soon as it is delivered.
  mutating func cutShort(_ place: Place<Assertion>) {
    assertions[place].isCutShort = true
    if assertions[place].isRun, !assertions[place].isWarned {
      armRun(place, until: exhaustion(of: place))
    }
  }
}
