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
    updateBusyWatch(app)
    switch apps[app].delivery {
    case .willFinishLaunching:
      limits.launchBegan(app, at: now)
      limit(app, policy.limits.launchWarning)
    case .didFinishLaunching:
      let limit =
        apps[app].flags.contains(.isReportedSlow)
        ? policy.limits.launch : policy.limits.launchWarning
      self.limit(
        app, Interval(nanoseconds: max(0, limit.nanoseconds - limits.usedUp(app).nanoseconds)))
    case .didEnterBackground: limitDidEnterBackground(app)
    case .willTerminate: limit(app, policy.limits.willTerminate)
    case .none, .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning,
      .expirationHandler,
      .lastExpirationHandler, .event, .wake, .wakeExpirationHandler, .sessionExpirationHandler:
      break
    }
  }

  /// Sets the limit of didEnterBackground: first its warning, if the policy has one, then its end.
  mutating func limitDidEnterBackground(_ app: AppID) {
    limit(app, policy.limits.didEnterBackgroundWarning ?? policy.limits.didEnterBackground)
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
    if let (remark, rest) = slowness(callback), !apps[app].flags.contains(.isReportedSlow) {
      apps[app].flags.insert(.isReportedSlow)
      actions.append(.diagnostic(remark, app, .invalid(label: 0)))
      limit(app, at: due + rest)
    } else {
      terminate(
        app, EngineProcessEnd(reason: .appWatchdog, code: policy.limits.code, callback: callback),
        &actions)
    }
  }

  /// The diagnostic at the warning of a callback's limit, and the time from the warning to the end;
  /// nil if the limit has no warning.
  private func slowness(_ callback: Callback?) -> (Diagnostic, rest: Interval)? {
    switch callback {
    case .willFinishLaunching, .didFinishLaunching:
      return (.slowLaunch, rest(of: policy.limits.launch, after: policy.limits.launchWarning))
    case .didEnterBackground:
      return policy.limits.didEnterBackgroundWarning.map {
        (.slowDidEnterBackground, rest(of: policy.limits.didEnterBackground, after: $0))
      }
    case nil, .didBecomeActive, .willResignActive, .willEnterForeground, .willTerminate,
      .didReceiveMemoryWarning:
      return nil
    }
  }

  private func rest(of limit: Interval, after warning: Interval) -> Interval {
    Interval(nanoseconds: limit.nanoseconds - warning.nanoseconds)
  }

  /// Whether the limit of the app's callback ends its process at this instant.
  func isEndedByLimit(_ app: AppID, at instant: Instant) -> Bool {
    guard let callback = apps[app].delivery.limitedCallback, apps[app].timer != .none else {
      return false
    }
    return timers.deadline(of: apps[app].timer) == instant
      && (slowness(callback) == nil || apps[app].flags.contains(.isReportedSlow))
  }
}
