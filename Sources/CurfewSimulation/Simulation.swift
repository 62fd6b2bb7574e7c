public import CurfewEngine
public import CurfewFiles

/// Runs a scenario: modelled apps on an engine, in virtual time.
///
/// Time jumps from one thing to the next. At one instant the engine's deadlines come first, then what apps do of themselves in the order in
/// which it was set off, then the timeline (rule C2); each is a step that runs to its end, with all callbacks that take no time.
public struct Simulation: ~Copyable {
  /// How a run came to its end.
  public enum Ending: Hashable, Sendable {
    /// Nothing more can happen.
    case complete
    /// `until` was reached, with more to come.
    case until
    /// The caller wanted no more.
    case interrupted
  }

  /// What an app does of itself, later.
  private enum Doing {
    case returns
    /// The end of a task after its `for:`.
    case ends(BackgroundTask)
  }

  /// An app's delivery that has not returned.
  private struct Pending {
    var app: AppID
    var moment: Moment
    /// The task whose handler this is.
    var task: BackgroundTask?
  }

  let scenario: Scenario
  /// Where the simulation is.
  public var now: Instant { engine.now }

  private var engine: Engine
  private var buffer = ActionBuffer()
  private var recorder: TraceRecorder
  private var models: [AppModel]
  private var doings = TimerQueue()
  private var planned: [(app: AppID, doing: Doing)] = []
  private var freePlans: [UInt32] = []
  private var nextLine = 0
  private var sink: (TraceLine) throws -> Void = { _ in }

  /// A simulation that stands before the scenario's first line.
  public init(_ scenario: Scenario) {
    self.scenario = scenario
    engine = Engine(policy: scenario.policy.policy, device: scenario.device.facts, minimumCapacity: scenario.apps.count)
    recorder = TraceRecorder(apps: scenario.apps.map(\.identifier), labels: scenario.labels)
    models = scenario.apps.map(AppModel.init)
    for app in scenario.apps { _ = engine.addApp(app.manifest) }
  }

  /// The header of this run's trace.
  public var header: TraceHeader {
    TraceHeader(
      name: scenario.name, policy: scenario.policy.name, policyDigest: scenario.policy.digest, seed: 0,
      apps: scenario.apps.map(\.identifier),
      exitsOnSuspend: scenario.apps.filter(\.manifest.exitsOnSuspend).map(\.identifier))
  }

  /// Runs to the end.
  ///
  /// - Parameters:
  ///   - isInterrupted: Asked before every step.
  ///   - sink: Gets each line of the trace, in order. What it throws ends the run.
  public mutating func run(
    isInterrupted: () -> Bool = { false }, _ sink: @escaping (TraceLine) throws -> Void
  ) throws -> Ending {
    self.sink = sink
    while !isInterrupted() {
      guard let next = nextInstant else { return .complete }
      if let until = scenario.until, next > until { return .until }
      try step(at: next)
    }
    return .interrupted
  }

  private var nextLineInstant: Instant? { nextLine < scenario.timeline.count ? scenario.timeline[nextLine].at : nil }

  /// When something happens next.
  private var nextInstant: Instant? {
    let next = min(
      engine.nextDeadline ?? .distantFuture, doings.nextDeadline ?? .distantFuture, nextLineInstant ?? .distantFuture)
    return next == .distantFuture ? nil : next
  }

  /// Takes what comes first at `instant`.
  private mutating func step(at instant: Instant) throws {
    if engine.nextDeadline == instant {
      _ = engine.advance(to: instant, into: &buffer)
      try finishStep()
    } else if doings.nextDeadline == instant {
      try takeDoing(at: instant)
    } else {
      nextLine += 1
      try take(scenario.timeline[nextLine - 1].step, at: instant)
    }
  }

  // MARK: What enters the engine

  private mutating func take(_ step: Step, at instant: Instant) throws {
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
    case .call(let app, let call): try perform(call, app, instant)
    }
    try finishStep()
  }

  /// An app's own call. Takes effect at once, also inside a callback (rule A2).
  private mutating func perform(_ call: Call, _ app: AppID, _ instant: Instant) throws {
    switch call {
    case .beginTask(let label, let length, let handler): try begin(label, length, handler, app, instant)
    case .endTask(let label):
      let task = models[app].variables[label] ?? .invalid(label: label)
      try feed(.endTask(app, task), .endTask(.label(scenario.labels[Int(label)])), app, instant)
    case .startSession(let kind): try feed(.startSession(app, kind), .startSession(kind), app, instant)
    case .stopSession(let kind): try feed(.stopSession(app, kind), .stopSession(kind), app, instant)
    case .completeWake(let kind, let result): try feed(.completeWake(app, kind), .completeWake(kind, result), app, instant)
    case .crash(let reason): try feed(.crash(app, reason ?? .abnormalExit), .crash(reason), app, instant)
    case .probe: try feed(.probe(app), .probe, app, instant)
    }
  }

  private mutating func begin(
    _ label: UInt32, _ length: Interval?, _ handler: Call.Handler, _ app: AppID, _ instant: Instant
  ) throws {
    let presence: ExpirationHandler = handler == .none ? .absent : .present
    let event = Event.beginTask(app, label: label, handler: presence)
    try feed(event, .beginTask(scenario.labels[Int(label)], presence), app, instant) { simulation, action in
      guard case .taskBegan(_, let task) = action else { return }
      simulation.models[app].began(task, handler)
      if let length, task.id != .invalid { simulation.models[app].ends[task] = simulation.plan(.ends(task), app, instant + length) }
    }
  }

  /// The handler, or the work itself, ends its task: by its label, or by its number where the label has moved on to another.
  private mutating func end(_ task: BackgroundTask, _ app: AppID, _ instant: Instant) throws {
    let isVariable = models[app].variables[task.label] == task
    let reference = isVariable ? TraceEvent.TaskReference.label(scenario.labels[Int(task.label)]) : .id(task.id)
    try feed(.endTask(app, task), .endTask(reference), app, instant)
  }

  private mutating func feed(
    _ event: Event, _ traced: TraceEvent, _ app: AppID?, _ instant: Instant,
    noting note: (inout Simulation, CurfewEngine.Action) -> Void = { _, _ in }
  ) throws {
    if let line = recorder.line(for: traced, app: app, at: instant) { try sink(line) }
    let before = buffer.count
    engine.handle(event, at: instant, into: &buffer)
    for index in before..<buffer.count { note(&self, buffer[index]) }
  }

  // MARK: What comes out

  /// Writes the actions, lets apps answer their deliveries, and goes on for as long as they return at once.
  private mutating func finishStep() throws {
    while let pending = try drain() {
      let instant = engine.now
      for call in models[pending.app].calls(at: pending.moment, pending.task) {
        try perform(call, pending.app, instant)
        // A busy run loop takes nothing, so this cannot deliver to the same app; and apps do not deliver to each other.
        _ = try drain()
        guard engine.owesReturn(pending.app) else { break }
      }
      guard engine.owesReturn(pending.app) else { continue }
      models[pending.app].delivery = (pending.moment, pending.task)
      let length = models[pending.app].length(of: pending.moment)
      if length > .zero {
        models[pending.app].returnPlan = plan(.returns, pending.app, instant + length)
      } else {
        try finishDelivery(pending.app, instant)
      }
    }
  }

  /// Writes what the buffer holds and answers the delivery among it; there is at most one, at the end.
  private mutating func drain() throws -> Pending? {
    var pending: Pending?
    for index in 0..<buffer.count {
      let action = buffer[index]
      if let line = recorder.line(for: action, at: engine.now) { try sink(line) }
      switch action {
      case .callback(let app, let callback): pending = Pending(app: app, moment: .callback(callback))
      case .expiration(let app, let task, _, _): pending = Pending(app: app, moment: .expirationHandler, task: task)
      case .wakeBegan(let app, let kind), .event(let app, let kind): pending = Pending(app: app, moment: .wake(kind))
      case .taskEnded(let app, let task): if let plan = models[app].ended(task) { cancel(plan) }
      case .terminated(let app, _): for plan in models[app].died() { cancel(plan) }
      case .state, .taskBegan, .decision, .session, .wakeCompleted, .wakeOverran, .leakedTask, .diagnostic, .probe: break
      }
    }
    buffer.removeAll()
    return pending
  }

  // MARK: What apps do of themselves

  private mutating func finishDelivery(_ app: AppID, _ instant: Instant) throws {
    guard let (moment, task) = models[app].delivery else { return }
    models[app].delivery = nil
    models[app].returnPlan = nil
    if let task, models[app].model.endsTasksOnExpiration, models[app].openTasks.contains(task) {
      try end(task, app, instant)
      _ = try drain()
    }
    try feed(.returned(app), .returned(moment), app, instant)
  }

  private mutating func takeDoing(at instant: Instant) throws {
    guard let expired = doings.popFirst(notAfter: instant) else { return }
    let (app, doing) = planned[Int(expired.payload)]
    freePlans.append(expired.payload)
    switch doing {
    case .returns: try finishDelivery(app, instant)
    case .ends(let task):
      models[app].ends[task] = nil
      try end(task, app, instant)
    }
    try finishStep()
  }

  private mutating func plan(_ doing: Doing, _ app: AppID, _ instant: Instant) -> AppModel.Plan {
    let index: UInt32
    if let free = freePlans.popLast() {
      index = free
      planned[Int(free)] = (app, doing)
    } else {
      index = UInt32(planned.count)
      planned.append((app, doing))
    }
    return AppModel.Plan(timer: doings.insert(instant, payload: index), index: index)
  }

  private mutating func cancel(_ plan: AppModel.Plan) {
    doings.cancel(plan.timer)
    freePlans.append(plan.index)
  }
}
