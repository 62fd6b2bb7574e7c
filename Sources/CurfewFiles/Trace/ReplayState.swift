internal import CurfewEngine

/// Where a replay is, but for its engine.
struct ReplayState {
  var recorder: TraceRecorder
  var tasks = TaskTable()
  var device: DeviceFacts
  /// Which line is next.
  var position = 0
  var produced: [(line: TraceLine, delivers: AppID?)] = []
  var matched = 0
  /// The app that the step being taken has delivered something to, and that may be doing something inside it.
  var delivered: AppID?
  /// Apps with a callback of which only its limit tells whether it has returned.
  var limited: [AppID] = []

  /// What enters the engine for a trace's event; nil for one that cannot as it stands.
  mutating func engineEvent(_ event: TraceEvent, _ app: AppID?) -> Event? {
    switch (event, app) {
    case (.home, _): return .home(app)
    case (.lock, nil): return .lock
    case (.unlock, nil): return .unlock
    case (.reboot, nil): return .reboot
    case (.interrupt, _): return .interrupt(app)
    case (.acceptInterruption, _): return .acceptInterruption(app)
    case (.ignoreInterruption, _): return .ignoreInterruption(app)
    case (.expireTasks(let reason), _): return .expireTasks(app, reason ?? .policyRevoked)
    case (.launch, let app?): return .launch(app)
    case (.forceQuit, let app?): return .forceQuit(app)
    case (.deliver(let kind), let app?): return .deliver(app, kind)
    case (.returned, let app?): return .returned(app)
    case (.setRefresh(let status), _):
      if app == nil { device.backgroundRefresh = status }
      return .setRefresh(app, status)
    case (.setDevice(let change), nil):
      device = change.applied(to: device)
      return .setDevice(device)
    case (.post(let name, let value), _):
      let (name, value, manner) = (recorder.number(of: name), value.map { recorder.number(of: $0) }, Post.Manner(ofPostNamed: name))
      return .post(app, Post(name: name, value: value, manner: manner))
    case (_, let app?): return ownCall(event, app)
    case (_, nil): return nil
    }
  }

  private mutating func ownCall(_ event: TraceEvent, _ app: AppID) -> Event? {
    switch event {
    case .beginTask(let label, let handler): .beginTask(app, label: recorder.number(of: label), handler: handler)
    case .endTask(.label(let label)): .endTask(app, tasks.task(labelled: recorder.number(of: label), of: app))
    case .endTask(.id(let id)): .endTask(app, tasks.task(id, of: app))
    case .startSession(let kind): .startSession(app, kind)
    case .stopSession(let kind): .stopSession(app, kind)
    case .completeWake(let kind, let result): .completeWake(app, kind, result)
    case .setFootprint(let bytes): .setFootprint(app, bytes)
    case .lockFile: .lockFile(app)
    case .unlockFile: .unlockFile(app)
    case .useCPU(let share, let length): .useCPU(app, share: share, for: length)
    case .setMinimumFetchInterval(let interval): .setMinimumFetchInterval(app, interval)
    case .setKeepAlive(let interval): .setKeepAlive(app, interval)
    case .submitTask(let request): .submitTask(app, request.entering(as: recorder.number(of: request.identifier)))
    case .cancelTask(let identifier): .cancelTask(app, identifier: recorder.number(of: identifier))
    case .scheduleNotification(let id, let wait): .scheduleNotification(app, id: recorder.number(of: id), after: wait)
    case .cancelNotification(let id): .cancelNotification(app, id: recorder.number(of: id))
    case .crash(let reason): .crash(app, reason ?? .abnormalExit)
    case .probe: .probe(app)
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .expireTasks,
      .deliver, .setRefresh, .setDevice, .post, .returned:
      nil
    }
  }
}

extension TraceEvent.Request {
  fileprivate func entering(as number: UInt32) -> TaskRequest {
    TaskRequest(
      identifier: number, kind: kind, earliest: earliest, requiresNetwork: requiresNetwork, requiresPower: requiresPower)
  }
}

/// The tasks of a trace's apps, by the numbers of their labels and by their own.
struct TaskTable {
  private struct Held {
    var byLabel: [UInt32: BackgroundTask] = [:]
    var byID: [TaskID: BackgroundTask] = [:]
  }

  private var held: [AppID: Held] = [:]

  mutating func note(_ action: Action) {
    switch action {
    case .taskBegan(let app, let task):
      held[app, default: Held()].byLabel[task.label] = task
      held[app, default: Held()].byID[task.id] = task
    case .terminated(let app, _): held[app] = nil
    default: break
    }
  }

  func task(labelled label: UInt32, of app: AppID) -> BackgroundTask { held[app]?.byLabel[label] ?? .invalid(label: 0) }

  func task(_ id: TaskID, of app: AppID) -> BackgroundTask { held[app]?.byID[id] ?? .invalid(label: 0) }
}
