extension Engine {
  /// Walks the whole engine, component by component, and traps if an invariant is broken.
  /// For tests.
  /// - Complexity: O(apps + assertions + deadlines).
  package func checkInvariants() {
    timers.checkInvariants()
    var (held, idle, renewed, waiting, called) = (0, 0, 0, 0, 0)
    for app in apps.ids {
      checkAssertions(of: app, &held, &idle, &renewed)
      check(app)
      waiting += items.count(apps[app].items.records)
      called += apps[app].delivery == .none ? 0 : 1
    }
    assertions.checkInvariants(idle: idle, held: held, renewed: renewed)
    precondition(waiting == items.count, "\(items.count - waiting) run loop items belong to no app")
    precondition(called == calls, "\(calls) apps are counted as called, \(called) are")
    apps.checkInvariants()
    foreground.checkInvariants(apps)
    lock.checkInvariants(inFront: foreground.count)
    schedules.checkInvariants(apps, requests)
    budgets.checkInvariants(apps)
    requests.checkInvariants(apps)
    notifications.checkInvariants(apps)
    posts.checkInvariants(apps)
    completedWakes.checkInvariants(apps)
    processor.checkInvariants(apps)
    memory.checkInvariants(apps)
  }

  private func check(_ app: AppID) {
    let (record, name) = (apps[app], "app \(app.rawValue)")
    let runs = record.state == .background && record.openTasks > 0 && record.startDefining == 0
    precondition(
      record.flags.contains(.clockRuns) == runs,
      "\(name)'s clock should \(runs ? "run" : "stand still")")
    precondition(
      (record.clockTimer != .none) == (runs || isBusyWithoutAssertion(app)),
      "\(name)'s clock, the watch over its run loop and their deadline disagree")
    precondition(!runs || record.clock >= now.nanoseconds, "\(name)'s grant ended in the past")
    let isIdle = record.openTasks == 0 && record.otherAssertions == 0 && record.delivery == .none
    precondition(record.state != .notRunning || isIdle, "\(name) has no process, but is not idle")
    precondition(record.state != .suspended || isIdle, "\(name) was suspended too early")
    precondition(
      (apps[extras: app].locks > 0) == record.flags.contains(.holdsLock),
      "\(name)'s locks are wrong")
    precondition(limits.pending?.app != app || record.timer == .none, "\(name) has two limits")
  }

  private func checkAssertions(
    of app: AppID, _ held: inout Int, _ idle: inout Int, _ renewed: inout Int
  ) {
    var (tasks, others, defining) = (UInt16(0), UInt16(0), UInt16(0))
    var (previous, lastTask) = (apps[app].assertions.last, TaskID.invalid)
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let assertion = assertions[place]
      precondition(
        assertion.app == app && assertion.previous == previous,
        "app \(app.rawValue)'s assertions are broken")
      if assertion.kind == .finiteTask {
        precondition(assertion.id > lastTask, "app \(app.rawValue)'s tasks are out of order")
        lastTask = assertion.id
        tasks += 1
      } else if assertion.holds {
        others += 1
        if rows[assertion.kind].waitsForIdle { idle += 1 }
        if rows[assertion.kind].definesStart { defining += 1 }
      } else {
        precondition(
          assertion.timer != .none && apps[app].state != .inactive,
          "app \(app.rawValue)'s session is deferred forever")
      }
      held += 1
      if assertion.isRenewed, assertion.timer != .none { renewed += 1 }
      previous = place
    }
    let isCounted =
      (apps[app].openTasks, apps[app].otherAssertions, apps[app].startDefining) == (
        tasks, others, defining
      )
    precondition(isCounted, "app \(app.rawValue)'s counts are wrong")
  }
}
