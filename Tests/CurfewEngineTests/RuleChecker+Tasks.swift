import CurfewEngine

/// Tasks (rules F).
extension RuleChecker {
  /// Rule F5: while the clock runs with no more than the warning left, every handler that was
  /// not due in this visit becomes due.
  mutating func warn(_ app: Int) {
    guard clockRuns(apps[app]), apps[app].remaining <= policy.tasks.warning else { return }
    if !apps[app].isWarned {
      let visit = apps[app].visit
      apps[app].warned = Set(
        apps[app].tasks.filter { $0.handler == .present && [nil, visit].contains($0.callVisit) }
          .map(\.id))
    }
    apps[app].isWarned = true
    for task in apps[app].tasks.indices where apps[app].tasks[task].due?.visit != apps[app].visit {
      apps[app].tasks[task].due = (now, apps[app].visit, apps[app].reason)
    }
  }

  mutating func noteExpiration(
    _ task: BackgroundTask, _ reason: ExpirationReason, _ due: Instant, _ app: Int
  ) {
    demand(due <= now && due >= apps[app].visitBegan, "a handler was due at \(due.text)")
    demand(
      apps[app].remaining <= policy.tasks.warning,
      "a handler was called with \(apps[app].remaining.nanoseconds) ns left")
    if let last = apps[app].lastExpiration, last.due == due {
      demand(task.id.rawValue > last.id, "handlers are out of order")
    }
    apps[app].lastExpiration = (due, task.id.rawValue)
    guard let index = apps[app].tasks.firstIndex(where: { $0.id == task.id.rawValue }) else {
      return demand(false, "the handler of a task that is not open was called")
    }
    demand(
      !apps[app].tasks[index].isCalled && apps[app].tasks[index].handler == .present,
      "a handler was called that should not have been")
    let known = apps[app].tasks[index].due.flatMap { $0.visit == apps[app].visit ? $0 : nil }
    let (expected, why) = (known?.at ?? now, known?.reason ?? apps[app].reason)
    demand(
      !isPunctual || due == expected, "a handler was due at \(expected.text), not at \(due.text)")
    demand(reason == why, "a handler got the reason \(reason), not \(why)")
    (apps[app].tasks[index].isCalled, apps[app].tasks[index].callVisit) = (true, apps[app].visit)
  }

  // MARK: Open tasks (rule F6)

  /// Whether a handler that was due with the warning is yet to be called, or to return.
  private func isExpiring(_ app: App) -> Bool {
    if case .expiration(_, let task, _, _) = app.owed, app.warned.contains(task.id.rawValue) {
      return true
    }
    return app.tasks.contains { app.warned.contains($0.id) && !$0.isCalled }
  }

  mutating func noteStillOpen(_ count: Int, _ id: AppID) {
    let app = apps[Int(id.rawValue)]
    demand(app.isTold != true, "\(id.text)'s open tasks were reported again")
    demand(
      count == app.tasks.count && count > 0,
      "\(count) tasks were reported as open, not \(app.tasks.count)")
    if app.isWarned {
      demand(
        !isExpiring(app),
        "\(id.text)'s open tasks were reported before the last handler had returned")
    } else {
      demand(
        clockRuns(app) && app.remaining <= policy.tasks.warning,
        "\(id.text)'s open tasks were reported before its warning")
      demand(
        app.tasks.allSatisfy { $0.handler == .absent || $0.isCalled },
        "\(id.text)'s open tasks were reported although it has handlers")
    }
    apps[Int(id.rawValue)].isTold = true
    mustLeak = (id, app.tasks)
  }

  /// After a call: if nothing is open, nothing is reported now or later.
  mutating func settleStillOpen(_ app: Int) {
    let record = apps[app]
    guard record.isWarned, record.isTold == false, record.tasks.isEmpty, !isExpiring(record) else {
      return
    }
    apps[app].isTold = record.owed == nil ? true : nil
  }

  /// Between steps: for an app that was warned and called, the open tasks have been reported.
  func checkStillOpen(_ app: App, _ id: AppID) {
    guard app.isWarned, app.isTold == false, app.owed == nil, !isExpiring(app), !app.tasks.isEmpty
    else { return }
    demand(false, "\(id.text)'s open tasks were not reported")
  }

  mutating func noteBegin(_ task: BackgroundTask, _ app: Int) {
    guard case .beginTask(_, let label, let handler) = event else {
      return demand(false, "a task began by itself")
    }
    demand(task.label == label, "a label was not kept")
    demand(
      (task.id == .invalid) == (decisions == 1),
      "a begin was answered \(task.id.rawValue) after \(decisions) denials")
    guard task.id != .invalid else { return }
    let (denied, isUnclear) = taskDenials(app)
    demand(denied.isEmpty || isUnclear, "a task began in spite of \(denied.text)")
    demand(
      task.id.rawValue == apps[app].lastTask + 1,
      "task \(task.id.rawValue) after \(apps[app].lastTask)")
    apps[app].lastTask = task.id.rawValue
    var new = Task(id: task.id.rawValue, began: now, handler: handler)
    if isPastWarning(app) { new.lateVisit = apps[app].visit }
    apps[app].tasks.append(new)
  }

  /// Rule F7: whether a task begun now gains no time.
  func isPastWarning(_ app: Int) -> Bool {
    let isCutShort = !clockRuns(apps[app]) && apps[app].remaining <= policy.tasks.warning
    return apps[app].state == .background && (apps[app].isWarned || isCutShort)
  }

  /// Reasons that deny a task, and whether its lateness depends on which deadline of this instant
  /// came first.
  func taskDenials(_ app: Int) -> (DenialReasons, isUnclear: Bool) {
    var denied: DenialReasons = policy.multitasking ? [] : .noMultitasking
    if policy.tasks.refreshGate == .seedStrict {
      denied.formUnion(facts(app).intersection(.refresh))
    }
    guard policy.tasks.lateBegin == .invalid, isPastWarning(app) else { return (denied, false) }
    let isUnclear =
      clockRuns(apps[app]) && (!isPunctual || apps[app].remaining == policy.tasks.warning)
    return (denied.union(.budget), isUnclear)
  }

  mutating func noteTaskEnd(_ task: BackgroundTask, _ app: Int) {
    guard let index = apps[app].tasks.firstIndex(where: { $0.id == task.id.rawValue }) else {
      return demand(false, "a task ended, but was not open")
    }
    let ended = apps[app].tasks.remove(at: index)
    if ended.lateVisit == apps[app].visit, apps[app].state == .background {
      apps[app].lateEnds += 1
    }
    settleQuiet(app, at: now)
  }
}
