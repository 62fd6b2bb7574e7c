import CurfewEngine
import CurfewTrace

/// The apps' reactions to callbacks, handlers and wakes.
extension DeviceRun {
  /// Counts an action of the engine, and delivers it to its app.
  mutating func note(_ action: Action) {
    switch action {
    case .state(let app, let from, let to):
      meter.noteState(of: app, from: from, to: to, at: driver.now)
      return moved(app, to)
    case .callback(let app, let callback):
      meter.note(callback, of: app, at: driver.now)
      return tell(app, .callback(callback))
    default: noteRarer(action)
    }
  }

  private mutating func noteRarer(_ action: Action) {
    meter.note(action, at: driver.now)
    switch action {
    case .expiration(let app, let task, _, _): tell(app, .expiration(task))
    case .wakeBegan(let app, let wake): tell(app, .wake(wake))
    case .wakeWarned(let app, let wake, _): tell(app, .wakeWarning(wake))
    case .sessionWarned(let app, let kind, _): tell(app, .sessionWarning(kind))
    case .event(let app, let kind): tell(app, .event(kind))
    case .wakeOverran(let app, let wake, let limit)
    where limit == .warning || plan.policy.wakes[wake.kind]?.overrun != .tell:
      dropWake(wake.id, of: app)
    case .session(let app, let kind, .ended): dropSession(kind, of: app)
    // The session's length may have passed while it was deferred.
    case .session(let app, let kind, .renewed): resumeSession(kind, of: app)
    default: break
    }
  }

  private mutating func tell(_ app: AppID, _ delivery: FleetApp.Delivery) {
    apps[Int(app.rawValue)].isTold(delivery)
  }

  private mutating func moved(_ app: AppID, _ state: AppState) {
    guard apps[Int(app.rawValue)].moves(to: state) else { return }
    switch state {
    case .notRunning: dropAll(of: app)
    case .suspended: holdWork(of: app)
    case .background: resumeOwn(of: app)
    case .active, .inactive: break
    }
  }

  /// Takes the turn of an app. The app makes its calls, lets its time to return pass, ends the task
  /// whose handler is running, and returns.
  mutating func takeTurn(_ id: AppID) {
    let app = Int(id.rawValue)
    if isTurnSilent(app) { return sayReturned(id) }
    let sort = plan.sorts[apps[app].sort]
    let stage = apps[app].stage
    if stage == .calls {
      let before = events
      call(id, sort)
      if events != before {
        apps[app].stage = .rest
        return
      }
    }
    if stage == .calls || stage == .rest, let length = timeToReturn(app, sort), length > .zero {
      apps[app].stage = .end
      return rest(id, for: length)
    }
    if stage != .returns, endExpired(id) {
      apps[app].stage = .returns
      return
    }
    sayReturned(id)
  }

  /// Whether an app only returns from its delivery. Reads single fields: a method of the app would
  /// copy all of it.
  @inline(__always)
  private func isTurnSilent(_ app: Int) -> Bool {
    guard case .callback(let callback) = apps[app].delivery, apps[app].stage == .calls,
      apps[app].silentCallbacks >> UInt32(callback.rawValue) & 1 == 1
    else { return false }
    // Paused work resumes in front.
    return callback != .didBecomeActive || apps[app].works.isEmpty
  }

  private mutating func sayReturned(_ id: AppID) {
    (apps[Int(id.rawValue)].delivery, apps[Int(id.rawValue)].stage) = (.none, .returns)
    sayUnmetered(.returned(id))
  }

  private func timeToReturn(_ app: Int, _ sort: FleetPlan.Sort) -> Interval? {
    let place: Int
    switch apps[app].delivery {
    case .callback(let callback): place = Int(callback.rawValue)
    case .expiration, .wakeWarning, .sessionWarning: place = FleetPlan.Sort.handlerPlace
    case .wake, .event, .none: return nil
    }
    guard let time = sort.returns[place] else { return nil }
    let path = apps[app].callbackPath.child(UInt64(place)).child(UInt64(apps[app].opens))
    var stream = path.stream(apps[app].deliveries)
    return time.interval(&stream)
  }

  private mutating func call(_ id: AppID, _ sort: FleetPlan.Sort) {
    let app = Int(id.rawValue)
    switch apps[app].delivery {
    case .callback(.didFinishLaunching):
      for (index, wake) in sort.model.wakes.enumerated() {
        if let interval = wake.interval { say(.setInterval(id, sort.wakes[index], interval)) }
      }
    case .callback(.didBecomeActive):
      for place in apps[app].works where works[place].runningSince == nil { resume(place) }
    case .callback(.didEnterBackground):
      useProcessor(id, sort)
      leave(id, sort)
    case .wake(let wake):
      if !apps[app].isInFront { useProcessor(id, sort) }
      begin(wake, id, sort)
    case .wakeWarning(let wake): giveUp(wake, id)
    case .sessionWarning(let kind):
      if dropSession(kind, of: id) { say(.stopSession(id, kind)) }
    case .callback, .expiration, .event, .none: break
    }
    if sort.hasBehavior, let behavior = sort.model.behavior { behave(id, behavior) }
  }

  private mutating func useProcessor(_ id: AppID, _ sort: FleetPlan.Sort) {
    if let share = sort.model.processor { say(.useCPU(id, share: share, for: .seconds(1 << 31))) }
  }

  /// Begins the app's work when the user leaves it: unfinished work from the foreground continues
  /// under a task, and new tasks, sessions and requests are drawn.
  private mutating func leave(_ id: AppID, _ sort: FleetPlan.Sort) {
    let app = Int(id.rawValue)
    for place in apps[app].works {
      guard case .task(let model, nil, let leaks, let hasHandler) = works[place].what,
        works[place].runningSince != nil
      else { continue }
      works[place].what = .task(
        model, beginTask(model, id, hasHandler), leaks: leaks, hasHandler: hasHandler)
    }
    for (index, model) in sort.model.tasks.enumerated() {
      var stream = apps[app].path.app(.tasks).child(sort.taskNumbers[index]).stream(apps[app].opens)
      guard stream.chance(model.chance) else { continue }
      let length = model.work.interval(&stream)
      let hasHandler = !stream.chance(model.withoutHandler)
      let leaks = stream.chance(model.leaks)
      meter.note(work: index, of: id) { $0[.begun] += 1 }
      let task = beginTask(index, id, hasHandler)
      add(
        Work(
          app: id, what: .task(index, task, leaks: leaks, hasHandler: hasHandler),
          since: driver.now, length: length, left: length,
          runningSince: driver.now))
    }
    for (index, model) in sort.model.sessions.enumerated() {
      var stream = apps[app].path.app(.sessions).child(sort.sessionNumbers[index]).stream(
        apps[app].opens)
      let kind = sort.sessions[index]
      guard stream.chance(model.chance) else { continue }
      let length = model.length.interval(&stream)
      guard
        !apps[app].works.contains(where: {
          if case .session(kind) = works[$0].what { true } else { false }
        })
      else { continue }
      guard case .decision(_, let denied, _) = ask(.startSession(id, kind, handler: .present)),
        denied.isEmpty
      else { continue }
      add(
        Work(
          app: id, what: .session(kind), since: driver.now, length: length, left: length,
          runningSince: driver.now))
    }
    if sort.hasRequests { submitRequests(id, sort) { _ in true } }
  }

  private mutating func beginTask(_ model: Int, _ id: AppID, _ hasHandler: Bool) -> BackgroundTask?
  {
    guard
      case .begun(let task) = ask(
        .beginTask(id, label: UInt32(model), handler: hasHandler ? .present : .absent))
    else { return nil }
    return task.id == .invalid ? nil : task
  }

  private mutating func submitRequests(
    _ id: AppID, _ sort: FleetPlan.Sort, where isWanted: (AssertionKind) -> Bool
  ) {
    for (index, wake) in sort.model.wakes.enumerated() where isWanted(sort.wakes[index]) {
      guard let earliest = wake.earliest else { continue }
      say(
        .submitTask(
          id,
          TaskRequest(
            identifier: UInt32(index), kind: sort.wakes[index], earliest: earliest,
            requiresNetwork: wake.requiresNetwork,
            requiresPower: wake.requiresPower)))
    }
  }

  private mutating func begin(_ wake: AdmittedWake, _ id: AppID, _ sort: FleetPlan.Sort) {
    let app = Int(id.rawValue)
    let index = wake.identifier.map(Int.init) ?? sort.wakes.firstIndex(of: wake.kind)
    guard let index, index < sort.wakes.count else {
      // A wake that the workload does not model is completed at once, unless a closure may
      // handle it.
      if sort.model.behavior == nil { say(.completeWake(id, WakeChoice(id: wake.id), .noData)) }
      return
    }
    // Wakes from the world are numbered as they arrive, whether they are admitted or not.
    let number =
      sort.model.wakes[index].perDay > 0 ? apps[app].arrived[index] : apps[app].begun[index]
    apps[app].begun[index] += 1
    var stream = apps[app].path.app(.wakes).child(sort.wakeNumbers[index]).stream(number)
    let length = sort.model.wakes[index].work.interval(&stream)
    let hasNewData = stream.chance(sort.model.wakes[index].newData)
    if sort.hasRequests { submitRequests(id, sort) { $0 == wake.kind } }
    add(
      Work(
        app: id, what: .wake(wake, hasNewData: hasNewData), since: driver.now, length: length,
        left: length, runningSince: driver.now))
  }
}
