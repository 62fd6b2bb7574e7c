import CurfewEngine
import CurfewTrace

/// What enters the engine: the timeline's steps, and the apps' own calls.
extension Simulation {
  mutating func take(_ step: Step, at instant: Instant) throws {
    switch step.action {
    case .launch(let app): try feed(.launch(app), .launch, app, instant)
    case .home(let app): try feed(.home(app), .home, app, instant)
    case .lock: try feed(.lock, .lock, nil, instant)
    case .unlock: try feed(.unlock, .unlock, nil, instant)
    case .interrupt(let app): try feed(.interrupt(app), .interrupt, app, instant)
    case .acceptInterruption(let app): try feed(.acceptInterruption(app), .acceptInterruption, app, instant)
    case .ignoreInterruption(let app): try feed(.ignoreInterruption(app), .ignoreInterruption, app, instant)
    case .forceQuit(let app): try feed(.forceQuit(app), .forceQuit, app, instant)
    case .reboot: try feed(.reboot, .reboot, nil, instant)
    case .expireTasks(let app, let reason):
      try feed(.expireTasks(app, reason ?? .policyRevoked), .expireTasks(reason), app, instant)
    case .deliver(let app, let kind): try feed(.deliver(app, kind), .deliver(kind), app, instant)
    case .setRefresh(let app, let status):
      if app == nil { device.backgroundRefresh = status }
      try feed(.setRefresh(app, status), .setRefresh(status), app, instant)
    case .setDevice(let change):
      device = change.applied(to: device)
      try feed(.setDevice(device), .setDevice(change), nil, instant)
    case .post(let app, let name, let value):
      let post = Post(name: name, value: value, manner: Post.Manner(ofPostNamed: scenario.text(name)))
      try feed(.post(app, post), .post(name: scenario.text(name), value: value.map(scenario.text)), app, instant)
    case .call(let app, let call): try perform(call, app, instant)
    }
    try finishStep()
  }

  /// An app's own call. Takes effect at once, also inside a callback (rule A2).
  mutating func perform(_ call: Call, _ app: AppID, _ instant: Instant) throws {
    if let wait = call.wait { later(wait, than: instant, app) }
    switch call {
    case .beginTask(let label, let length, let handler): try begin(label, length, handler, app, instant)
    case .endTask(let label):
      let task = models[app].variables[label] ?? .invalid(label: label)
      try feed(.endTask(app, task), .endTask(.label(scenario.text(label))), app, instant)
    case .startSession(let kind): try feed(.startSession(app, kind), .startSession(kind), app, instant)
    case .stopSession(let kind): try feed(.stopSession(app, kind), .stopSession(kind), app, instant)
    case .completeWake(let kind, let result): try feed(.completeWake(app, kind, result), .completeWake(kind, result), app, instant)
    case .setFootprint(let bytes): try feed(.setFootprint(app, bytes), .setFootprint(bytes), app, instant)
    case .lockFile: try feed(.lockFile(app), .lockFile, app, instant)
    case .unlockFile: try feed(.unlockFile(app), .unlockFile, app, instant)
    case .useCPU(let share, let length):
      try feed(.useCPU(app, share: share, for: length), .useCPU(share: share, length: length), app, instant)
    case .setMinimumFetchInterval(let interval):
      try feed(.setMinimumFetchInterval(app, interval), .setMinimumFetchInterval(interval), app, instant)
    case .setKeepAlive(let interval): try feed(.setKeepAlive(app, interval), .setKeepAlive(interval), app, instant)
    case .submitTask(let request): try feed(.submitTask(app, request), .submitTask(traced(request)), app, instant)
    case .cancelTask(let identifier):
      try feed(.cancelTask(app, identifier: identifier), .cancelTask(identifier: scenario.text(identifier)), app, instant)
    case .scheduleNotification(let id, let wait):
      try feed(.scheduleNotification(app, id: id, after: wait), .scheduleNotification(id: scenario.text(id), after: wait), app, instant)
    case .cancelNotification(let id): try feed(.cancelNotification(app, id: id), .cancelNotification(id: scenario.text(id)), app, instant)
    case .crash(let reason): try feed(.crash(app, reason ?? .abnormalExit), .crash(reason), app, instant)
    case .probe: try feed(.probe(app), .probe, app, instant)
    }
  }

  private mutating func begin(
    _ label: UInt32, _ length: Interval?, _ handler: Call.Handler, _ app: AppID, _ instant: Instant
  ) throws {
    let presence: ExpirationHandler = handler == .none ? .absent : .present
    let event = Event.beginTask(app, label: label, handler: presence)
    try feed(event, .beginTask(scenario.text(label), presence), app, instant) { simulation, action in
      guard case .taskBegan(_, let task) = action else { return }
      simulation.models[app].began(task, handler)
      guard let length, task.id != .invalid else { return }
      simulation.models[app].ends[task] = simulation.plan(.ends(task), app, simulation.later(length, than: instant, app))
    }
  }

  /// The handler, or the work itself, ends its task: by its label, or by its number where the label has moved on to another.
  mutating func end(_ task: BackgroundTask, _ app: AppID, _ instant: Instant) throws {
    let isVariable = models[app].variables[task.label] == task
    let reference = isVariable ? TraceEvent.TaskReference.label(scenario.text(task.label)) : .id(task.id)
    try feed(.endTask(app, task), .endTask(reference), app, instant)
  }

  mutating func feed(
    _ event: Event, _ traced: TraceEvent, _ app: AppID?, _ instant: Instant,
    noting note: (inout Simulation, CurfewEngine.Action) -> Void = { _, _ in }
  ) throws {
    if let line = recorder.line(for: traced, app: app, at: instant) { try sink(line) }
    let before = buffer.count
    engine.handle(event, at: instant, into: &buffer)
    for index in before..<buffer.count { note(&self, buffer[index]) }
  }

  private func traced(_ request: TaskRequest) -> TraceEvent.Request {
    TraceEvent.Request(
      identifier: scenario.text(request.identifier), kind: request.kind, earliest: request.earliest,
      requiresNetwork: request.requiresNetwork, requiresPower: request.requiresPower)
  }
}

extension Call {
  /// How long after it something happens that the engine sees to, and that keeps a run going.
  fileprivate var wait: Interval? {
    switch self {
    case .submitTask(let request): request.earliest
    case .scheduleNotification(_, let wait): wait
    case .beginTask, .endTask, .startSession, .stopSession, .completeWake, .setFootprint, .lockFile, .unlockFile, .useCPU,
      .setMinimumFetchInterval, .setKeepAlive, .cancelTask, .cancelNotification, .crash, .probe:
      nil
    }
  }
}

extension Scenario {
  /// The text of this number.
  fileprivate func text(_ label: UInt32) -> String { labels[Int(label)] }
}
