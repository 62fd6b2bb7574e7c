/// The watch over apps whose run loops are busy in the background without an assertion (rule A13).
///
/// Most callbacks return before the next deadline is requested, so a watch enters the timer queue
/// only at that request, as limits do (see `CallbackTimes`).
///
/// Invariant: the app of the pending watch has the identifier `noEntry`.
struct BusyWatch {
  /// The watch that is not in the timer queue yet.
  private(set) var pending: CallbackTimes.Pending?

  /// The identifier of a watch without a deadline in the queue: it is pending, or over because
  /// the app has been reported.
  static let noEntry = TimerQueue.ID(index: .max - 1)

  /// - Precondition: No watch is pending.
  mutating func set(_ watch: CallbackTimes.Pending) {
    precondition(pending == nil, "A watch over app \(watch.app.rawValue) while another is pending")
    pending = watch
  }

  /// Removes and returns the pending watch.
  mutating func take() -> CallbackTimes.Pending? {
    defer { pending = nil }
    return pending
  }
}

extension Engine {
  /// Whether the app is watched: its run loop is busy in the background, and it holds no active
  /// assertion. If limits count from first lines, so does the time of the watch.
  @inline(__always)
  func isBusyWithoutAssertion(_ app: AppID) -> Bool {
    apps[app].delivery != .none && apps[app].openTasks == 0 && apps[app].otherAssertions == 0
      && apps[app].state == .background && apps[app].presence == .background
      && policy.limits.withoutAssertionWarning != nil
      && (limits.start == .delivery || apps[app].flags.contains(.hasBegun))
  }

  @inline(__always)
  private func isWatched(_ app: AppID) -> Bool {
    apps[app].clockTimer != .none && !apps[app].flags.contains(.clockRuns)
  }

  /// Begins or ends the watch over an app after a change of anything that it depends on.
  @inline(__always)
  mutating func updateBusyWatch(_ app: AppID) {
    guard policy.limits.withoutAssertionWarning != nil else { return }
    let isBusy = isBusyWithoutAssertion(app)
    guard isBusy != isWatched(app) else { return }
    if isBusy { beginBusyWatch(app) } else { takeBusyWatchAway(app) }
  }

  /// Ends the watch over an app, if there is one.
  @inline(__always)
  mutating func endBusyWatch(_ app: AppID) {
    if policy.limits.withoutAssertionWarning != nil, isWatched(app) { takeBusyWatchAway(app) }
  }

  private mutating func beginBusyWatch(_ app: AppID) {
    guard let length = policy.limits.withoutAssertionWarning else { return }
    queuePendingWatch()
    apps[app].clockTimer = BusyWatch.noEntry
    busyWatch.set(
      CallbackTimes.Pending(app: app, deadline: now + length, ticket: timers.takeTicket()))
  }

  private mutating func takeBusyWatchAway(_ app: AppID) {
    if apps[app].clockTimer != BusyWatch.noEntry {
      timers.cancel(apps[app].clockTimer)
    } else if busyWatch.pending?.app == app {
      _ = busyWatch.take()
    }
    apps[app].clockTimer = .none
  }

  @inline(__always)
  mutating func queuePendingWatch() {
    guard let pending = busyWatch.take() else { return }
    apps[pending.app].clockTimer = timers.insert(
      pending.deadline, payload: Deadline.busyRunLoop(pending.app).payload, ticket: pending.ticket)
  }

  /// Reports an app whose run loop is busy, once until the run loop is free or the app holds an
  /// assertion again. If the limit of its callback ends the process at this instant, there is
  /// no report beside that end.
  mutating func busyWatchFired(_ app: AppID, due: Instant, _ actions: inout ActionBuffer) {
    apps[app].clockTimer = BusyWatch.noEntry
    guard !isEndedByLimit(app, at: due) else { return }
    actions.append(.runsWithoutAssertion(app, runningCall(of: app)))
  }

  private func runningCall(of app: AppID) -> RunningCall {
    switch apps[app].delivery {
    case .none: preconditionFailure("App \(app.rawValue)'s run loop is free")
    case .willFinishLaunching: .callback(.willFinishLaunching)
    case .didFinishLaunching: .callback(.didFinishLaunching)
    case .didBecomeActive: .callback(.didBecomeActive)
    case .willResignActive: .callback(.willResignActive)
    case .didEnterBackground: .callback(.didEnterBackground)
    case .willEnterForeground: .callback(.willEnterForeground)
    case .willTerminate: .callback(.willTerminate)
    case .didReceiveMemoryWarning: .callback(.didReceiveMemoryWarning)
    case .expirationHandler, .lastExpirationHandler: .expirationHandler
    case .wakeExpirationHandler: .wakeExpirationHandler
    case .sessionExpirationHandler: .sessionExpirationHandler
    case .event, .wake: .wake(apps[extras: app].delivered.kind)
    }
  }
}
