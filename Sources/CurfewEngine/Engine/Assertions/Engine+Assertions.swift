/// What tasks, sessions and wakes have in common: a record in the app's chain, and counts.
extension Engine {
  /// Takes up a session or wake that was admitted.
  mutating func hold(_ assertion: Assertion) -> Place<Assertion> {
    let (app, kind) = (assertion.app, assertion.kind)
    let place = assertions.insert(assertion, into: &apps[app].assertions)
    if rows[kind].waitsForIdle { assertions.countIdleWake(1) }
    beginHolding(kind, app)
    return place
  }

  /// A session or a wake keeps its app running from now on.
  mutating func beginHolding(_ kind: AssertionKind, _ app: AppID) {
    apps[app].otherAssertions += 1
    if rows[kind].definesStart { apps[app].startDefining += 1 }
    noteRank(app)
    updateClock(app)
  }

  /// Ends an assertion of whatever kind, and starts or stops the task clock as that demands. The
  /// caller lets the run loop go on.
  mutating func end(_ place: Place<Assertion>) {
    let record = assertions[place]
    let app = record.app
    if record.kind == .finiteTask {
      apps[app].openTasks -= 1
      if record.lateVisit == apps[app].visit, apps[app].state == .background {
        apps[app].lateTasks += 1
      }
    }
    release(place, of: app)
    if record.kind == .finiteTask {
      haveLetGo(of: app)
    } else if record.holds {
      endHolding(record.kind, app)
    }
  }

  /// A session or a wake keeps its app running no more.
  mutating func endHolding(_ kind: AssertionKind, _ app: AppID) {
    apps[app].otherAssertions -= 1
    if rows[kind].definesStart { apps[app].startDefining -= 1 }
    haveLetGo(of: app)
  }

  private mutating func haveLetGo(of app: AppID) {
    noteRank(app)
    if apps[app].openTasks == 0, apps[app].otherAssertions == 0 {
      apps[app].quietSince = now.nanoseconds
    }
    updateClock(app)
  }

  /// Gives the record back.
  mutating func release(_ place: Place<Assertion>, of app: AppID) {
    clearTimer(of: place)
    let record = assertions[place]
    if record.kind != .finiteTask {
      if rows[record.kind].waitsForIdle { assertions.countIdleWake(-1) }
      assertions[place].phase = .lingering
      if record.isRun { noteRun(of: record) }
      // Another request of the identifier has waited for that.
      if record.isRequested { lookAgainAtRequests(of: app) }
    }
    assertions.remove(place, from: &apps[app].assertions)
  }

  /// A linger or a deferral is over, or a run is to be warned, or is over.
  mutating func assertionFired(
    _ place: Place<Assertion>, due: Instant, _ actions: inout ActionBuffer
  ) {
    if assertions[place].isRenewed { assertions.countRenewal(-1) }
    assertions[place].timer = .none
    let app = assertions[place].app
    switch assertions[place].phase {
    case .lingering, .stoppedDeferred: end(place)
    case .deferred: renewSession(place, &actions)
    case .fresh, .second, .called, .told:
      if isWarning(place) {
        warnOfEnd(place, due: due)
      } else if overrun(place, due: due, &actions) {
        return
      }
    }
    runLoop(app, &actions)
  }

  // MARK: Its deadline

  /// One deadline: a run's warning or its end, or the end of a linger or of a deferral.
  mutating func setTimer(of place: Place<Assertion>, at instant: Instant) {
    if assertions[place].timer == .none, assertions[place].isRenewed { assertions.countRenewal(1) }
    timers.arm(&assertions[place].timer, at: instant, .assertion(place))
  }

  mutating func clearTimer(of place: Place<Assertion>) {
    if assertions[place].timer != .none, assertions[place].isRenewed { assertions.countRenewal(-1) }
    timers.disarm(&assertions[place].timer)
  }

  /// The oldest assertion of an app of which that holds.
  func oldest(of app: AppID, where holds: (Assertion) -> Bool) -> Place<Assertion>? {
    assertions.records.first(in: apps[app].assertions, where: holds)
  }
}
