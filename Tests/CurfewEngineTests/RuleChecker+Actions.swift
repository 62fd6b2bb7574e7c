import CurfewEngine

/// What came out of the engine, action by action.
extension RuleChecker {
  /// All actions of one call, in order.
  mutating func note(_ actions: [Action]) {
    for action in actions {
      if let app = mustTerminate, case .terminated(app, _) = action {
      } else {
        demand(mustTerminate == nil, "no record of an end before \(action.text)")
      }
      if case .leakedTask = action {} else { demand(mustLeak.tasks.isEmpty, "a leak is missing before \(action.text)") }
      note(action)
      if case .diagnostic(.illegalEvent, _, _) = action {
        demand(actions.count == 1, "an illegal event did something: \(actions.map(\.text))")
      }
    }
    demand(mustTerminate == nil, "a process ended without a record")
    demand(mustLeak.tasks.isEmpty, "a leak is missing")
    for app in apps.indices {
      demand(apps[app].killer == nil, "app \(app) outlives its \(apps[app].killer.map { "\($0)" } ?? "")")
      demand(apps[app].tasks.count + apps[app].lateEnds <= policy.tasks.limit, "app \(app) holds too many tasks")
      warn(app)
    }
  }

  /// Rule F5: whenever the clock runs with no more than the warning left, handlers that have not been due in this visit are.
  private mutating func warn(_ app: Int) {
    guard clockRuns(apps[app]), apps[app].remaining <= policy.tasks.warning else { return }
    apps[app].isWarned = true
    for task in apps[app].tasks.indices where apps[app].tasks[task].due?.visit != apps[app].visit {
      apps[app].tasks[task].due = (now, apps[app].visit)
    }
  }

  private mutating func note(_ action: Action) {
    if let app = action.deliveredTo { noteDelivery(action, Int(app.rawValue)) }
    switch action {
    case .state(let app, let from, let to): noteState(Int(app.rawValue), from, to)
    case .callback(let app, let callback): noteCallback(callback, Int(app.rawValue))
    case .expiration(let app, let task, let reason, let due): noteExpiration(task, reason, due, Int(app.rawValue))
    case .wakeBegan(let app, let kind): noteWake(kind, Int(app.rawValue))
    case .event, .notification, .localNotification, .request: break
    case .taskBegan(let app, let task): noteBegin(task, Int(app.rawValue))
    case .taskEnded(let app, let task):
      noteTaskEnd(task, Int(app.rawValue))
    case .decision(let app, let kind, let denied, _):
      if kind.class == .wake, denied.isEmpty { apps[Int(app.rawValue)].wakes.append(Wake(kind: kind)) }
      demand(policy.multitasking || !denied.isEmpty, "\(kind) was allowed without multitasking")
    case .session(let app, let kind, let change): noteSession(kind, change, Int(app.rawValue))
    case .wakeCompleted(let app, let kind): endWake(kind, Int(app.rawValue))
    case .wakeOverran(let app, let kind):
      let wake = apps[Int(app.rawValue)].wakes.first { $0.kind == kind && $0.delivered != nil }
      if policy.wakes[kind]?.overrun == .kill, apps[Int(app.rawValue)].state == .background { apps[Int(app.rawValue)].killer = kind }
      if let wake, let length = policy.wakes[kind]?.length {
        demand(isDue(wake.delivered! + length), "\(kind) overran too early or too late")
      }
      endWake(kind, Int(app.rawValue))
    case .terminated(let app, let end): noteEnd(end, app)
    case .leakedTask(let app, let task, let age):
      demand(mustLeak.app == app && mustLeak.tasks.first?.id == task.id.rawValue, "the wrong task leaked")
      guard !mustLeak.tasks.isEmpty else { return }
      demand(now - mustLeak.tasks.removeFirst().began == age, "a leak's age is wrong")
    case .diagnostic(let name, let app, let task): noteDiagnostic(name, app, task)
    case .probe(let app, let state, let left):
      let record = apps[Int(app.rawValue)]
      demand(state == record.state && (left != nil) == clockRuns(record), "a probe was answered wrongly")
      if let left, isPunctual { demand(left == record.remaining, "a probe was answered wrongly") }
    }
  }

  private mutating func noteState(_ app: Int, _ from: AppState, _ to: AppState) {
    demand(from == apps[app].state, "app \(app) was \(apps[app].state), not \(from)")
    demand(from.transition(to: to) != nil, "app \(app) went from \(from) to \(to)")
    apps[app].state = to
    switch to {
    case .notRunning: mustTerminate = AppID(rawValue: UInt32(app))
    case .background:
      let isWake = from == .notRunning || (from == .suspended && !apps[app].wakes.isEmpty)
      apps[app].remaining = isWake ? policy.tasks.grantAfterWake : policy.tasks.grant
      apps[app].reason = .timeLimit
      apps[app].visit += 1
      apps[app].isWarned = false
      apps[app].lateEnds = 0
      apps[app].visitBegan = now
      apps[app].quietSince = now
      apps[app].lastExpiration = nil
    case .suspended:
      let record = apps[app]
      demand(
        record.owed == nil && record.tasks.isEmpty && record.wakes.isEmpty && record.sessions.isEmpty, "app \(app) was suspended too early")
      demand(record.quietSince + policy.suspendDelay <= now, "app \(app) was suspended before its delay was over")
    case .inactive, .active: break
    }
  }

  private mutating func noteDelivery(_ action: Action, _ app: Int) {
    demand(apps[app].owed == nil, "app \(app) got \(action.text) in the middle of \(apps[app].owed?.text ?? "nothing")")
    demand(apps[app].state != .notRunning && apps[app].state != .suspended, "\(action.text) while \(apps[app].state)")
    apps[app].owed = action
    apps[app].owedSince = now
    apps[app].turn += 1
  }

  private mutating func noteCallback(_ callback: Callback, _ app: Int) {
    if callback == .willFinishLaunching { (apps[app].launchBegan, apps[app].isCalledSlow) = (now, false) }
    let state = apps[app].state
    switch callback {
    case .willFinishLaunching, .didFinishLaunching: demand(state == .inactive || state == .background, "\(callback) while \(state)")
    case .didBecomeActive, .willResignActive: demand(state == .active, "\(callback) while \(state)")
    case .didEnterBackground, .willEnterForeground: demand(state == .background, "\(callback) while \(state)")
    case .willTerminate: demand(state != .active, "\(callback) while \(state)")
    case .didReceiveMemoryWarning: demand(false, "nobody asked for \(callback)")
    }
  }

  private mutating func noteExpiration(_ task: BackgroundTask, _ reason: ExpirationReason, _ due: Instant, _ app: Int) {
    demand(reason == apps[app].reason, "a handler was told \(reason), not \(apps[app].reason)")
    demand(due <= now && due >= apps[app].visitBegan, "a handler was due at \(due.text)")
    demand(apps[app].remaining <= policy.tasks.warning, "a handler was called with \(apps[app].remaining.nanoseconds) ns left")
    if let last = apps[app].lastExpiration, last.due == due { demand(task.id.rawValue > last.id, "handlers are out of order") }
    apps[app].lastExpiration = (due, task.id.rawValue)
    guard let index = apps[app].tasks.firstIndex(where: { $0.id == task.id.rawValue }) else {
      return demand(false, "the handler of a task that is not open was called")
    }
    demand(!apps[app].tasks[index].isCalled && apps[app].tasks[index].handler == .present, "a handler was called that should not be")
    let expected = apps[app].tasks[index].due.flatMap { $0.visit == apps[app].visit ? $0.at : nil } ?? now
    demand(!isPunctual || due == expected, "a handler was due at \(expected.text), not at \(due.text)")
    apps[app].tasks[index].isCalled = true
  }

  private mutating func noteWake(_ kind: AssertionKind, _ app: Int) {
    let waiting = apps[app].wakes.firstIndex { $0.delivered == nil }
    demand(waiting.map { apps[app].wakes[$0].kind == kind } ?? false, "\(kind) was delivered out of turn")
    if let waiting { apps[app].wakes[waiting].delivered = now }
  }

  private mutating func endWake(_ kind: AssertionKind, _ app: Int) {
    guard let index = apps[app].wakes.firstIndex(where: { $0.kind == kind && $0.delivered != nil }) else {
      return demand(false, "a wake ended that was not on")
    }
    apps[app].wakes.remove(at: index)
    settleQuiet(app, at: now)
  }

  private mutating func noteBegin(_ task: BackgroundTask, _ app: Int) {
    guard case .beginTask(_, let label, let handler) = event else { return demand(false, "a task began by itself") }
    demand(task.label == label, "a label was not kept")
    guard task.id != .invalid else { return }
    demand(policy.multitasking && task.id.rawValue == apps[app].lastTask + 1, "task \(task.id.rawValue) after \(apps[app].lastTask)")
    apps[app].lastTask = task.id.rawValue
    var new = Task(id: task.id.rawValue, began: now, handler: handler)
    let isCutShort = !clockRuns(apps[app]) && apps[app].remaining <= policy.tasks.warning
    if apps[app].state == .background, apps[app].isWarned || isCutShort { new.lateVisit = apps[app].visit }
    apps[app].tasks.append(new)
  }

  private mutating func noteTaskEnd(_ task: BackgroundTask, _ app: Int) {
    guard let index = apps[app].tasks.firstIndex(where: { $0.id == task.id.rawValue }) else {
      return demand(false, "a task ended that was not open")
    }
    if apps[app].tasks.remove(at: index).lateVisit == apps[app].visit { apps[app].lateEnds += 1 }
    settleQuiet(app, at: now)
  }

  private mutating func noteSession(_ kind: AssertionKind, _ change: SessionChange, _ app: Int) {
    let index = apps[app].sessions.firstIndex { $0.kind == kind }
    switch change {
    case .denied: break
    case .began:
      demand(index.map { apps[app].sessions[$0].lingersUntil != nil } ?? true, "\(kind) began twice")
      if let index { apps[app].sessions.remove(at: index) }
      apps[app].sessions.append(Session(kind: kind))
    case .ended:
      guard let index, let rules = policy.sessions[kind] else { return demand(false, "\(kind) ended that was not on") }
      if rules.linger > .zero {
        apps[app].sessions[index].lingersUntil = now + rules.linger
      } else {
        apps[app].sessions.remove(at: index)
        settleQuiet(app, at: now)
      }
    }
  }

  private mutating func noteEnd(_ end: Termination, _ id: AppID) {
    demand(mustTerminate == id, "app \(id.text) was terminated without a change of state")
    mustTerminate = nil
    let app = apps[Int(id.rawValue)]
    if end.leaks > 0 {
      demand(end.reason == .backgroundTaskAssertionTimeout && Int(end.leaks) == app.tasks.count, "\(end.leaks) leaks of \(app.tasks.count)")
      mustLeak = (id, app.tasks)
    }
    switch (end.reason, end.kind) {
    case (.backgroundTaskAssertionTimeout, .finiteTask?):
      demand(end.leaks > 0, "a grant ended with no task open")
      demand(isPunctual ? app.remaining == .zero : app.remaining <= .zero, "a grant ended with \(app.remaining.nanoseconds) ns left")
    case (.backgroundTaskAssertionTimeout, let kind): demand(kind != nil && kind == app.killer, "\(id.text) was killed for no wake")
    case (.appWatchdog, _):
      if let deadline = limit(of: app) {
        demand(isDue(deadline), "the watchdog came too early or too late")
      } else {
        demand(false, "no limit ran")
      }
    case (.tooManyBackgroundTasks, _):
      demand(app.tasks.count + app.lateEnds == Int(policy.tasks.limit) + 1, "killed for \(app.tasks.count) and \(app.lateEnds) tasks")
    case (.userForceQuit, _): demand(app.isForceQuit, "nobody quit \(id.text)")
    case (.reboot, _): demand(event == .reboot, "nobody rebooted")
    case (.normalAppExit, _), (.abnormalExit, _), (.badAccess, _), (.illegalInstruction, _): break
    default: demand(false, "nothing here ends an app as \(end.reason)")
    }
    let turn = app.turn + 1
    apps[Int(id.rawValue)] = App()
    apps[Int(id.rawValue)].turn = turn
  }

  private mutating func noteDiagnostic(_ name: Diagnostic, _ app: AppID?, _ task: BackgroundTask) {
    switch (name, app.map { Int($0.rawValue) }) {
    case (.taskTooOld, let app?):
      guard let age = policy.tasks.ageWarning, let index = apps[app].tasks.firstIndex(where: { $0.id == task.id.rawValue }) else {
        return demand(false, "nothing to call too old")
      }
      demand(!apps[app].tasks[index].isCalledOld && isDue(apps[app].tasks[index].began + age), "\(task.id.rawValue) is not just too old")
      apps[app].tasks[index].isCalledOld = true
    case (.slowLaunch, let app?):
      demand(!apps[app].isCalledSlow && isDue(apps[app].launchBegan + policy.limits.launchWarning), "a launch is not just slow")
      apps[app].isCalledSlow = true
    case (.unknownTask, let app?):
      if case .endTask(_, task) = event {} else { demand(false, "no task was ended") }
      demand(task.id != .invalid, "the end of 0 was not silent in app \(app)")
    case (.deliveredInForeground, let app?): demand(apps[app].state != .background, "app \(app) is in the background")
    case (.illegalEvent, _): demand(event != nil, "a deadline was illegal")
    default: demand(false, "\(name) about nobody")
    }
  }
}
