package import CurfewEngine

/// Where a replay is, but for its engine.
package struct ReplayState {
  var recorder: TraceRecorder
  package var tasks = TaskTable()
  var device: DeviceFacts
  /// Which line is next.
  var position = 0
  var produced: [(line: TraceLine, delivers: AppID?)] = []
  var matched = 0
  /// The app that the step being taken has delivered something to, and that may be doing something inside it.
  var delivered: AppID?
  /// Apps with a callback of which only its limit tells whether it has returned.
  var limited: [AppID] = []

  /// Before the first line.
  package init(recorder: TraceRecorder, device: DeviceFacts) {
    self.recorder = recorder
    self.device = device
  }

  /// What enters the engine for a trace's event; nil for one that cannot as it stands.
  package mutating func engineEvent(_ event: TraceEvent, _ app: AppID?) -> Event? {
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
    case (.began, let app?): return .began(app)
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
    case .completeWake(let kind, let result, let older): .completeWake(app, kind, result, after: older)
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
      .deliver, .setRefresh, .setDevice, .post, .began, .returned:
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
///
/// Of those that have ended only the last of each label is kept, so that a long trace does not fill the memory. Any other is named by its
/// number, and that is all it takes to be told that it is not open.
package struct TaskTable {
  private struct Held {
    var byLabel: [UInt32: BackgroundTask] = [:]
    var open: [TaskID: BackgroundTask] = [:]
  }

  private var held: [AppID: Held] = [:]

  /// No tasks.
  package init() {}

  /// Takes in what became of a task or a process; any other action changes nothing.
  package mutating func note(_ action: Action) {
    switch action {
    case .taskBegan(let app, let task):
      held[app, default: Held()].byLabel[task.label] = task
      if task.id != .invalid { held[app, default: Held()].open[task.id] = task }
    case .taskEnded(let app, let task): held[app]?.open[task.id] = nil
    case .terminated(let app, _): held[app] = nil
    default: break
    }
  }

  package func task(labelled label: UInt32, of app: AppID) -> BackgroundTask { held[app]?.byLabel[label] ?? .invalid(label: 0) }

  package func task(_ id: TaskID, of app: AppID) -> BackgroundTask {
    id == .invalid ? .invalid(label: 0) : held[app]?.open[id] ?? .ended(id)
  }

  /// How many tasks are kept.
  package var count: Int { held.values.reduce(0) { $0 + $1.byLabel.count + $1.open.count } }
}
