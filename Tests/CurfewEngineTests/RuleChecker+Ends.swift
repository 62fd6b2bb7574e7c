import CurfewEngine

/// Ends of processes, each for a reason that holds (rule D2).
extension RuleChecker {
  /// The instant at which the watchdog terminates the app unless it returns.
  func limit(of app: App) -> Instant? {
    guard case .callback(_, let callback) = app.owed else { return nil }
    switch callback {
    case .willFinishLaunching, .didFinishLaunching: return app.launchBegan + policy.limits.launch
    case .didEnterBackground: return app.owedSince + policy.limits.didEnterBackground
    case .willTerminate: return app.owedSince + policy.limits.willTerminate
    case .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning:
      return nil
    }
  }

  mutating func noteEnd(_ end: EngineProcessEnd, _ id: AppID) {
    demand(mustTerminate == id, "app \(id.text) was terminated without a change of state")
    mustTerminate = nil
    let app = apps[Int(id.rawValue)]
    if end.leaks > 0 {
      demand(
        end.reason == .backgroundTaskAssertionTimeout && Int(end.leaks) == app.tasks.count,
        "\(end.leaks) leaks of \(app.tasks.count)")
      mustLeak = (id, app.tasks)
    }
    checkReason(end, Int(id.rawValue))
    checkCode(end)
    checkLateness(end, app)
    for wake in app.wakes { noteRun(wake, Int(id.rawValue)) }
    // Rule N1: notifications that waited for the app are shown to the user.
    mustShow = app.waiting.compactMap {
      if case .localNotification(let notification) = $0 {
        .localNotification(id, id: notification, .shown)
      } else {
        nil
      }
    }
    // The leeway of pending requests no longer counts from before the end.
    for place in standing[Int(id.rawValue)].requests.indices {
      standing[Int(id.rawValue)].requests[place].free = nil
    }
    leaveFront(Int(id.rawValue))
    apps[Int(id.rawValue)] = App()
    (apps[Int(id.rawValue)].turn, apps[Int(id.rawValue)].process) = (app.turn + 1, app.process + 1)
  }

  private mutating func checkReason(_ end: EngineProcessEnd, _ index: Int) {
    let app = apps[index]
    let id = AppID(rawValue: UInt32(index))
    switch (end.reason, end.kind) {
    case (.backgroundTaskAssertionTimeout, .finiteTask?):
      demand(end.leaks > 0, "a grant ended with no task open")
      demand(
        isPunctual ? app.remaining == .zero : app.remaining <= .zero,
        "a grant ended with \(app.remaining.nanoseconds) ns left")
    case (.backgroundTaskAssertionTimeout, let kind):
      demand(kind != nil && kind == app.killed?.kind, "\(id.text) was killed, but no wake overran")
    case (.appWatchdog, _):
      if let deadline = limit(of: app) {
        demand(isDue(deadline), "the watchdog came too early or too late")
      } else {
        demand(false, "no callback's limit was running")
      }
    case (.tooManyBackgroundTasks, _):
      demand(
        app.tasks.count + app.lateEnds == Int(policy.tasks.limit) + 1,
        "killed for \(app.tasks.count) and \(app.lateEnds) tasks")
    case (.reboot, _): demand(event == .reboot, "the device was not rebooted")
    case (.badAccess, _): demand(event == .crash(id, .badAccess), "\(id.text) did not crash")
    case (.illegalInstruction, _):
      demand(event == .crash(id, .illegalInstruction), "\(id.text) did not crash")
    case (.abnormalExit, let kind?):
      demand(
        mustEndTwice?.app == index && mustEndTwice?.kind == kind,
        "\(id.text) completed no wake twice")
      mustEndTwice = nil
    case (.abnormalExit, nil):
      if case .status(let status)? = end.exit {
        demand(event == .crash(id, .exit(status: status)), "\(id.text) did not exit")
      } else {
        demand(event == .crash(id, .abnormalExit), "\(id.text) did not crash")
      }
    case (.oomKill, _): demand(event == .crash(id, .oomKill), "\(id.text) was not killed")
    case (.hostFailure, _): demand(event == .crash(id, .hostFailure), "the host did not fail")
    case (.signal, _):
      guard case .signal(let number)? = end.exit else { return demand(false, "no signal is named") }
      demand(event == .crash(id, .signal(number)), "\(id.text) got another signal")
    case (.spawnFailed, _):
      guard case .error(let error)? = end.exit else { return demand(false, "no error is named") }
      demand(event == .crash(id, .spawnFailed(error)), "\(id.text) was started")
    case (.normalAppExit, _):
      demand(
        hasQuit(app, .normalAppExit) || event == .crash(id, .normalAppExit)
          || event == .crash(id, .exit(status: 0)),
        "\(id.text) did not leave")
    case (.userForceQuit, _):
      demand(
        hasQuit(app, .userForceQuit) || event == .forceQuit(id), "the user did not quit \(id.text)")
    case (.memoryPressure, _):
      demand(
        hasQuit(app, .memoryPressure) || look == .purge(index), "\(id.text) was purged without need"
      )
    case (.memoryResourceLimit, _):
      demand(look == .kill(index), "\(id.text) was not over its limit, or not the first")
    case (.suspendedWithLockedFile, _):
      demand(
        event == nil && app.locks > 0 && policy.lockedFiles.terminates, "\(id.text) held no lock")
      demand(
        app.owed == nil && app.waiting.isEmpty && app.isQuiet
          && app.quietSince + suspendDelay(index) <= now, "\(id.text) was not about to be suspended"
      )
    case (.cpuResourceLimit, _):
      demand(
        event == nil && (overuses(app.processor, at: now) || app.processor.hasOverused),
        "\(id.text) did not exceed its share")
    }
  }

  /// Whether `willTerminate` has just returned, and for this reason.
  private func hasQuit(_ app: App, _ reason: TerminationReason) -> Bool {
    guard case .returned = event, case .callback(_, .willTerminate) = app.lastReturn else {
      return false
    }
    return app.quit == reason
  }

  private func checkCode(_ end: EngineProcessEnd) {
    let code: TerminationCode? =
      switch end.reason {
      case .appWatchdog: policy.limits.code
      case .tooManyBackgroundTasks: policy.tasks.limitCode
      case .suspendedWithLockedFile: policy.lockedFiles.code
      case .backgroundTaskAssertionTimeout:
        end.kind == .finiteTask ? policy.tasks.code : end.kind.flatMap { runRow($0)?.code }
      default: nil
      }
    demand(end.code == code, "\(end.reason) with \(end.code?.text ?? "no code")")
  }

  mutating func noteLeak(_ task: BackgroundTask, _ age: Interval, _ app: AppID) {
    demand(
      mustLeak.app == app && mustLeak.tasks.first?.id == task.id.rawValue, "the wrong task leaked")
    guard !mustLeak.tasks.isEmpty else { return }
    demand(now - mustLeak.tasks.removeFirst().began == age, "a leak's age is wrong")
  }
}
