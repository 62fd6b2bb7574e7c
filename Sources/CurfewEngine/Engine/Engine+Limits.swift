/// What callbacks may take (rule A10).
extension Engine {
  /// Sets the limit of the callback that an app has just been delivered.
  ///
  /// It waits outside the timer queue until somebody asks what is due: a callback that returns at once never costs the queue anything.
  mutating func limit(_ app: UInt32, _ limit: Interval) {
    self.limit(app, at: now + limit)
  }

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
