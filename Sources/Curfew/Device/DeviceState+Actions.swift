import CurfewEngine

/// What came out of the engine, turned into what has to be delivered and what is remembered.
extension DeviceState {
  /// Acts on what comes of a step.
  mutating func act(_ core: DeviceCore) {
    let now = now
    repeat {
      while let item = driver.pull() {
        // Who has the turn returns when its handler does.
        guard case .action(let action) = item else { continue }
        journal?.note(action, at: now)
        recording?.note(action, at: now)
        if jobs.isInUse, actOnJob(action, core) { continue }
        act(on: action, core)
      }
    } while jobs.isInUse && sayReturnOfSeat()
    if !waiters.isEmpty { tellWaiters() }
    if let journal, journal.publish(self) { outgoing.journal = journal }
    crashing = nil
    // On a virtual clock nobody waits for the lock who could not wait for all of it.
    if core.clock == nil || !isHandingOver && handedOver < DeviceState.slice { handOverWarnings(core) }
  }

  private mutating func act(on action: Action, _ core: DeviceCore) {
    switch action {
    case .state(let app, from: .notRunning, _):
      let index = Int(app.rawValue)
      apps[index].process = AppProcess(core: core, app: app, delegate: apps[index].delegate)
    case .state(let app, _, .suspended): if let work = core.work, let process = apps[Int(app.rawValue)].process { work.hold(process) }
    case .state(let app, from: .suspended, let state) where state != .notRunning:
      if let work = core.work, let process = apps[Int(app.rawValue)].process { work.release(process) }
    case .callback(let app, let callback): post(.callback(callback), to: app, core)
    case .expiration(let app, let task, let reason, let due):
      counts.expirations += 1
      let making = making(core)
      noteWarning(due: due, making)
      let (name, identifier) = tasks.names(of: task, app)
      warnings.append(
        Warning(
          app: app, task: task, name: name, identifier: identifier, reason: reason, due: due, instant: now, making: making,
          process: apps[Int(app.rawValue)].process,
          hasHandler: tasks.makeHandlerDue(task, app)))
    case .wakeBegan(let app, let wake):
      let deliverer = apps[Int(app.rawValue)].deliverers.removeValue(forKey: wake.id)
      apps[Int(app.rawValue)].process?.wakes[wake.id] = (wake.kind, deliverer, nil)
      post(.wake(wake, identifier: wake.identifier.map { texts[$0] }), to: app, core)
    case .wakeWarned(let app, let wake, let due):
      noteWarning(due: due, making(core))
      guard let handler = apps[Int(app.rawValue)].process?.wakes[wake.id]?.handler else {
        preconditionFailure("Wake \(wake.id.rawValue) has no handler")
      }
      post(.wakeExpiration(handler, (app, wake.id), due: due), to: app, core)
    case .sessionWarned(let app, let kind, let due):
      noteWarning(due: due, making(core))
      guard let (start, handler) = apps[Int(app.rawValue)].process?.sessions[kind] else {
        preconditionFailure("A session of kind \(kind.rawValue) has no handler")
      }
      post(.sessionExpiration(handler, (app, kind, start), due: due), to: app, core)
    case .session(let app, let kind, .ended):
      if core.clock == nil { apps[Int(app.rawValue)].process?.sessionOrigins[kind] = nil }
      if let old = apps[Int(app.rawValue)].process?.sessions.removeValue(forKey: kind) { outgoing.handlers.append(old.handler) }
    case .wakeOverran(_, let wake, _) where policy.policy.wakes[wake.kind]?.overrun == .tell: break
    case .wakeCompleted(let app, let wake), .wakeOverran(let app, let wake, _):
      if let old = apps[Int(app.rawValue)].process?.wakes.removeValue(forKey: wake.id)?.handler { outgoing.handlers.append(old) }
    case .event(let app, let kind): post(.event(kind), to: app, core)
    case .notification(let app, let name, let value): post(.notification(texts[name], value.map { texts[$0] }), to: app, core)
    case .localNotification(let app, let id, .delivered): post(.localNotification(texts[id]), to: app, core)
    case .taskEnded(let app, let task):
      if let remains = tasks.remove(task, app, &apps[Int(app.rawValue)].lastTask) {
        leaveOutHandler(of: remains, .taskEnded)
        outgoing.add(remains)
      }
    case .decision(let app, let kind, let wake, let denied, let next):
      if core.clock == nil, let wake, let deliverer { apps[Int(app.rawValue)].deliverers[wake] = deliverer }
      apps[Int(app.rawValue)].lastDecision = decision(app, kind, denied, next)
    case .terminated(let app, let end): noteEnd(of: Int(app.rawValue), end, making(core))
    case .illegalEvent(let app, let objection): note(.objection(objection), of: app, call: call)
    case .diagnostic(.unknownTask, let app?, let task): note(.unknownTask(Int(task.id.rawValue)), of: app, call: call)
    case .diagnostic(let remark, let app, _): note(.remark(remark), of: app)
    case .stillOpen(let app, _): note(.remark(.stillOpenAfterExpiration), of: app)
    case .notificationDropped(let app, _): note(.remark(.notificationDropped), of: app)
    default: break
    }
  }

  mutating func post(_ delivery: Delivery, to app: AppID, _ core: DeviceCore) {
    guard let process = apps[Int(app.rawValue)].process else { return }
    if core.clock == nil {
      send(delivery, to: process)
    } else {
      process.post(delivery)
      guard !process.isScheduled else { return }
      process.isScheduled = true
      process.startsOnLane = delivery.onlyCancels
      ready.append(process)
    }
  }

  /// A handler is to be called at once. Where a deadline says so, and not the end of what its app was doing, it is as late as the device is.
  mutating func noteWarning(due: Instant, _ making: Making) { if isAdvancing { lateness?.warnings.record(making.decided - due) } }

  func making(_ core: DeviceCore) -> Making { Making(decided: core.clock.map { max($0.now(), now) } ?? now, isByTick: isTicking) }

  private mutating func noteEnd(of app: Int, _ end: Termination, _ making: Making) {
    counts.countEnd(end.reason)
    if end.late != nil { lateness?.endsWarnedTooLate += 1 }
    let open = tasks.tasks(endingWith: apps[app].lastTask)
    let name = apps[app].name
    for task in open {
      guard let remains = tasks.remove(task.task, task.app, &apps[app].lastTask) else { continue }
      leaveOutHandler(of: remains, .processEnded)
      noteMiss(of: remains, end)
      if let whenLost = remains.whenLost { outgoing.notices.append(whenLost) }
      outgoing.add(remains)
    }
    let explanation = policy.explanation(of: explained(end, of: app), in: setting(of: AppID(rawValue: UInt32(app))))
    apps[app].ends.append(
      ProcessEnd(
        app: name, instant: now, reason: end.reason, code: end.code, callback: end.callback, kind: end.kind.map(names.name(of:)),
        late: end.late.map { Duration($0) }, openTasks: open.map { OpenTask($0, app: name, now) }, error: apps[app].error,
        explanation: explanation, making: making))
    if let process = apps[app].process {
      process.isAlive = false
      if let work = process.core.work { outgoing.notices.append { work.drop(process) } }
      outgoing.notices += process.takeWaiters(apps[app].ends.elements.last)
      outgoing.handlers.append(process.takeHandlers())
      outgoing.processes.append(process)
      if process.isScheduled { outgoing.occupants.append(process.occupant) }
    }
    apps[app].process = nil
    apps[app].processNumber = nil
    apps[app].begunBefore = apps[app].begunTasks
    apps[app].error = nil
  }
}
