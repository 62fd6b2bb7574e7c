extension Engine {
  mutating func beginTask(_ app: UInt32, _ label: UInt32, _ handler: ExpirationHandler, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    let id = AppID(rawValue: app)
    let denied = denialsOfTask(app)
    guard denied.isEmpty else {
      actions.append(.decision(id, .finiteTask, denied: denied))
      return actions.append(.taskBegan(id, .invalid(label: label)))
    }
    apps[app].lastTask += 1
    var task = Assertion(began: now.nanoseconds, app: app, process: apps[app].process, kind: .finiteTask)
    task.id = apps[app].lastTask
    task.label = label
    task.handler = handler
    task.isLate = apps[app].state == .background && apps[app].flags.contains(.warned)
    let slot = insert(task)
    apps[app].openTasks += 1
    linkByAge(slot)
    actions.append(.taskBegan(id, self.task(at: slot)))
    if apps[app].openTasks + apps[app].lateTasks > policy.tasks.limit {
      return terminate(app, Termination(reason: .tooManyBackgroundTasks, code: policy.tasks.limitCode), &actions)
    }
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

  /// When the oldest open task will be worth a diagnostic. All tasks wait equally long, so the oldest is always the next:
  /// a list in the order of their beginnings does what a deadline for each would.
  @inline(__always)
  var nextAgeWarning: Instant? {
    guard oldestTask != .max, let age = policy.tasks.ageWarning else { return nil }
    return Instant(nanoseconds: assertions[oldestTask].began) + age
  }

  mutating func warnOfAge(_ actions: inout ActionBuffer) {
    let slot = oldestTask
    unlinkByAge(slot)
    actions.append(.diagnostic(.taskTooOld, AppID(rawValue: assertions[slot].app), task(at: slot)))
  }

  private mutating func linkByAge(_ slot: UInt32) {
    guard policy.tasks.ageWarning != nil else { return }
    assertions[slot].older = youngestTask
    if youngestTask == .max { oldestTask = slot } else { assertions[youngestTask].newer = slot }
    youngestTask = slot
  }

  mutating func unlinkByAge(_ slot: UInt32) {
    let (older, newer) = (assertions[slot].older, assertions[slot].newer)
    guard older != .max || newer != .max || oldestTask == slot else { return }
    if older == .max { oldestTask = newer } else { assertions[older].newer = newer }
    if newer == .max { youngestTask = older } else { assertions[newer].older = older }
    (assertions[slot].older, assertions[slot].newer) = (.max, .max)
  }
}
