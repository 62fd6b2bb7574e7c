/// The limits of callbacks (rule A10).
extension Engine {
  /// Sets the limit of the callback that has just been delivered to an app.
  mutating func limit(_ app: AppID, _ limit: Interval) { self.limit(app, at: now + limit) }

  private mutating func limit(_ app: AppID, at deadline: Instant) {
    queuePendingLimit()
    limits.set(CallbackTimes.Pending(app: app, deadline: deadline, ticket: timers.takeTicket()))
  }

  mutating func takeLimitAway(_ app: AppID) {
    if limits.take(of: app) == nil { timers.disarm(&apps[app].timer) }
  }

  @inline(__always)
  mutating func queuePendingLimit() {
    guard let pending = limits.take() else { return }
    assert(apps[pending.app].timer == .none, "an app is suspended in the middle of a callback")
    apps[pending.app].timer = timers.insert(
      pending.deadline, payload: Deadline.limit(pending.app).payload, ticket: pending.ticket)
  }

  // MARK: First lines

  /// Handles `.began`: a delivered callback has started to run. If limits start at the first line,
  /// the limit of the callback counts from now.
  mutating func began(_ app: AppID) {
    precondition(
      owesBegin(app),
      "App \(app.rawValue) began nothing: report `began` once for each delivery, before it returns"
    )
    apps[app].flags.insert(.hasBegun)
    guard limits.start == .firstLine else { return }
    switch apps[app].delivery {
    case .willFinishLaunching:
      limits.launchBegan(app, at: now)
      limit(app, policy.limits.launchWarning)
    case .didFinishLaunching:
      let limit =
        apps[app].flags.contains(.launchWarned) ? policy.limits.launch : policy.limits.launchWarning
      self.limit(
        app, Interval(nanoseconds: max(0, limit.nanoseconds - limits.usedUp(app).nanoseconds)))
    case .didEnterBackground: limit(app, policy.limits.didEnterBackground)
    case .willTerminate: limit(app, policy.limits.willTerminate)
    case .none, .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning,
      .expirationHandler,
      .lastExpirationHandler, .event, .wake, .wakeExpirationHandler, .sessionExpirationHandler:
      break
    }
  }

  /// Stops the time of the launch when willFinishLaunching returns.
  mutating func holdLaunch(_ app: AppID) {
    takeLimitAway(app)
    limits.holdLaunch(app, at: now)
  }

  /// Handles the end of a limit. The instant `due` counts, not `now`: a late host does not lengthen
  /// a launch.
  mutating func limitFired(_ app: AppID, due: Instant, _ actions: inout ActionBuffer) {
    apps[app].timer = .none
    let callback = apps[app].delivery.limitedCallback
    let isLaunching = callback == .willFinishLaunching || callback == .didFinishLaunching
    if isLaunching, !apps[app].flags.contains(.launchWarned) {
      apps[app].flags.insert(.launchWarned)
      actions.append(.diagnostic(.slowLaunch, app, .invalid(label: 0)))
      let rest = Interval(
        nanoseconds: policy.limits.launch.nanoseconds - policy.limits.launchWarning.nanoseconds)
      limit(app, at: due + rest)
    } else {
      terminate(
        app, EngineProcessEnd(reason: .appWatchdog, code: policy.limits.code, callback: callback),
        &actions)
    }
  }
}
