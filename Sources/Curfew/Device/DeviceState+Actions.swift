import CurfewEngine

/// The engine's actions, turned into deliveries and records.
extension DeviceState {
  /// Performs all actions that the engine has returned.
  mutating func act(_ call: inout Call, _ core: DeviceCore) {
    repeat {
      while let item = driver.pull() {
        // A real handler returns later, so turns are not taken here.
        guard case .action(let action) = item else { continue }
        if log.journal != nil { log.note(action, at: now) }
        // The two actions of a begin and an end, which need nothing of what follows.
        if case .taskBegan = action { continue }
        if case .taskEnded(let app, let task) = action {
          end(task, of: app)
          continue
        }
        if jobs.isInUse, actOnJob(action, call, core) { continue }
        act(on: action, call, core)
      }
    } while jobs.isInUse && sayReturnOfSeat()
    if !waiters.isEmpty { tellWaiters() }
    if log.journal != nil { publishJournal() }
    if warnings.isUnattended { handOverWarnings(&call) }
  }

  /// Forgets a task that its app has ended.
  @inline(__always)
  private mutating func end(_ task: BackgroundTask, of app: AppID) {
    guard let remains = tasks.remove(task, app, &apps[app].lastTask) else { return }
    leaveOutHandler(of: remains, .taskEnded)
    outgoing.add(remains)
  }

  private mutating func act(on action: Action, _ call: borrowing Call, _ core: DeviceCore) {
    switch action {
    case .state(let app, from: .notRunning, _): apps[app].launch(in: core, as: app)
    case .state(let app, _, .suspended):
      guard let process = apps[app].process else { return }
      core.work?.hold(process)
      postSuspension(to: process)
    case .state(let app, from: .suspended, let state) where state != .notRunning:
      guard let process = apps[app].process else { return }
      core.work?.release(process)
      postResumption(to: process)
    case .callback(let app, let callback): post(.callback(callback), to: app)
    case .expiration(let app, let task, let reason, let due):
      counts.expirations += 1
      let making = making(call, core)
      noteWarning(due: due, call, making)
      let (name, identifier) = tasks.names(of: task, app)
      warnings.append(
        Warning(
          app: app, task: task, name: name, identifier: identifier, reason: reason, due: due,
          instant: now, making: making,
          process: apps[app].process,
          hasHandler: tasks.makeHandlerDue(task, app)))
    case .wakeBegan(let app, let wake):
      let deliverer = apps[app].deliverers.removeValue(forKey: wake.id)
      apps[app].process?.wakes[wake.id] = (wake.kind, deliverer, nil)
      post(.wake(wake, identifier: wake.identifier.map { texts[$0] }), to: app)
    case .wakeWarned(let app, let wake, let due):
      noteWarning(due: due, call, making(call, core))
      guard let handler = apps[app].process?.wakes[wake.id]?.handler else {
        preconditionFailure("Wake \(wake.id.rawValue) has no handler")
      }
      post(.wakeExpiration(handler, (app, wake.id), due: due), to: app)
    case .sessionWarned(let app, let kind, let due):
      noteWarning(due: due, call, making(call, core))
      guard let (start, handler) = apps[app].process?.sessions[kind] else {
        preconditionFailure("A session of kind \(kind.rawValue) has no handler")
      }
      post(.sessionExpiration(handler, (app, kind, start), due: due), to: app)
    case .session(let app, let kind, .ended):
      if core.clock == nil { apps[app].process?.sessionOrigins[kind] = nil }
      if let old = apps[app].process?.sessions.removeValue(forKey: kind) {
        outgoing.handlers.append(old.handler)
      }
    case .wakeOverran(_, let wake, let limit)
    where limit != .warning && policy.policy.wakes[wake.kind]?.overrun == .tell:
      break
    case .wakeCompleted(let app, let wake), .wakeOverran(let app, let wake, _):
      if let old = apps[app].process?.wakes.removeValue(forKey: wake.id)?.handler {
        outgoing.handlers.append(old)
      }
    case .event(let app, let kind): post(.event(kind), to: app)
    case .notification(let app, let name, let value):
      post(.notification(texts[name], value.map { texts[$0] }), to: app)
    case .localNotification(let app, let id, .delivered):
      post(.localNotification(texts[id]), to: app)
    case .decision(let app, let kind, let wake, let denied, let next):
      if core.clock == nil, let wake, let deliverer {
        apps[app].deliverers[wake] = deliverer
      }
      apps[app].lastDecision = decision(app, kind, denied, next)
    case .terminated(let app, let end): noteEnd(of: app, end, call, core)
    case .illegalEvent(let app, let objection):
      note(.objection(objection), of: app, call: call.name)
    case .diagnostic(.unknownTask, let app?, let task):
      note(.unknownTask(Int(task.id.rawValue)), of: app, call: call.name)
    case .diagnostic(let remark, let app, let task):
      note(.remark(remark), of: app, openTasks: app.map { openTasks(of: $0, task) } ?? [])
    case .stillOpen(let app, _):
      note(.remark(.stillOpenAfterExpiration), of: app, openTasks: openTasks(of: app))
    case .runsWithoutAssertion(let app, let call):
      note(.runsWithoutAssertion(call.named(in: names)), of: app)
    case .alreadyCompleted(let app, let wake, let instant):
      let again = DeviceDiagnostic.SecondCompletion(
        kind: names.name(of: wake.kind), wake: wake.id,
        identifier: wake.identifier.map { texts[$0] }, first: instant)
      note(.alreadyCompleted(again), of: app, call: call.name)
    case .notificationDropped(let app, _): note(.remark(.notificationDropped), of: app)
    default: break
    }
  }

  /// The open tasks of an app, oldest first; with `task`, that task only, if it is open.
  func openTasks(of app: AppID, _ task: BackgroundTask? = nil) -> [OpenTask] {
    tasks.tasks(endingWith: apps[app].lastTask).filter { task == nil || $0.task == task }.map {
      OpenTask($0, app: apps[app].name, now)
    }
  }

  mutating func post(_ delivery: Delivery, to app: AppID) {
    if let process = apps[app].process { outbox.post(delivery, to: process) }
  }

  /// Records the lateness of a warning that is about to be delivered, if a deadline caused
  /// the warning. A warning at the end of an app's callback is late because of the app, not because
  /// of the device.
  mutating func noteWarning(due: Instant, _ call: borrowing Call, _ making: Making) {
    if call.cause != .event { lateness?.warnings.record(making.decided - due) }
  }

  func making(_ call: borrowing Call, _ core: DeviceCore) -> Making {
    Making(decided: core.clock.map { max($0.now(), now) } ?? now, isByTick: call.cause == .tick)
  }

  private mutating func noteEnd(
    of app: AppID, _ end: EngineProcessEnd, _ call: borrowing Call, _ core: DeviceCore
  ) {
    counts.countEnd(end.reason)
    if end.late != nil { lateness?.lateWarnedEnds += 1 }
    let open = tasks.tasks(endingWith: apps[app].lastTask)
    let name = apps[app].name
    for task in open {
      guard let remains = tasks.remove(task.task, task.app, &apps[app].lastTask) else { continue }
      leaveOutHandler(of: remains, .processEnded)
      noteMiss(of: remains, end)
      if let whenLost = remains.whenLost { outgoing.notices.append(whenLost) }
      outgoing.add(remains)
    }
    let explanation = policy.explanation(
      of: explained(end, isVoluntary: call.crashing == app), in: setting(of: app))
    let processEnd = ProcessEnd(
      app: name, instant: now, reason: end.reason, code: end.code, callback: end.callback,
      kind: end.kind.map(names.name(of:)),
      late: end.late.map { Duration($0) }, exit: end.exit,
      openTasks: open.map { OpenTask($0, app: name, now) },
      error: apps[app].error ?? end.exception,
      blocked: apps[app].process.flatMap { core.work?.blocked(in: $0) },
      explanation: explanation, making: making(call, core))
    apps[app].ends.append(processEnd)
    guard let process = apps[app].takeProcess() else { return }
    if let work = core.work { outgoing.notices.append { work.drop(process) } }
    self.end(process, processEnd)
  }
}

extension EngineProcessEnd {
  /// The exception that ends a process whose app has completed a wake twice (rule W2).
  fileprivate var exception: String? {
    reason == .abnormalExit && kind != nil ? CompletedTwice.exception : nil
  }
}
