extension Engine {
  /// Handles one event and everything that follows from it at once.
  ///
  /// `Driver` calls `advance(to:)` until nothing is due, and then calls this with one event. After
  /// every call it handles the actions and the apps' reactions. A step thus runs to its end, with
  /// all callbacks that take no time, before the next step is taken (rule C2).
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The current instant, not before the instant of the last call.
  ///   - actions: The buffer to which the resulting actions are appended.
  /// - Complexity: O(1) for begin, end and returns; O(open tasks) for the return of the last
  ///   handler that is due with a warning. Sessions and completed wakes cost O(assertions that
  ///   the app holds). Events about schedules, requests and notifications cost O(the app's records
  ///   of that type). Device-wide events cost O(apps that they concern); `reboot`, `setDevice`, and
  ///   `expireTasks`, `setRefresh` and `post` without an app cost O(apps). While a request waits or
  ///   processing runs, the user's arrival and departure (`launch`, `home`, `acceptInterruption`,
  ///   `lock`, `unlock`) also cost O(apps).
  mutating func handle(_ event: Event, at now: Instant, into actions: inout ActionBuffer) {
    setNow(now)
    handle(event, into: &actions)
  }

  /// Handles an event at the current instant.
  @inline(__always)
  mutating func handle(_ event: Event, into actions: inout ActionBuffer) {
    switch event {
    case .launch(let app): launch(known(app), &actions)
    case .home(let app): gestureInFront(.sendAway, app, &actions)
    case .lock: lockDevice(&actions)
    case .unlock: unlockDevice(&actions)
    case .interrupt(let app): gestureInFront(.interrupt, app, &actions)
    case .acceptInterruption(let app): gestureInFront(.acceptInterruption, app, &actions)
    case .ignoreInterruption(let app): gestureInFront(.ignoreInterruption, app, &actions)
    case .forceQuit(let app): forceQuit(known(app), &actions)
    case .reboot: reboot(&actions)
    case .expireTasks(let app?, let reason): expireTasks(of: known(app), reason, &actions)
    case .expireTasks(nil, let reason): expireAllTasks(reason, &actions)
    case .deliver(let app, let kind, let times): deliver(kind, to: known(app), for: times, &actions)
    case .began(let app): began(known(app))
    case .returned(let app): returned(known(app), &actions)
    case .beginTask(let app, let label, let handler):
      var denial = EventAnswer.nothing
      _ = beginTask(known(app), label, handler, &denial, &actions)
    case .endTask(let app, let task): endTask(task, of: known(app), &actions)
    case .startSession(let app, let kind, let handler):
      startSession(kind, handler, of: known(app), &actions)
    case .stopSession(let app, let kind): stopSession(kind, of: known(app), &actions)
    case .completeWake(let app, let choice, let result):
      completeWake(choice, result, of: known(app), &actions)
    case .setWakeHandler(let app, let wake, let handler):
      setWakeHandler(wake, handler, of: known(app), &actions)
    case .crash(let app, let reason): crash(known(app), reason, &actions)
    case .probe(let app): probe(known(app), &actions)
    default: handleRarer(event, &actions)
    }
  }

  /// Handles an event at the current instant and returns the answer to its caller.
  /// - Precondition: The event is not `beginTask` or `endTask`: the driver calls these functions.
  mutating func answer(_ event: Event, into actions: inout ActionBuffer) -> EventAnswer {
    switch event {
    case .startSession(let app, let kind, let handler):
      return startSession(kind, handler, of: known(app), &actions)
    case .deliver(let app, let kind, let times):
      return deliver(kind, to: known(app), for: times, &actions)
    case .setInterval(let app, let kind, let interval):
      return setInterval(interval, of: kind, known(app), &actions)
    case .submitTask(let app, let request): return submit(request, of: known(app), &actions)
    case .beginTask, .endTask: preconditionFailure("The driver begins and ends tasks itself")
    default:
      handle(event, at: now, into: &actions)
      return .nothing
    }
  }

  /// Handles the remaining events. They are separate because every begin and end passes through
  /// the switch above.
  @inline(never)
  private mutating func handleRarer(_ event: Event, _ actions: inout ActionBuffer) {
    switch event {
    case .setRefresh(nil, let status): setRefresh(status, of: nil, &actions)
    case .setRefresh(let app?, let status): setRefresh(status, of: known(app), &actions)
    case .setFact(let app, let facts, let holds):
      setFact(facts, holds, of: app.map { known($0) }, &actions)
    case .setDevice(let facts): setDevice(facts)
    case .setFootprint(let app, let bytes): setFootprint(known(app), bytes, &actions)
    case .removeApp(let app): removeApp(known(app), &actions)
    case .post(nil, let post): self.post(post, to: nil, &actions)
    case .post(let app?, let post): self.post(post, to: known(app), &actions)
    case .setInterval(let app, let kind, let interval):
      setInterval(interval, of: kind, known(app), &actions)
    case .submitTask(let app, let request): submit(request, of: known(app), &actions)
    case .cancelTask(let app, let identifier): cancelRequest(identifier, of: known(app), &actions)
    case .lockFile(let app): lockFile(known(app), &actions)
    case .unlockFile(let app): unlockFile(known(app), &actions)
    case .useCPU(let app, let share, let length):
      useCPU(share, for: length, of: known(app), &actions)
    case .scheduleNotification(let app, let id, let interval):
      scheduleNotification(id, after: interval, of: known(app), &actions)
    case .cancelNotification(let app, let id): cancelNotification(id, of: known(app), &actions)
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption,
      .forceQuit, .reboot, .expireTasks,
      .deliver, .began, .returned, .beginTask, .endTask, .startSession, .stopSession, .completeWake,
      .setWakeHandler, .crash, .probe:
      preconditionFailure("\(event) is handled by another function")
    }
  }

  /// Checks that an app that a caller names is in this engine. Inside the engine there is no
  /// further check.
  @inline(__always)
  func known(_ app: AppID) -> AppID {
    precondition(app.rawValue < apps.count, "There is no app \(app.rawValue) among \(apps.count)")
    return app
  }

  @inline(__always)
  mutating func setNow(_ instant: Instant) {
    precondition(
      instant >= now, "Time went backwards, from \(now.nanoseconds) ns to \(instant.nanoseconds) ns"
    )
    now = instant
  }

  /// Reports that an event was illegal.
  @inline(never)
  func illegal(_ app: AppID?, _ objection: IllegalEventReason, _ actions: inout ActionBuffer) {
    actions.append(.illegalEvent(app, objection))
  }

  /// Reports that an event was illegal because the app is not running or has been removed.
  @inline(never)
  func illegal(_ app: AppID, _ actions: inout ActionBuffer) {
    illegal(app, idleness(of: app) ?? .notRunning, &actions)
  }

  func answerIllegal(_ app: AppID, _ objection: IllegalEventReason, _ actions: inout ActionBuffer)
    -> EventAnswer
  {
    illegal(app, objection, &actions)
    return .nothing
  }

  func answerIllegal(_ app: AppID, _ actions: inout ActionBuffer) -> EventAnswer {
    illegal(app, &actions)
    return .nothing
  }

  /// The reason why an app cannot act; nil if it can.
  func idleness(of app: AppID) -> IllegalEventReason? {
    if !exists(app) { return .removed }
    switch apps[app].state {
    case .notRunning: return .notRunning
    case .suspended: return .suspended
    case .inactive, .active, .background: return nil
    }
  }

  private func probe(_ app: AppID, _ actions: inout ActionBuffer) {
    guard exists(app) else { return illegal(app, &actions) }
    actions.append(.probe(app, apps[app].state, remaining: backgroundTimeRemaining(of: app)))
  }
}
