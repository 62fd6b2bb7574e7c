/// What tasks, sessions and wakes have in common: a record in the app's chain, and counts.
extension Engine {
  /// Takes up a session or wake that was admitted.
  mutating func hold(_ assertion: Assertion) -> Place<Assertion> {
    let (app, kind) = (assertion.app, assertion.kind)
    let place = assertions.insert(assertion, into: &apps[app].assertions)
    apps[app].otherAssertions += 1
    if rows[kind].definesStart { apps[app].startDefining += 1 }
    if rows[kind].waitsForIdle { assertions.countIdleWake(1) }
    noteRank(app)
    updateClock(app)
    return place
  }

  /// Ends an assertion of whatever kind, and starts or stops the task clock as that demands. The caller lets the run loop go on.
  mutating func end(_ place: Place<Assertion>) {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    if kind == .finiteTask {
      apps[app].openTasks -= 1
      if assertions[place].lateVisit == apps[app].visit, apps[app].state == .background { apps[app].lateTasks += 1 }
    } else {
      apps[app].otherAssertions -= 1
      if rows[kind].definesStart { apps[app].startDefining -= 1 }
    }
    release(place, of: app)
    noteRank(app)
    if apps[app].openTasks == 0, apps[app].otherAssertions == 0 { apps[app].quietSince = now.nanoseconds }
    updateClock(app)
  }

  /// Gives the record back.
  mutating func release(_ place: Place<Assertion>, of app: AppID) {
    timers.disarm(&assertions[place].timer)
    let record = assertions[place]
    if record.isWake {
      if rows[record.kind].waitsForIdle { assertions.countIdleWake(-1) }
      assertions[place].phase = .lingering
      if record.isDelivered { noteRun(of: record) }
      // Another request of the identifier has waited for that.
      if record.isRequested { lookAgainAtRequests(of: app) }
    }
    assertions.remove(place, from: &apps[app].assertions)
  }

  /// A linger or a wake's length is over.
  mutating func assertionFired(_ place: Place<Assertion>, due: Instant, _ actions: inout ActionBuffer) {
    assertions[place].timer = .none
    let app = assertions[place].app
    if assertions[place].phase == .lingering {
      end(place)
    } else if isWarning(place) {
      warnOfEnd(place, due: due)
    } else if overrun(place, due: due, &actions) == .kill {
      return
    }
    runLoop(app, &actions)
  }

  /// The oldest assertion of an app of which that holds.
  func oldest(of app: AppID, where holds: (Assertion) -> Bool) -> Place<Assertion>? {
    assertions.records.first(in: apps[app].assertions, where: holds)
  }
}
