/// What callbacks may take (rule A10).
extension Engine {
  /// Sets the limit of the callback that an app has just been delivered.
  ///
  /// It waits outside the timer queue until somebody asks what is due: a callback that returns at once never costs the queue anything.
  mutating func limit(_ app: UInt32, _ limit: Interval) { self.limit(app, at: now + limit) }

  private mutating func limit(_ app: UInt32, at deadline: Instant) {
    queuePendingLimit()
    pendingLimit = PendingLimit(app: app, deadline: deadline, ticket: timers.takeTicket())
  }

  mutating func takeLimitAway(_ app: UInt32) {
    if let pending = pendingLimit, pending.app == app {
      pendingLimit = nil
    } else {
      timers.disarm(&apps[app].timer)
    }
  }

  @inline(__always)
  mutating func queuePendingLimit() {
    guard let pending = pendingLimit else { return }
    pendingLimit = nil
    assert(apps[pending.app].timer == .none, "an app is suspended in the middle of a callback")
    apps[pending.app].timer = timers.insert(
      pending.deadline, payload: Deadline.limit(pending.app).payload, ticket: pending.ticket)
  }

  // MARK: From first lines on

  /// The first line of what was delivered has been reached: what limits that counts from now on.
  mutating func began(_ app: UInt32) {
    precondition(owesBegin(AppID(rawValue: app)), "App \(app) began nothing: `began` is said once for each delivery, before it returns")
    apps[app].flags.insert(.hasBegun)
    guard limitStart == .firstLine else { return }
    switch apps[app].delivery {
    case .willFinishLaunching:
      launchTimes[Int(app)] = now.nanoseconds
      limit(app, policy.limits.launchWarning)
    case .didFinishLaunching:
      let limit = apps[app].flags.contains(.launchWarned) ? policy.limits.launch : policy.limits.launchWarning
      self.limit(app, Interval(nanoseconds: max(0, limit.nanoseconds - launchTimes[Int(app)])))
    case .didEnterBackground: limit(app, policy.limits.didEnterBackground)
    case .willTerminate: limit(app, policy.limits.willTerminate)
    case .none, .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning, .expirationHandler, .event: break
    }
  }

  /// willFinishLaunching has returned: the launch stands still until didFinishLaunching has begun too.
  mutating func holdLaunch(_ app: UInt32) {
    takeLimitAway(app)
    launchTimes[Int(app)] = now.nanoseconds - launchTimes[Int(app)]
  }

  /// `due` counts, not now: a host that comes late does not lengthen a launch.
  mutating func limitFired(_ app: UInt32, due: Instant, _ actions: inout ActionBuffer) {
    apps[app].timer = .none
    let callback = apps[app].delivery.limitedCallback
    let isLaunching = callback == .willFinishLaunching || callback == .didFinishLaunching
    if isLaunching, !apps[app].flags.contains(.launchWarned) {
      apps[app].flags.insert(.launchWarned)
      actions.append(.diagnostic(.slowLaunch, AppID(rawValue: app), .invalid(label: 0)))
      let rest = Interval(nanoseconds: policy.limits.launch.nanoseconds - policy.limits.launchWarning.nanoseconds)
      limit(app, at: due + rest)
    } else {
      terminate(app, Termination(reason: .appWatchdog, code: policy.limits.code, callback: callback), &actions)
    }
  }
}
