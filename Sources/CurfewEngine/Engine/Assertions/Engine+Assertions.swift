/// The common parts of tasks, sessions and wakes: a record in the app's chain, and counts.
extension Engine {
  /// Holds a session or wake that was admitted.
  mutating func hold(_ assertion: Assertion) -> Place<Assertion> {
    let (app, kind) = (assertion.app, assertion.kind)
    let place = assertions.insert(assertion, into: &apps[app].assertions)
    if rows[kind].waitsForIdle { assertions.countIdleWake(1) }
    beginHolding(kind, app)
    return place
  }

  /// Counts a session or a wake that keeps its app running from now on.
  mutating func beginHolding(_ kind: AssertionKind, _ app: AppID) {
    apps[app].otherAssertions += 1
    endBusyWatch(app)
    if rows[kind].definesStart { apps[app].startDefining += 1 }
    noteRank(app)
    updateClock(app)
  }

  /// Ends an assertion of any kind and starts or stops the task clock if necessary. The caller must
  /// call `runLoop` afterwards.
  mutating func end(_ place: Place<Assertion>) {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    if kind == .finiteTask {
      apps[app].openTasks -= 1
      if assertions[place].lateVisit == apps[app].visit, apps[app].state == .background {
        apps[app].lateTasks += 1
      }
      release(place, of: app)
      haveLetGo(of: app)
    } else {
      let holds = assertions[place].holds
      release(place, of: app)
      if holds { endHolding(kind, app) }
    }
  }

  /// Stops counting a session or a wake that no longer keeps its app running.
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

  /// Ends the assertion's run, if the assertion is a run, and frees its record.
  mutating func release(_ place: Place<Assertion>, of app: AppID) {
    clearTimer(of: place)
    if assertions[place].kind != .finiteTask {
      let record = assertions[place]
      if rows[record.kind].waitsForIdle { assertions.countIdleWake(-1) }
      assertions[place].phase = .lingering
      if record.isRun { noteRun(of: record) }
      // Another request with the same identifier may have waited for this end.
      if record.isRequested { lookAgainAtRequests(of: app) }
    }
    assertions.remove(place, from: &apps[app].assertions)
  }

  /// Handles an assertion's deadline: the end of a linger or of a deferral, or a run's warning
  /// or end.
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
      } else if endsAtWarning(place) {
        endUnhandled(place, &actions)
      } else if overrun(place, due: due, &actions) {
        return
      }
    }
    runLoop(app, &actions)
  }

  // MARK: Deadline

  /// Sets an assertion's only deadline: a run's warning or end, or the end of a linger or of
  /// a deferral.
  mutating func setTimer(of place: Place<Assertion>, at instant: Instant) {
    if assertions[place].timer == .none, assertions[place].isRenewed { assertions.countRenewal(1) }
    timers.arm(&assertions[place].timer, at: instant, .assertion(place))
  }

  mutating func clearTimer(of place: Place<Assertion>) {
    if assertions[place].timer != .none, assertions[place].isRenewed { assertions.countRenewal(-1) }
    timers.disarm(&assertions[place].timer)
  }

  /// The oldest assertion of an app for which `holds` is true.
  func oldest(of app: AppID, where holds: (Assertion) -> Bool) -> Place<Assertion>? {
    assertions.records.first(in: apps[app].assertions, where: holds)
  }
}
