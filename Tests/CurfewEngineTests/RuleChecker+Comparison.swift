import CurfewEngine

/// What has to hold between steps.
extension RuleChecker {
  func isDue(_ deadline: Instant) -> Bool { isPunctual ? deadline == now : deadline <= now }

  /// When the watchdog bites, if nothing returns.
  func limit(of app: App) -> Instant? {
    guard case .callback(_, let callback) = app.owed else { return nil }
    switch callback {
    case .willFinishLaunching, .didFinishLaunching: return app.launchBegan + policy.limits.launch
    case .didEnterBackground: return app.owedSince + policy.limits.didEnterBackground
    case .willTerminate: return app.owedSince + policy.limits.willTerminate
    case .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning: return nil
    }
  }

  /// Compares with what the engine says of itself, and demands that nothing which was due has been forgotten. To be asked when nothing is due any more.
  func compare(with engine: borrowing Engine) {
    for index in apps.indices {
      let id = AppID(rawValue: UInt32(index))
      let app = apps[index]
      demand(engine.state(of: id) == app.state, "\(id.text) says it is \(engine.state(of: id)), not \(app.state)")
      demand(engine.owesReturn(id) == (app.owed != nil), "\(id.text) is unclear about what it owes")
      demand(engine.openTaskCount(of: id) == app.tasks.count, "\(id.text) says it holds \(engine.openTaskCount(of: id)) tasks")
      demand(app.tasks.count <= policy.tasks.limit, "\(id.text) holds \(app.tasks.count) tasks")
      if let deadline = limit(of: app) { demand(deadline > now, "the watchdog sleeps") }
      if let age = policy.tasks.ageWarning {
        demand(app.tasks.allSatisfy { $0.isCalledOld || $0.began + age > now }, "\(id.text) holds an old task that nobody mentioned")
      }
      guard isPunctual else { continue }
      if app.state == .background, app.owed == nil, app.tasks.isEmpty, app.wakes.isEmpty, app.sessions.isEmpty {
        demand(app.quietSince + policy.suspendDelay > now, "\(id.text) should have been suspended")
      }
      demand(
        engine.backgroundTimeRemaining(of: id) == (clockRuns(app) ? app.remaining : nil), "\(id.text)'s grant is off: \(app.remaining)")
      guard clockRuns(app) else { continue }
      demand(app.remaining > .zero, "\(id.text)'s tasks outlive their grant")
      if app.remaining <= policy.tasks.warning, app.owed == nil {
        demand(app.tasks.allSatisfy { $0.isCalled || $0.handler == .absent }, "\(id.text)'s handlers wait for nothing")
      }
    }
    demand(engine.nextDeadline.map { $0 > now } ?? true, "something is still due")
  }
}
