/// Long-running modes (rules L1–L3).
extension Engine {
  mutating func startSession(_ kind: AssertionKind, of app: AppID, _ actions: inout ActionBuffer) {
    let existing = oldest(kind, nil, of: app)
    let isOn = existing.map { assertions[$0].phase == .fresh } ?? false
    guard apps[app].isRunning, kind.class == .session, !isOn else { return illegal(app, &actions) }
    let denied = denialsOfSession(kind, app)
    decide(kind, app, denied, next: nil, &actions)
    guard denied.isEmpty else { return actions.append(.session(app, kind, .denied)) }
    actions.append(.session(app, kind, .began))
    if let existing {
      // Within its linger it begins again; the assertion never ended.
      assertions[existing].phase = .fresh
      timers.disarm(&assertions[existing].timer)
    } else {
      _ = hold(kind, for: app)
    }
    runLoop(app, &actions)
  }

  mutating func stopSession(_ kind: AssertionKind, of app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, kind.class == .session, let place = oldest(kind, .fresh, of: app) else { return illegal(app, &actions) }
    stop(place, kind, app, &actions)
    runLoop(app, &actions)
  }

  /// The session is over; its assertion lingers as long as the policy says.
  mutating func stop(_ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer) {
    actions.append(.session(app, kind, .ended))
    let linger = rows[kind].linger
    if linger > .zero {
      assertions[place].phase = .second
      timers.arm(&assertions[place].timer, at: now + linger, .assertion(place))
    } else {
      end(place)
    }
  }
}
