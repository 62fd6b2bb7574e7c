/// Long-running modes (rules L1–L3).
extension Engine {
  mutating func startSession(_ kind: AssertionKind, of app: UInt32, _ actions: inout ActionBuffer) {
    let existing = oldest(kind, nil, of: app)
    let isOn = existing.map { assertions[$0].phase == .fresh } ?? false
    guard apps[app].isRunning, kind.class == .session, !isOn else { return illegal(app, &actions) }
    let id = AppID(rawValue: app)
    let denied = denialsOfSession(kind, app)
    actions.append(.decision(id, kind, denied: denied, next: nil))
    guard denied.isEmpty else { return actions.append(.session(id, kind, .denied)) }
    actions.append(.session(id, kind, .began))
    if let existing {
      // Within its linger it begins again; the assertion never ended.
      assertions[existing].phase = .fresh
      timers.disarm(&assertions[existing].timer)
    } else {
      _ = hold(kind, for: app)
    }
    runLoop(app, &actions)
  }

  mutating func stopSession(_ kind: AssertionKind, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, kind.class == .session, let slot = oldest(kind, .fresh, of: app) else { return illegal(app, &actions) }
    stop(slot, kind, app, &actions)
    runLoop(app, &actions)
  }

  /// The session is over; its assertion lingers as long as the policy says.
  mutating func stop(_ slot: UInt32, _ kind: AssertionKind, _ app: UInt32, _ actions: inout ActionBuffer) {
    actions.append(.session(AppID(rawValue: app), kind, .ended))
    let linger = rows[Int(kind.rawValue)].linger
    if linger > .zero {
      assertions[slot].phase = .second
      timers.arm(&assertions[slot].timer, at: now + linger, .assertion(slot))
    } else {
      end(slot)
    }
  }
}
