/// Long-running modes (rules L1–L3).
extension Engine {
  @discardableResult
  mutating func startSession(_ kind: AssertionKind, of app: AppID, _ actions: inout ActionBuffer) -> Answer {
    let existing = oldest(of: app) { $0.kind == kind }
    let isOn = existing.map { assertions[$0].phase == .fresh } ?? false
    guard apps[app].isRunning, rows.known(kind).class == .session, !isOn else {
      return answerIllegal(app, idleness(of: app) ?? (isOn ? .sessionOn : .otherKind), &actions)
    }
    let denied = denialsOfSession(kind, app)
    actions.append(.decision(app, kind, denied: denied, next: nil))
    actions.append(.session(app, kind, denied.isEmpty ? .began : .denied))
    let answer = Answer.decision(kind, denied: denied, next: nil)
    guard denied.isEmpty else { return answer }
    if let existing {
      // Within its linger it begins again; the assertion never ended.
      assertions[existing].phase = .fresh
      timers.disarm(&assertions[existing].timer)
    } else {
      _ = hold(Assertion(began: now.nanoseconds, app: app, kind: kind))
    }
    runLoop(app, &actions)
    return answer
  }

  mutating func stopSession(_ kind: AssertionKind, of app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, rows.known(kind).class == .session,
      let place = oldest(of: app, where: { $0.kind == kind && $0.phase == .fresh })
    else {
      return illegal(app, idleness(of: app) ?? .noSession, &actions)
    }
    stop(place, kind, app, &actions)
    runLoop(app, &actions)
  }

  /// The session is over; its assertion lingers as long as the policy says.
  mutating func stop(_ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer) {
    actions.append(.session(app, kind, .ended))
    guard rows[kind].linger > .zero else { return end(place) }
    assertions[place].phase = .lingering
    timers.arm(&assertions[place].timer, at: rows[kind].lingerEnd(from: now), .assertion(place))
  }
}
