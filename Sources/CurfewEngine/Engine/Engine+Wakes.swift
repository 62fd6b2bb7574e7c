/// Wakes (rules W1, W2): an event asks for an app to run.
extension Engine {
  mutating func deliver(_ kind: AssertionKind, to app: UInt32, _ actions: inout ActionBuffer) {
    guard kind.class == .wake else { return illegal(app, &actions) }
    if apps[app].presence.isInFront {
      enqueue(RunLoopItem(kind: .event, eventKind: kind), app)
      return runLoop(app, &actions)
    }
    guard canHoldMore(app) else { return illegal(app, &actions) }
    let (denied, next) = denialsAndBudget(kind, app)
    decide(kind, app, denied, next: next, &actions)
    if denied.isEmpty { admit(kind, app, &actions) }
  }

  /// So many wakes of one app may wait or run; one more makes no sense.
  private static let greatestNumberOfWakes: UInt16 = 60_000

  func canHoldMore(_ app: UInt32) -> Bool { apps[app].otherAssertions < Engine.greatestNumberOfWakes }

  /// Lets an app run for a wake that was admitted.
  mutating func admit(_ kind: AssertionKind, _ app: UInt32, _ actions: inout ActionBuffer) {
    let slot = hold(kind, for: app)
    let item = RunLoopItem(assertion: slot, kind: .wake)
    if apps[app].state == .notRunning {
      apps[app].presence = .background
      enqueue(.launchInBackground, app)
    } else if apps[app].state == .suspended {
      setState(.background, of: app, grant: policy.tasks.grantAfterWake, &actions)
      deliverKeptPosts(app, &actions)
    }
    enqueue(item, app)
    runLoop(app, &actions)
  }

  mutating func deliverWake(_ item: RunLoopItem, _ app: UInt32, _ actions: inout ActionBuffer) {
    let slot = item.assertion
    let kind = assertions[slot].kind
    assertions[slot].phase = .second
    assertions[slot].due = now.nanoseconds
    let length = assertions[slot].endsOnDelivery ? .zero : rows[Int(kind.rawValue)].length
    timers.arm(&assertions[slot].timer, at: now + length, .assertion(slot))
    apps[app].delivery = .event
    actions.append(.wakeBegan(AppID(rawValue: app), kind))
  }

  mutating func completeWake(
    _ kind: AssertionKind?, _ result: WakeResult?, after older: UInt32, of app: UInt32, _ actions: inout ActionBuffer
  ) {
    guard apps[app].isRunning, kind.map({ $0.class == .wake }) ?? true, let slot = oldest(kind, .second, of: app, after: older)
    else { return illegal(app, &actions) }
    let completed = assertions[slot].kind
    actions.append(.wakeCompleted(AppID(rawValue: app), completed))
    if completed == .fetch, let result { noteFetchResult(result, app) }
    end(slot)
    runLoop(app, &actions)
  }

  /// A wake's length is over. Off the background that only ends it.
  mutating func overrun(_ slot: UInt32, _ actions: inout ActionBuffer) -> WakeRules.Overrun {
    let (app, kind) = (assertions[slot].app, assertions[slot].kind)
    actions.append(.wakeOverran(AppID(rawValue: app), kind))
    if kind == .fetch { noteFetchResult(.failed, app) }
    let row = rows[Int(kind.rawValue)]
    guard row.overrun == .kill, apps[app].state == .background else {
      end(slot)
      return .drop
    }
    terminate(app, Termination(reason: .backgroundTaskAssertionTimeout, code: row.code, kind: kind), &actions)
    return .kill
  }
}
