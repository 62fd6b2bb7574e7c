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
    let answer = decide(kind, app, denied, next: next, &actions)
    if denied.isEmpty { admit(kind, app, &actions) }
    return answer
  }

  /// So many wakes of one app may wait or run; one more makes no sense.
  private static let greatestNumberOfWakes: UInt16 = 60_000

  func canHoldMore(_ app: AppID) -> Bool { apps[app].otherAssertions < Engine.greatestNumberOfWakes }

  /// Lets an app run for a wake that was admitted.
  mutating func admit(_ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer) {
    let place = hold(kind, for: app)
    if apps[app].state == .notRunning {
      apps[app].presence = .background
      enqueue(.lifecycle(.launchInBackground), app)
    } else if apps[app].state == .suspended {
      setState(.background, of: app, grant: policy.tasks.grantAfterWake, &actions)
      deliverKeptPosts(app, &actions)
    }
    enqueue(.wake(place), app)
    runLoop(app, &actions)
  }

  mutating func deliverWake(_ place: Place<Assertion>, _ app: AppID, _ actions: inout ActionBuffer) {
    let kind = assertions[place].kind
    assertions[place].phase = .second
    assertions[place].due = now.nanoseconds
    let length = assertions[place].endsOnDelivery ? .zero : rows[kind].length
    timers.arm(&assertions[place].timer, at: now + length, .assertion(place))
    call(app, .event)
    actions.append(.wakeBegan(app, kind))
  }

  mutating func completeWake(
    _ kind: AssertionKind?, _ result: WakeResult?, after older: UInt32, of app: AppID, _ actions: inout ActionBuffer
  ) {
    guard apps[app].isRunning, kind.map({ $0.class == .wake }) ?? true, let place = oldest(kind, .second, of: app, after: older)
    else { return illegal(app, &actions) }
    let completed = assertions[place].kind
    actions.append(.wakeCompleted(app, completed))
    if let result, rows[completed].traits.contains(.isPacedByResults) { noteFetchResult(result, app) }
    end(place)
    runLoop(app, &actions)
  }

  /// A wake's length is over. Off the background that only ends it.
  mutating func overrun(_ place: Place<Assertion>, _ actions: inout ActionBuffer) -> WakeRules.Overrun {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    actions.append(.wakeOverran(app, kind))
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
