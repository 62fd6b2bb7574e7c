import CurfewEngine

/// What apps do when they are told something.
extension DeviceRun {
  /// Counts what came out, and has the app know of it.
  mutating func note(_ action: Action) {
    meter.note(action, at: driver.now)
    switch action {
    case .state(let app, _, let to): moved(app, to)
    case .callback(let app, let callback): tell(app, .callback(callback))
    case .expiration(let app, let task, _, _): tell(app, .expiration(task))
    case .wakeBegan(let app, let wake): tell(app, .wake(wake))
    case .wakeWarned(let app, let wake, _): tell(app, .wakeWarning(wake))
    case .sessionWarned(let app, let kind, _): tell(app, .sessionWarning(kind))
    case .event(let app, let kind): tell(app, .event(kind))
    case .wakeOverran(let app, let wake, _): dropWake(wake.id, of: app)
    case .session(let app, let kind, let change) where change == .overran || change == .overBudget: dropSession(kind, of: app)
    default: break
    }
  }

  private mutating func tell(_ app: AppID, _ delivery: FleetApp.Delivery) { apps[Int(app.rawValue)].isTold(delivery) }

  private mutating func moved(_ app: AppID, _ state: AppState) {
    let place = Int(app.rawValue)
    apps[place].isInFront = state == .active || state == .inactive
    guard !apps[place].works.isEmpty else { return }
    switch state {
    case .notRunning: dropAll(of: app)
    case .suspended: holdWork(of: app)
    case .active, .inactive, .background: break
    }
  }

  /// The turn of an app: it makes its calls, takes its time, ends the task whose handler it is, and returns.
  mutating func takeTurn(_ id: AppID) {
    let app = Int(id.rawValue)
    if apps[app].stage == .calls {
      apps[app].stage = .rest
      let before = events
      call(id)
      if events != before { return }
    }
    if apps[app].stage == .rest {
      apps[app].stage = .end
      if let length = timeToReturn(app), length > .zero { return rest(id, for: length) }
    }
    if apps[app].stage == .end {
      apps[app].stage = .returns
      if endExpired(id) { return }
    }
    apps[app].delivery = .none
    say(.returned(id))
  }

  private mutating func timeToReturn(_ app: Int) -> Interval? {
    let sort = plan.sorts[apps[app].sort]
    switch apps[app].delivery {
    case .callback(let callback): return sort.returns[Int(callback.rawValue)]?.interval(&apps[app].callbacks)
    case .expiration, .wakeWarning, .sessionWarning: return sort.model.handlerTime?.interval(&apps[app].callbacks)
    case .wake, .event, .none: return nil
    }
  }

  private mutating func call(_ id: AppID) {
    let app = Int(id.rawValue)
    let sort = plan.sorts[apps[app].sort]
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
      dropSession(kind, of: id)
      say(.stopSession(id, kind))
    case .callback, .expiration, .event, .none: break
    }
    if let behavior = sort.model.behavior { behave(id, behavior) }
  }

  private mutating func useProcessor(_ id: AppID, _ sort: FleetPlan.Sort) {
    if let share = sort.model.processor { say(.useCPU(id, share: share, for: .seconds(1 << 31))) }
  }

  /// The user has left the app: work comes up, what was going on in front goes on under a task, and so on.
  private mutating func leave(_ id: AppID, _ sort: FleetPlan.Sort) {
    let app = Int(id.rawValue)
    for place in apps[app].works {
      guard case .task(let model, nil, let leaks, let hasHandler) = works[place].what, works[place].runningSince != nil else { continue }
      works[place].what = .task(model, beginTask(model, id, hasHandler), leaks: leaks, hasHandler: hasHandler)
    }
    for (index, model) in sort.model.tasks.enumerated() {
      // All is drawn whether it is needed or not, so that the next time draws the same under every policy.
      let comesUp = apps[app].work.chance(model.chance)
      let length = model.work.interval(&apps[app].work)
      let hasHandler = !apps[app].work.chance(model.withoutHandler)
      let leaks = apps[app].work.chance(model.leaks)
      guard comesUp else { continue }
      meter.note(work: index, of: id) { $0.begun += 1 }
      let task = beginTask(index, id, hasHandler)
      add(
        Work(
          app: id, what: .task(index, task, leaks: leaks, hasHandler: hasHandler), since: driver.now, length: length, left: length,
          runningSince: driver.now))
    }
    for (index, model) in sort.model.sessions.enumerated() {
      let isOn = apps[app].sessions.chance(model.chance)
      let length = model.length.interval(&apps[app].sessions)
      let kind = sort.sessions[index]
      guard isOn, !apps[app].works.contains(where: { if case .session(kind) = works[$0].what { true } else { false } }) else { continue }
      if case .decision(_, let denied, _) = ask(.startSession(id, kind, handler: .present)), !denied.isEmpty { continue }
      add(Work(app: id, what: .session(kind), since: driver.now, length: length, left: length, runningSince: driver.now))
    }
    if sort.hasRequests { submitRequests(id, sort) { _ in true } }
  }

  private mutating func beginTask(_ model: Int, _ id: AppID, _ hasHandler: Bool) -> BackgroundTask? {
    guard case .begun(let task) = ask(.beginTask(id, label: UInt32(model), handler: hasHandler ? .present : .absent)) else { return nil }
    return task.id == .invalid ? nil : task
  }

  private mutating func submitRequests(_ id: AppID, _ sort: FleetPlan.Sort, where isWanted: (AssertionKind) -> Bool) {
    for (index, wake) in sort.model.wakes.enumerated() where isWanted(sort.wakes[index]) {
      guard let earliest = wake.earliest else { continue }
      say(
        .submitTask(
          id,
          TaskRequest(
            identifier: UInt32(index), kind: sort.wakes[index], earliest: earliest, requiresNetwork: wake.requiresNetwork,
            requiresPower: wake.requiresPower)))
    }
  }

  private mutating func begin(_ wake: AdmittedWake, _ id: AppID, _ sort: FleetPlan.Sort) {
    let app = Int(id.rawValue)
    let model = sort.wakes.firstIndex(of: wake.kind).map { sort.model.wakes[$0] }
    let length = model?.work.interval(&apps[app].wakeWork) ?? .zero
    let hasNewData = apps[app].wakeWork.chance(model?.newData ?? 0)
    if sort.hasRequests { submitRequests(id, sort) { $0 == wake.kind } }
    add(
      Work(
        app: id, what: .wake(wake, hasNewData: hasNewData), since: driver.now, length: length, left: length, runningSince: driver.now))
  }
}
