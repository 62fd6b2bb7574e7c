extension Engine {
  mutating func forceQuit(_ app: AppID, _ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    guard exists(app) else { return illegal(app, &actions) }
    let isLeaving = apps[app].presence == .terminating
    let isNews = !apps[app].flags.contains(.forceQuit)
    apps[app].flags.insert(.forceQuit)
    lookAgainAtRequests(of: app)
    // An app that is already terminating, perhaps by a purge, is not notified again; but nothing
    // may launch it from now on.
    guard !isLeaving else { return isNews ? () : illegal(app, .terminating, &actions) }
    if apps[app].state == .suspended {
      return terminate(app, EngineProcessEnd(reason: .userForceQuit), &actions)
    }
    releaseFront(app)
    apps[app].reasons.quit = .userForceQuit
    perform(.forceQuit, on: app, &actions)
  }

  mutating func reboot(_ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    for app in apps.ids {
      if apps[app].state != .notRunning {
        terminate(app, EngineProcessEnd(reason: .reboot), &actions)
      }
      apps[app].flags.remove(.forceQuit)
    }
    lock.reboot()
    lookAgainAtAllRequests()
    presenceHasChanged()
  }

  // MARK: Removal (rule A12)

  /// Whether an app has not been removed.
  func exists(_ app: AppID) -> Bool { apps[app].presence != .removed }

  /// Whether an app has been removed.
  package func isRemoved(_ app: AppID) -> Bool { !exists(known(app)) }

  /// Whether an app exists and is not running.
  package func isRemovable(_ app: AppID) -> Bool {
    apps[known(app)].presence == .notRunning && apps[app].state == .notRunning
  }

  /// Removes an app's records. Only its number remains.
  /// - Complexity: O(records of the app + identifiers permitted to all apps + names that have
  ///   been posted).
  mutating func removeApp(_ app: AppID, _ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    guard isRemovable(app) else {
      return illegal(
        app, !exists(app) ? .removed : apps[app].state == .suspended ? .suspended : .running,
        &actions)
    }
    if apps.hasExtras(app) {
      schedules.removeAll(of: &apps[extras: app].schedules, &timers)
      schedules.forgetOpenings(&apps[extras: app].openings)
      removeRequests(of: app)
      notifications.removeAll(of: &apps[extras: app].notifications, &timers)
      budgets.removeAll(of: &apps[extras: app].uses)
    }
    requests.forbidAll(to: app)
    posts.forget(app)
    apps.remove(app)
  }

  mutating func crash(_ app: AppID, _ reason: CrashReason, _ actions: inout ActionBuffer) {
    if case .signal(let number) = reason {
      precondition(CrashReason.signals.contains(number), "There is no signal \(number)")
    }
    guard apps[app].isRunning || reason.isFromOutside && apps[app].state == .suspended else {
      return illegal(app, &actions)
    }
    terminate(app, EngineProcessEnd(reason: reason.termination, exit: reason.detail), &actions)
  }

  /// Queues the steps of a gesture. The app's run loop takes them, at once if it is free.
  mutating func perform(_ gesture: Gesture, on app: AppID, _ actions: inout ActionBuffer) {
    guard let plan = apps[app].presence.plan(for: gesture, departure(of: app)) else { return }
    perform(gesture, plan, on: app, &actions)
  }

  /// Queues the steps of a gesture whose plan the caller has found.
  mutating func perform(
    _ gesture: Gesture, _ plan: Plan, on app: AppID, _ actions: inout ActionBuffer
  ) {
    if plan.presence == .terminating, gesture != .forceQuit, gesture != .purge {
      apps[app].reasons.quit = .normalAppExit
    }
    countMove(app, from: apps[app].presence, to: plan.presence)
    apps[app].presence = plan.presence
    noteRank(app)
    if plan.presence == .terminating { lookAgainAtRequests(of: app) }
    let isFree = apps[app].delivery == .none && apps[app].items.isEmpty
    if isFree { take(plan.first, app, &actions) } else { enqueue(plan.first, app) }
    enqueue(plan.second, app)
    enqueue(plan.third, app)
    runLoop(app, &actions)
  }

  func departure(of app: AppID) -> Departure {
    policy.multitasking && !apps[app].flags.contains(.exitsOnSuspend) ? .toBackground : .toExit
  }

  // MARK: States

  /// Changes an app's state. Every change goes through this function and the transition table.
  mutating func setState(
    _ next: AppState, of app: AppID, grant: Interval, _ actions: inout ActionBuffer
  ) {
    let state = apps[app].state
    precondition(
      state.transition(to: next) != nil, "App \(app.rawValue) cannot go from \(state) to \(next)")
    if next != .background {
      stopClock(app)
      endBusyWatch(app)
      apps[app].lateTasks = 0
      if apps[app].flags.contains(.usesCPU) { noteVisit(app, isInBackground: false) }
    }
    countMove(app, from: state, to: next)
    apps[app].state = next
    noteRank(app)
    // A request that may not launch the app can start after something else has launched it.
    if state == .notRunning { lookAgainAtRequests(of: app) }
    actions.append(.state(app, from: state, to: next))
    if state == .background { endSessionRuns(of: app) }
    if next == .background {
      beginVisit(app, grant: grant)
      if apps[app].openTasks > 0 { updateClock(app) }
      beginSessionRuns(of: app)
      if apps[app].flags.contains(.usesCPU) { noteVisit(app, isInBackground: true) }
    }
  }

  @inline(__always)
  mutating func setState(_ next: AppState, of app: AppID, _ actions: inout ActionBuffer) {
    setState(next, of: app, grant: policy.tasks.grant, &actions)
  }
}
