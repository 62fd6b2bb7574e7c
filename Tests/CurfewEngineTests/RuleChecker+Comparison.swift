@testable import CurfewEngine

/// Checks between steps.
extension RuleChecker {
  /// Compares the model with the engine's own state, and checks that nothing due was forgotten.
  /// - Precondition: Nothing is due any more.
  mutating func compare(with engine: borrowing Engine) {
    for index in apps.indices {
      let id = AppID(rawValue: UInt32(index))
      let app = apps[index]
      demand(
        engine.state(of: id) == app.state,
        "\(id.text) says it is \(engine.state(of: id)), not \(app.state)")
      demand(engine.owesReturn(id) == (app.owed != nil), "\(id.text) disagrees about its return")
      demand(
        engine.openTaskCount(of: id) == app.tasks.count,
        "\(id.text) says it holds \(engine.openTaskCount(of: id)) tasks")
      demand(app.tasks.count <= policy.tasks.limit, "\(id.text) holds \(app.tasks.count) tasks")
      demand(
        engine.backgroundRefreshStatus(of: id) == refreshStatus(index),
        "\(id.text) says that refresh is \(engine.backgroundRefreshStatus(of: id))")
      demand(
        engine.footprint(of: id) == min(standing[index].footprint, RuleChecker.mostMemory),
        "\(id.text)'s footprint is wrong")
      if let deadline = limit(of: app) { demand(deadline > now, "the watchdog did not act") }
      checkSlowness(app, id)
      if let age = policy.tasks.ageWarning {
        demand(
          app.tasks.allSatisfy { $0.isCalledOld || $0.began + age > now },
          "\(id.text) holds an old task that was not reported")
      }
      if app.owed == nil {
        demand(
          app.runs.allSatisfy {
            $0.handlerDue == nil || $0.isHandlerCalled || $0.hasHandler != true
          },
          "\(id.text) is free, but a run's handler waits")
        demand(app.waiting.isEmpty, "\(id.text) is free, but \(app.waiting) wait")
        demand(app.quit == nil, "\(id.text) is free, but has not had willTerminate")
      }
      demand(!overuses(app.processor, at: now), "\(id.text) uses too much of the processor")
      checkRequests(index)
      checkStillOpen(app, id)
      if isPunctual { checkClock(app, id, engine.backgroundTimeRemaining(of: id)) }
    }
    demand(apps.allSatisfy { $0.runs.allSatisfy { $0.end > now } }, "a run exceeds its limit")
    demand(
      apps.allSatisfy { $0.sessions.allSatisfy { $0.deferredUntil.map { $0 > now } ?? true } },
      "a session is deferred for too long")
    demand(
      engine.memoryInUse == memoryInUse,
      "\(engine.memoryInUse) bytes are reported as in use, not \(memoryInUse)")
    demand(nextLook() == nil, "a memory check is still due")
    demand(engine.nextDeadline.map { $0 > now } ?? true, "something is still due")
  }

  private func checkClock(_ app: App, _ id: AppID, _ remaining: Interval?) {
    if app.state == .background, app.owed == nil, app.isQuiet {
      demand(
        app.quietSince + suspendDelay(Int(id.rawValue)) > now,
        "\(id.text) should have been suspended")
    }
    demand(
      remaining == (clockRuns(app) ? app.remaining : nil),
      "\(id.text)'s grant is wrong: \(app.remaining)")
    guard clockRuns(app) else { return }
    demand(app.remaining > .zero, "\(id.text)'s tasks outlive their grant")
    if app.remaining <= policy.tasks.warning, app.owed == nil {
      demand(
        app.tasks.allSatisfy { $0.isCalled || $0.handler == .absent },
        "\(id.text)'s handlers wait for nothing")
    }
  }

  private func refreshStatus(_ app: Int) -> BackgroundRefreshStatus {
    let facts = facts(app)
    return facts.contains(.backgroundRefreshRestricted)
      ? .restricted : facts.contains(.backgroundRefreshDenied) ? .denied : .available
  }
}
