extension Engine {
  mutating func beginTask(_ app: UInt32, _ label: UInt32, _ handler: ExpirationHandler, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    let id = AppID(rawValue: app)
    let denied = denialsOfTask(app)
    guard denied.isEmpty else {
      actions.append(.decision(id, .finiteTask, denied: denied, next: nil))
      return actions.append(.taskBegan(id, .invalid(label: label)))
    }
    precondition(apps[app].lastTask < .max, "App \(app) has begun \(apps[app].lastTask) tasks in one process")
    apps[app].lastTask += 1
    var task = Assertion(began: now.nanoseconds, app: app, process: apps[app].process, kind: .finiteTask)
    task.id = apps[app].lastTask
    task.label = label
    task.handler = handler
    if isPastWarning(app) { task.lateVisit = apps[app].visit }
    let slot = insert(task)
    apps[app].openTasks += 1
    if policy.tasks.ageWarning != nil {
      if tasksByAge.isFull { tasksByAge.makeRoom(&assertions) }
      assertions[slot].isInAgeLine = true
      assertions[slot].agePlace = tasksByAge.append(slot)
    }
    actions.append(.taskBegan(id, self.task(at: slot)))
    if UInt32(apps[app].openTasks) + UInt32(apps[app].lateTasks) > policy.tasks.limit {
      return terminate(app, Termination(reason: .tooManyBackgroundTasks, code: policy.tasks.limitCode), &actions)
    }
    if apps[app].flags.isSuperset(of: [.clockRuns, .warned]) { makeHandlerDue(slot, at: now) }
    updateClock(app)
    runLoop(app, &actions)
  }

  mutating func endTask(_ task: BackgroundTask, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    guard task.id != .invalid else { return }
    let id = AppID(rawValue: app)
    guard isOpen(task, of: app) else { return actions.append(.diagnostic(.unknownTask, id, task)) }
    actions.append(.taskEnded(id, task))
    end(task.slot)
    runLoop(app, &actions)
  }

  /// Whether an app holds a task.
  package func isOpen(_ task: BackgroundTask, of app: AppID) -> Bool { isOpen(task, of: index(app)) }

  private func isOpen(_ task: BackgroundTask, of app: UInt32) -> Bool {
    guard task.slot < assertions.used, task.process == apps[app].process else { return false }
    let record = assertions[task.slot]
    return record.app == app && record.id == task.id.rawValue && record.process == task.process
  }

  func task(at slot: UInt32) -> BackgroundTask {
    BackgroundTask(
      id: TaskID(rawValue: assertions[slot].id), label: assertions[slot].label, slot: slot, process: assertions[slot].process)
  }

  // MARK: Age

  /// When the oldest open task will be worth a diagnostic. All tasks wait equally long, so the oldest is always the next: a line in the
  /// order of their beginnings does what a deadline for each would.
  @inline(__always)
  var nextAgeWarning: Instant? {
    guard let oldest = tasksByAge.first, let age = policy.tasks.ageWarning else { return nil }
    return Instant(nanoseconds: assertions[oldest].began) + age
  }

  mutating func warnOfAge(_ actions: inout ActionBuffer) {
    guard let slot = tasksByAge.first else { return }
    leaveAgeLine(slot)
    actions.append(.diagnostic(.taskTooOld, AppID(rawValue: assertions[slot].app), task(at: slot)))
  }

  mutating func leaveAgeLine(_ slot: UInt32) {
    guard assertions[slot].isInAgeLine else { return }
    assertions[slot].isInAgeLine = false
    tasksByAge.remove(at: assertions[slot].agePlace)
  }
}
