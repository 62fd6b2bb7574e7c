/// Wakes (rules W1, W2): an event asks for an app to run.
extension Engine {
  @discardableResult
  mutating func deliver(_ kind: AssertionKind, to app: AppID, _ actions: inout ActionBuffer) -> Answer {
    guard kind.class == .wake else { return answerIllegal(app, &actions) }
    if apps[app].presence.isInFront {
      enqueue(.event(kind), app)
      runLoop(app, &actions)
      return .nothing
    }
    guard canHoldMore(app) else { return answerIllegal(app, &actions) }
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
    actions.append(.decision(app, kind, wake: wake.wake, denied: [], next: nil))
    if budgets.limitsAdmissions(kind) { note(BudgetUse(admissionOf: kind, at: now), app) }
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
    let length = assertions[place].endsOnDelivery ? .zero : rows[kind].length
    timers.arm(&assertions[place].timer, at: now + length, .assertion(place))
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
    if apps[app].delivery == .wake, choice.id == nil, choice.identifier == nil {
      let own = apps[extras: app].delivered
      if choice.kind ?? own.kind == own.kind { choice.id = own.id }
    }
    return oldest(of: app) { $0.kind.class == .wake && $0.phase == .second && choice.means($0) }
  }

  mutating func completeWake(_ choice: WakeChoice, _ result: WakeResult?, of app: AppID, _ actions: inout ActionBuffer) {
    guard let place = chosen(choice, app) else { return illegal(app, &actions) }
    let wake = AdmittedWake(assertions[place])
    actions.append(.wakeCompleted(app, wake))
    if let result, rows[wake.kind].traits.contains(.isPacedByResults) { noteFetchResult(result, app) }
    end(place)
    runLoop(app, &actions)
  }

  /// A wake's length is over. Off the background that only ends it.
  mutating func overrun(_ place: Place<Assertion>, _ actions: inout ActionBuffer) -> WakeRules.Overrun {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    actions.append(.wakeOverran(app, AdmittedWake(assertions[place])))
    if rows[kind].traits.contains(.isPacedByResults) { noteFetchResult(.failed, app) }
    let row = rows[kind]
    guard row.overrun == .kill, apps[app].state == .background else {
      end(place)
      return .drop
    }
    terminate(app, Termination(reason: .backgroundTaskAssertionTimeout, code: row.code, kind: kind), &actions)
    return .kill
  }
}
