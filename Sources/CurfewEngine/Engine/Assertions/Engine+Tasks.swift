extension Engine {
  /// - Parameter denial: Receives the decision that denies the task.
  /// - Returns: The task; nil if none is open.
  mutating func beginTask(
    _ app: AppID, _ label: UInt32, _ handler: ExpirationHandler, _ denial: inout EventAnswer,
    _ actions: inout ActionBuffer
  ) -> BackgroundTask? {
    guard apps[app].isRunning else {
      illegal(app, &actions)
      return nil
    }
    let denied = denialsOfTask(app)
    guard denied.isEmpty else {
      actions.append(.decision(app, .finiteTask, denied: denied, next: nil))
      actions.append(.taskBegan(app, .invalid(label: label)))
      denial = .decision(.finiteTask, denied: denied, next: nil)
      return nil
    }
    precondition(
      apps[app].lastTask < .max,
      "App \(app.rawValue) has begun \(apps[app].lastTask) tasks in one process")
    apps[app].lastTask += 1
    var task = Assertion(began: now.nanoseconds, app: app, kind: .finiteTask)
    task.id = TaskID(rawValue: apps[app].lastTask)
    task.label = label
    task.handler = handler
    if isPastWarning(app) { task.lateVisit = apps[app].visit }
    let place = assertions.insert(task, into: &apps[app].assertions)
    apps[app].openTasks += 1
    endBusyWatch(app)
    assertions.enterAgeLine(place)
    let begun = self.task(at: place)
    actions.append(.taskBegan(app, begun))
    if UInt32(apps[app].openTasks) + UInt32(apps[app].lateTasks) > policy.tasks.limit {
      terminate(
        app, EngineProcessEnd(reason: .tooManyBackgroundTasks, code: policy.tasks.limitCode),
        &actions)
      return nil
    }
    if apps[app].flags.isSuperset(of: [.clockRuns, .warned]) { makeHandlerDue(place, at: now) }
    updateClock(app)
    runLoop(app, &actions)
    return begun
  }

  mutating func endTask(_ task: BackgroundTask, of app: AppID, _ actions: inout ActionBuffer) {
    // With many apps, each of these loads waits for memory. They are begun as soon as their
    // addresses are known, so that they wait together.
    assertions.prefetch(task.place)
    guard apps[app].isRunning else { return illegal(app, &actions) }
    let clock = apps[app].clockTimer
    if clock != .none { timers.prefetchPlace(of: clock) }
    guard task.id != .invalid else { return }
    guard isOpen(task, of: app) else { return actions.append(.diagnostic(.unknownTask, app, task)) }
    if clock != .none {
      assertions.prefetchSeat(of: task.place)
      timers.prefetch(clock)
    }
    actions.append(.taskEnded(app, task))
    end(task.place)
    takeItems(app, &actions)
  }

  /// Whether an app holds this task open.
  func isOpen(_ task: BackgroundTask, of app: AppID) -> Bool {
    task.process == apps[app].process && assertions.holds(task.id, at: task.place, of: app)
  }

  func task(at place: Place<Assertion>) -> BackgroundTask {
    BackgroundTask(assertions[place], at: place, process: apps[assertions[place].app].process)
  }

  mutating func warnOfAge(_ actions: inout ActionBuffer) {
    guard let place = assertions.popOldestTask() else { return }
    actions.append(.diagnostic(.taskTooOld, assertions[place].app, task(at: place)))
  }
}
