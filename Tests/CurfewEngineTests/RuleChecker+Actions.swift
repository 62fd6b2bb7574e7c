import CurfewEngine

/// The engine's actions, one by one: states, callbacks, wakes, ends.
extension RuleChecker {
  mutating func note(_ action: Action) {
    if let app = action.deliveredTo { noteDelivery(action, Int(app.rawValue)) }
    switch action {
    case .state(let app, let from, let to): noteState(Int(app.rawValue), from, to)
    case .callback(let app, let callback): noteCallback(callback, Int(app.rawValue))
    case .expiration(let app, let task, let reason, let due):
      noteExpiration(task, reason, due, Int(app.rawValue))
    case .wakeBegan(let app, let wake): noteWake(wake, Int(app.rawValue))
    case .wakeWarned(let app, let wake, let due): noteWakeWarning(wake, due, Int(app.rawValue))
    case .event(let app, let kind): takeTurn(.event(kind), Int(app.rawValue))
    case .taskBegan(let app, let task): noteBegin(task, Int(app.rawValue))
    case .taskEnded(let app, let task): noteTaskEnd(task, Int(app.rawValue))
    case .decision(let app, let kind, let wake, let denied, let next):
      noteDecision(kind, wake, denied, next, Int(app.rawValue))
    case .session(let app, let kind, let change): noteSession(kind, change, Int(app.rawValue))
    case .sessionWarned(let app, let kind, let due):
      noteSessionWarning(kind, due, Int(app.rawValue))
    case .wakeCompleted(let app, let wake): noteCompletion(wake, Int(app.rawValue))
    case .wakeOverran(let app, let wake, let limit): noteOverrun(wake, limit, Int(app.rawValue))
    case .notification(let app, let name, let value):
      takeTurn(.post(name, value), Int(app.rawValue))
    case .localNotification(let app, let id, let fate):
      noteLocalNotification(id, fate, Int(app.rawValue))
    case .request(let app, let identifier, let kind, let change):
      if change == .started {
        noteStart(identifier, kind, Int(app.rawValue))
      } else {
        demand(event != nil, "\(action.text) by itself")
      }
    case .terminated(let app, let end): noteEnd(end, app)
    case .leakedTask(let app, let task, let age): noteLeak(task, age, app)
    case .stillOpen(let app, let tasks): noteStillOpen(Int(tasks), app)
    case .notificationDropped:
      demand(mustDrop.first == action, "\(action.text) out of turn")
      if !mustDrop.isEmpty { mustDrop.removeFirst() }
    case .alreadyCompleted(let app, let wake, let instant):
      noteSecondCompletion(wake, instant, Int(app.rawValue))
    case .runsWithoutAssertion(let app, let call): noteBusy(call, Int(app.rawValue))
    case .illegalEvent(let app, _): noteDiagnostic(.illegalEvent, app, .invalid(label: 0))
    case .diagnostic(let name, let app, let task): noteDiagnostic(name, app, task)
    case .probe(let app, let state, let left):
      let record = apps[Int(app.rawValue)]
      demand(
        state == record.state && (left != nil) == clockRuns(record), "a probe was answered wrongly")
      if let left, isPunctual { demand(left == record.remaining, "a probe was answered wrongly") }
    }
  }

  private mutating func noteState(_ app: Int, _ from: AppState, _ to: AppState) {
    demand(from == apps[app].state, "app \(app) was \(apps[app].state), not \(from)")
    demand(from.transition(to: to) != nil, "app \(app) went from \(from) to \(to)")
    apps[app].state = to
    if from == .background { endSessionRuns(app, isInFront: to == .inactive) }
    switch to {
    case .notRunning: mustTerminate = AppID(rawValue: UInt32(app))
    case .background: beginVisit(app, from)
    case .suspended:
      let record = apps[app]
      demand(
        record.owed == nil && record.isQuiet && record.waiting.isEmpty,
        "app \(app) was suspended too early")
      demand(
        record.quietSince + suspendDelay(app) <= now,
        "app \(app) was suspended before its delay was over")
      demand(
        record.locks == 0 || !policy.lockedFiles.terminates,
        "app \(app) was suspended with a locked file")
      apps[app].firstMissedPost = posts.count
      apps[app].processor.stop()
    case .inactive:
      apps[app].processor.stop()
      apps[app].lateEnds = 0
      // On return, the missed items come before anything else (rule A11).
      if from == .background { swap(&mustFollow, &apps[app].kept) }
    case .active: break
    }
  }

  private mutating func beginVisit(_ app: Int, _ from: AppState) {
    let isWake =
      from == .notRunning || (from == .suspended && !(apps[app].wakes.isEmpty && apps[app].isQuiet))
    apps[app].remaining = isWake ? policy.tasks.grantAfterWake : policy.tasks.grant
    apps[app].reason = .timeLimit
    apps[app].visit += 1
    (apps[app].isWarned, apps[app].passedWarning) = (false, nil)
    (apps[app].warned, apps[app].isTold) = ([], false)
    apps[app].lateEnds = 0
    apps[app].visitBegan = now
    apps[app].quietSince = now
    apps[app].lastExpiration = nil
    apps[app].processor.start(now)
    for place in apps[app].sessions.indices { beginRun(place, app) }
    guard from == .suspended else { return }
    if isWake { mustFollow = missedPosts(app) } else { apps[app].kept = missedPosts(app) }
  }

  func suspendDelay(_ app: Int) -> Interval {
    let isFrozen = policy.tasks.refreshGate == .seedStrict && !facts(app).isDisjoint(with: .refresh)
    return isFrozen ? .zero : policy.suspendDelay
  }

  private mutating func noteDelivery(_ action: Action, _ app: Int) {
    demand(
      apps[app].owed == nil,
      "app \(app) got \(action.text) in the middle of \(apps[app].owed?.text ?? "nothing")")
    demand(apps[app].state.isAwake, "\(action.text) while \(apps[app].state)")
    apps[app].owed = action
    apps[app].owedSince = now
    if case .callback(_, .didEnterBackground) = action { apps[app].isCalledSlow = false }
    apps[app].turn += 1
  }

  private mutating func noteCallback(_ callback: Callback, _ app: Int) {
    if callback == .willFinishLaunching {
      (apps[app].launchBegan, apps[app].isCalledSlow) = (now, false)
    }
    let state = apps[app].state
    switch callback {
    case .willFinishLaunching, .didFinishLaunching:
      demand(state == .inactive || state == .background, "\(callback) while \(state)")
    case .didBecomeActive, .willResignActive: demand(state == .active, "\(callback) while \(state)")
    case .didEnterBackground, .willEnterForeground:
      demand(state == .background, "\(callback) while \(state)")
    case .willTerminate:
      demand(state != .active && apps[app].quit != nil, "\(callback) while \(state)")
    case .didReceiveMemoryWarning: takeTurn(.memoryWarning, app)
    }
  }

  // MARK: Wakes

  private mutating func noteWake(_ wake: AdmittedWake, _ app: Int) {
    takeTurn(.wake(wake.kind), app)
    let waiting = apps[app].wakes.firstIndex { $0.delivered == nil }
    demand(
      waiting.map { apps[app].wakes[$0].isWritten(as: wake) } ?? false,
      "\(wake) was delivered out of turn")
    guard let waiting, case (let length?, let warning) = times(of: apps[app].wakes[waiting]) else {
      return
    }
    apps[app].wakes[waiting].delivered = now
    apps[app].wakes[waiting].end =
      now + (apps[app].wakes[waiting].isUnwanted ? min(warning, length) : length)
  }

  // MARK: Expiration handlers of wakes (rule W6)

  /// Whether a run's handler is due at this instant at the latest.
  private func isWarned(_ run: Wake, _ app: Int) -> Bool {
    let warning = times(of: run).warning
    guard run.delivered != nil, warning > .zero else { return false }
    if run.isUnwanted || run.hasOverrun { return true }
    return min(run.end, exhaustion(run.kind, app) ?? .distantFuture) - warning <= now
  }

  private mutating func noteWakeWarning(_ wake: AdmittedWake, _ due: Instant, _ app: Int) {
    guard let place = apps[app].wakes.firstIndex(where: { $0.isWritten(as: wake) }) else {
      return demand(false, "the handler of a wake that is over was called")
    }
    checkWarning(apps[app].wakes[place], due, app)
    apps[app].wakes[place].isHandlerCalled = true
  }

  func checkWarning(_ run: Wake, _ due: Instant, _ app: Int) {
    demand(
      run.hasHandler != false && !run.isHandlerCalled
        && (run.handlerDue != nil || isWarned(run, app)),
      "\(run.kind)'s handler was called and should not have been")
    demand(
      !isPunctual || run.hasHandler == nil || due == run.handlerDue ?? now,
      "\(run.kind)'s handler was due at \(due.text)")
    demand(due <= now, "\(run.kind)'s handler is not due")
  }

  /// After a call: marks the runs whose handlers are due by now.
  mutating func warnRuns(_ app: Int) {
    for place in apps[app].wakes.indices {
      apps[app].wakes[place] = warned(apps[app].wakes[place], app)
    }
    for place in apps[app].sessions.indices {
      if let run = apps[app].sessions[place].run {
        apps[app].sessions[place].run = warned(run, app)
      }
    }
  }

  private func warned(_ run: Wake, _ app: Int) -> Wake {
    var run = run
    guard run.hasHandler == true else { return run }
    if run.handlerDue == nil, isWarned(run, app) { run.handlerDue = now }
    // Another run has begun and ended at this very instant. Whether the engine looked in between
    // depends on the other events of the instant.
    if run.handlerDue == now, !run.isHandlerCalled, !isWarned(run, app) { run.hasHandler = nil }
    return run
  }

  mutating func applyWakeHandler(_ id: WakeID, _ handler: ExpirationHandler, _ app: Int) {
    for index in apps[app].wakes.indices where apps[app].wakes[index].id == id.rawValue {
      let wake = apps[app].wakes[index]
      let isUnclear = wake.handlerDue != nil && !wake.isHandlerCalled
      apps[app].wakes[index].hasHandler =
        isUnclear || wake.hasHandler == nil ? nil : handler == .present
      if wake.passedWarning?.decided == now {
        apps[app].wakes[index].passedWarning?.isUnclear = true
      }
    }
  }

  private mutating func noteCompletion(_ wake: AdmittedWake, _ app: Int) {
    guard case .completeWake(_, let choice, let result) = event else {
      return demand(false, "\(wake) was reported as completed, but no app completed it")
    }
    let meant = oldestWake(choice, app)
    demand(
      meant.map { apps[app].wakes[$0].isWritten(as: wake) } ?? false,
      "\(wake) was completed out of turn")
    apps[app].completed.append((wake, now))
    if start(of: wake.kind) == .opportunity, let result {
      noteFetchResult(result, of: wake.kind, app)
    }
    if let linger = policy.wakes[wake.kind]?.linger, linger > .zero {
      apps[app].lingers.append(
        Linger(
          kind: wake.kind,
          until: RuleChecker.roundest(now + linger, policy.wakes[wake.kind]?.leeway ?? .zero)))
    }
    endWake(meant, app)
  }

  private mutating func noteSecondCompletion(_ wake: AdmittedWake, _ instant: Instant, _ app: Int) {
    guard case .completeWake(_, let choice, _) = event else {
      return demand(false, "\(wake) was reported as completed twice, but no app completed it")
    }
    let known = completedWake(choice, app)
    demand(
      oldestWake(choice, app) == nil && known?.wake == wake && known?.at == instant,
      "\(wake) was not completed before")
    mustEndTwice = policy.wakes[wake.kind]?.completedTwice == .end ? (app, wake.kind) : nil
  }

  /// Whether a wake ends at its warning, because it has no handler and its row says so.
  func endsAtWarning(_ run: Wake) -> Bool {
    policy.wakes[run.kind]?.unhandledWarning == .end && run.hasHandler == false
      && run.handlerDue == nil && run.delivered != nil && times(of: run).warning > .zero
  }

  private mutating func noteUnhandled(_ wake: AdmittedWake, _ app: Int) {
    demand(event == nil, "\(wake) ended at its warning within a step")
    let place = apps[app].wakes.firstIndex { $0.isWritten(as: wake) }
    demand(
      place.map { endsAtWarning(apps[app].wakes[$0]) && isWarned(apps[app].wakes[$0], app) }
        ?? false, "\(wake) ended at its warning too early, or had a handler")
    if start(of: wake.kind) == .opportunity { noteFetchResult(.failed, of: wake.kind, app) }
    endWake(place, app)
  }

  /// Before time passes: no wake that should have ended at its warning continues.
  func checkUnhandled() {
    for app in apps.indices {
      for run in apps[app].wakes where endsAtWarning(run) {
        demand(!isWarned(run, app), "\(run.kind) continues after its warning, without a handler")
      }
    }
  }

  private mutating func noteOverrun(_ wake: AdmittedWake, _ limit: RunLimit, _ app: Int) {
    if limit == .warning { return noteUnhandled(wake, app) }
    demand(event == nil, "\(wake) overran within a step")
    let isOver = limit == .length || isSpent(wake.kind, app) || !isPunctual
    let over = apps[app].wakes.firstIndex {
      $0.isWritten(as: wake) && $0.delivered != nil && isOver
        && (limit == .length
          ? isDue($0.end) || isCutTwice($0) : now < $0.end || isCutTwice($0) || !isPunctual)
    }
    if policy.wakes[wake.kind]?.overrun == .kill, apps[app].state == .background {
      apps[app].killed = over.map { apps[app].wakes[$0] }
    }
    demand(
      over != nil,
      "\(wake) overran its \(limit) too early or too late: \(runTimes(of: wake.kind, app))")
    if policy.wakes[wake.kind]?.overrun == .tell {
      if let over {
        (apps[app].wakes[over].end, apps[app].wakes[over].hasOverrun) = (.distantFuture, true)
      }
      return
    }
    if start(of: wake.kind) == .opportunity { noteFetchResult(.failed, of: wake.kind, app) }
    endWake(over, app)
  }

  /// Whether the user has come and the budget may have been used up after that. Time that was cut
  /// for two causes is not returned when one cause disappears.
  private func isCutTwice(_ wake: Wake) -> Bool {
    wake.isUnwanted && policy.wakes[wake.kind]?.budgets.isEmpty == false
  }

  private mutating func endWake(_ index: Int?, _ app: Int) {
    guard let index else { return demand(false, "a wake ended, but was not held") }
    noteRun(apps[app].wakes.remove(at: index), app)
    settleQuiet(app, at: now)
  }

  private mutating func noteDiagnostic(_ name: Diagnostic, _ app: AppID?, _ task: BackgroundTask) {
    switch (name, app.map { Int($0.rawValue) }) {
    case (.taskTooOld, let app?):
      guard let age = policy.tasks.ageWarning,
        let index = apps[app].tasks.firstIndex(where: { $0.id == task.id.rawValue })
      else {
        return demand(false, "a task was reported as too old, but none is open")
      }
      demand(
        !apps[app].tasks[index].isCalledOld && isDue(apps[app].tasks[index].began + age),
        "task \(task.id.rawValue) does not become too old now")
      apps[app].tasks[index].isCalledOld = true
    case (.slowLaunch, let app?):
      demand(
        !apps[app].isCalledSlow && isDue(apps[app].launchBegan + policy.limits.launchWarning),
        "a launch does not become slow now")
      apps[app].isCalledSlow = true
    case (.slowDidEnterBackground, let app?): noteSlowDidEnterBackground(app)
    case (.unknownTask, let app?):
      if case .endTask(_, task) = event {} else { demand(false, "no task was ended") }
      demand(task.id != .invalid, "an end of task 0 was reported in app \(app)")
    case (.deliveredInForeground, let app?):
      demand(apps[app].state != .background, "app \(app) is in the background")
    case (.illegalEvent, _): demand(event != nil, "a deadline was illegal")
    case (.overCapacity, nil): noteOverCapacity()
    default: demand(false, "\(name) names no app")
    }
  }
}
