public import CurfewEngine
import CurfewManifest
import CurfewPolicy
public import CurfewTrace

/// Runs a scenario: modelled apps on an engine, in virtual time.
///
/// Time jumps from one thing to the next. At one instant the engine's deadlines come first, then what apps do of themselves in the order in
/// which it was set off, then the look at memory (rule M1), then the timeline (rule C2); each is a step that runs to its end, with all
/// callbacks that take no time.
public struct Simulation: ~Copyable {
  /// How a run came to its end.
  public enum Ending: Hashable, Sendable {
    /// Nothing more can happen.
    case complete
    /// `until` was reached, with more to come.
    case until
    /// The caller wanted no more.
    case interrupted
    /// Time stands still: an app submits a request whenever one starts, and each may start at once.
    case standstill(app: String, identifier: String)
    /// Time ends: an app has set off, in a run without `until`, what would come after the last instant there is.
    case endOfTime(app: String)
  }

  /// What an app does of itself, later.
  enum Doing {
    case returns
    /// The end of a task after its `for:`.
    case ends(BackgroundTask)
  }

  /// An app's delivery that has not returned.
  struct Pending {
    var app: AppID
    var moment: Moment
    /// The task whose handler this is.
    var task: BackgroundTask?
  }

  let scenario: Scenario
  /// Where the simulation is.
  public var now: Instant { engine.now }

  var engine: Engine
  var buffer = ActionBuffer()
  var coder: TraceCoder
  var models: [AppModel]
  private var doings = TimerQueue()
  private var planned: [(app: AppID, doing: Doing)] = []
  private var freePlans: [UInt32] = []
  private var nextLine = 0
  /// How many requests have started at this instant, and the last of them.
  private var starts: (count: Int, last: (app: AppID, identifier: UInt32)?) = (0, nil)
  /// The app that was the first to set off what would come after the last instant.
  private var pastTheEnd: AppID?
  var sink: (TraceLine) throws -> Void = { _ in }

  /// A simulation that stands before the scenario's first line.
  public init(_ scenario: Scenario) {
    self.scenario = scenario
    engine = Engine(policy: scenario.policy.policy, device: scenario.device, minimumCapacity: scenario.apps.count)
    coder = TraceCoder(apps: scenario.apps.map(\.identifier), device: scenario.device)
    models = scenario.apps.map(AppModel.init)
    for app in scenario.apps { _ = engine.addApp(app.manifest.numbered { coder.number(of: $0) }) }
  }

  /// The header of this run's trace.
  public var header: TraceHeader {
    let manifests = scenario.apps.map { ($0.identifier, $0.manifest) }
    return TraceHeader(
      name: scenario.name, policy: scenario.policy.name, policyDigest: scenario.policy.digest, seed: 0,
      apps: scenario.apps.map(\.identifier), device: DeviceChange(differencesOf: scenario.device),
      manifests: Dictionary(uniqueKeysWithValues: manifests).filter { $1 != AppManifest() })
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
      if let ending = standstill ?? endOfTime { return ending }
      guard !isOver, let next = nextInstant else { return .complete }
      if let until = scenario.until, next > until { return .until }
      try step(at: next)
    }
    return .interrupted
  }

  /// So many requests of each app may start at one instant: more than may be pending, many times over.
  private static let greatestNumberOfStarts = 1000

  private var standstill: Ending? {
    guard let last = starts.last, starts.count > Simulation.greatestNumberOfStarts * models.count else { return nil }
    return .standstill(app: coder.apps[Int(last.app.rawValue)], identifier: coder.labels[Int(last.identifier)])
  }

  private var endOfTime: Ending? {
    guard scenario.until == nil, let app = pastTheEnd else { return nil }
    return .endOfTime(app: coder.apps[Int(app.rawValue)])
  }

  /// When what `app` sets off now comes, after `wait`. The last instant stands for never, and nothing is to be left out without a word.
  @discardableResult
  mutating func later(_ wait: Interval, than instant: Instant, _ app: AppID) -> Instant {
    let later = instant + wait
    if later == .distantFuture { pastTheEnd = pastTheEnd ?? app }
    return later
  }

  /// Whether nothing is to come that keeps a run going: opportunities alone do not, unless the scenario says until when (rule W3).
  private var isOver: Bool {
    scenario.until == nil && nextLineInstant == nil && doings.nextDeadline == nil && engine.hasOnlyOpportunities
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
    if instant > engine.now { starts.count = 0 }
    let isDoing = doings.nextDeadline == instant
    if engine.nextDeadline == instant, !(isDoing && engine.isOnlyMemoryDue) {
      _ = engine.advance(to: instant, into: &buffer)
      try finishStep()
    } else if isDoing {
      try takeDoing(at: instant)
    } else {
      nextLine += 1
      try take(scenario.timeline[nextLine - 1].step, at: instant)
    }
  }

  // MARK: What comes out

  /// Writes the actions, lets apps answer their deliveries, and goes on for as long as they return at once.
  mutating func finishStep() throws {
    while let pending = try drain() {
      let instant = engine.now
      for call in models[pending.app].calls(at: pending.moment, pending.task) {
        try perform(call, instant)
        // A busy run loop takes nothing, so this cannot deliver to the same app; and apps do not deliver to each other.
        _ = try drain()
        guard engine.owesReturn(pending.app) else { break }
      }
      guard engine.owesReturn(pending.app) else { continue }
      models[pending.app].delivery = (pending.moment, pending.task)
      let length = models[pending.app].length(of: pending.moment)
      if length > .zero {
        models[pending.app].returnPlan = plan(.returns, pending.app, later(length, than: instant, pending.app))
      } else {
        try finishDelivery(pending.app, instant)
      }
    }
  }

  /// Writes what the buffer holds and answers the delivery among it; there is at most one, at the end.
  mutating func drain() throws -> Pending? {
    var pending: Pending?
    for index in 0..<buffer.count {
      let action = buffer[index]
      coder.note(action)
      if let line = coder.line(for: action, at: engine.now) { try sink(line) }
      switch action {
      case .callback(let app, let callback): pending = Pending(app: app, moment: .callback(callback))
      case .expiration(let app, let task, _, _): pending = Pending(app: app, moment: .expirationHandler, task: task)
      case .wakeBegan(let app, let kind), .event(let app, let kind): pending = Pending(app: app, moment: .wake(kind))
      case .taskEnded(let app, let task): if let plan = models[app].ended(task) { cancel(plan) }
      case .terminated(let app, _): for plan in models[app].died() { cancel(plan) }
      case .request(let app, let identifier, _, .started): starts = (starts.count + 1, (app, identifier))
      default: break
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
    try feed(.returned(app), Deed(.return) { $0.callback = moment }, app, instant)
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

  mutating func plan(_ doing: Doing, _ app: AppID, _ instant: Instant) -> AppModel.Plan {
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
