public import CurfewEngine
package import CurfewPolicy
import CurfewText
public import CurfewTrace

/// Runs a scenario: modelled apps on an engine, in virtual time.
///
/// Time jumps from one item to the next, in the driver's order. The timeline comes last at each
/// instant (rule C2).
public struct Simulation: ~Copyable {
  /// The way in which a run ended.
  public enum Ending: Hashable, Sendable {
    /// Nothing more can happen.
    case complete
    /// The run reached `until` before it was complete.
    case until
    /// The caller stopped the run.
    case interrupted
    /// Time stands still: apps respond to a callback or handler with calls that cause it again at
    /// the same instant (rule C4).
    case standstill(Standstill)
    /// Time ends: in a run without `until`, an effect of an app is due at or after the last instant
    /// that can be represented.
    case endOfTime(app: String)

    /// Whether the run is complete, or reached `until`.
    public var isWhole: Bool { self == .complete || self == .until }
  }

  let scenario: Scenario
  /// The current instant.
  public var now: Instant { driver.now }

  package internal(set) var driver: Driver
  package internal(set) var coder: TraceCoder
  var models: [AppModel]
  /// The plans for the ends of tasks with `for:`, by the tasks' slots.
  var ends: [UInt32: (task: BackgroundTask, app: AppID, plan: Driver.Plan)] = [:]
  private var nextLine = 0
  /// The place of the latest step in the file.
  var place: SourcePlace?
  /// The first app with an effect that is due after the last instant.
  private var pastTheEnd: AppID?
  var sink: (TraceLine) throws -> Void = { _ in }
  /// Counts the run's figures.
  var meter: Meter
  /// The number of events sent to the engine, and of the engine's own steps.
  var events = 0

  /// A simulation before the scenario's first step.
  public init(_ scenario: Scenario) {
    self.scenario = scenario
    driver = Driver(
      Engine(
        policy: scenario.policy.policy, device: scenario.device,
        minimumCapacity: scenario.apps.count))
    coder = TraceCoder(
      apps: scenario.apps.map(\.identifier), device: scenario.device, policy: scenario.policy.policy
    )
    models = scenario.apps.map(AppModel.init)
    let blank = Figures(
      names: scenario.apps.map(\.identifier), works: scenario.apps.map { _ in [] })
    meter = Meter(
      blank, sorts: Array(scenario.apps.indices), policy: scenario.policy.policy,
      radioTail: Workload.defaultRadioTail)
    for app in scenario.apps {
      _ = driver.addApp(app.manifest.numbered(coder.names) { coder.number(of: $0) })
    }
  }

  /// The header of this run's trace.
  public var header: TraceHeader {
    let manifests = scenario.apps.map { ($0.identifier, $0.manifest) }
    return TraceHeader(
      name: scenario.name, policy: scenario.policy.name, policyDigest: scenario.policy.digest,
      settings: scenario.policy.settings, seed: 0,
      apps: scenario.apps.map(\.identifier), device: DeviceChange(differencesOf: scenario.device),
      facts: scenario.facts,
      manifests: Dictionary(uniqueKeysWithValues: manifests).filter { $1 != AppManifest() })
  }

  /// Runs to the end.
  ///
  /// - Parameters:
  ///   - isInterrupted: Called before every step; true stops the run.
  ///   - sink: Gets each line of the trace, in order. An error that it throws ends the run.
  public mutating func run(
    isInterrupted: () -> Bool = { false }, _ sink: @escaping (TraceLine) throws -> Void
  ) throws -> Ending {
    self.sink = sink
    while !isInterrupted() {
      if let ending = try step() {
        // A run that a standstill or the end of time stops is not complete.
        if ending.isWhole { try sink(TraceLine(time: scenario.until ?? now, app: nil, .end)) }
        return ending
      }
    }
    return .interrupted
  }

  /// Runs through `instant`, including everything that happens at it, and stops there.
  ///
  /// - Returns: The run's ending if it ended before reaching `instant`; the simulation then stands
  ///   at the last instant at which something happened. Nil if the simulation stands at `instant`.
  package mutating func run(
    through instant: Instant, isInterrupted: () -> Bool = { false },
    _ sink: @escaping (TraceLine) throws -> Void
  ) throws -> Ending? {
    self.sink = sink
    while !isInterrupted() {
      if driver.standstill == nil, !isOver, let next = nextInstant, next > instant {
        if instant > now { driver.move(to: instant) }
        return nil
      }
      guard let ending = try step() else { continue }
      guard ending == .complete, scenario.until != nil else { return ending }
      if instant > now { driver.move(to: instant) }
      return nil
    }
    return .interrupted
  }

  /// The figures of the run up to `end`; nil stands for `now`. Nothing more may happen
  /// before `end`.
  /// - Precondition: `end` is not before `now`.
  public func figures(until end: Instant? = nil) -> Figures {
    let end = end ?? now
    precondition(end >= now, "Figures up to \(end), but it is already \(now)")
    var meter = meter
    meter.finish(at: end, events: events)
    return meter.figures.withPerDevice(scenario.policy.policy.names)
  }

  /// The engine's current state, for questions about `kind` and `app`.
  package func asked(_ kind: KindName, for app: AppID) -> AskedEngine {
    AskedEngine(kind, for: app, in: driver, under: scenario.policy)
  }

  /// Takes the next step, or returns the ending if the run is over.
  private mutating func step() throws -> Ending? {
    if let ending = standstill ?? endOfTime { return ending }
    guard !isOver, let next = nextInstant else { return .complete }
    if let until = scenario.until, next > until { return .until }
    try step(at: next)
    return nil
  }

  private var standstill: Ending? {
    driver.standstill.map { .standstill(coder.named($0)) }
  }

  private var endOfTime: Ending? {
    guard scenario.until == nil, let app = pastTheEnd else { return nil }
    return .endOfTime(app: coder.apps[Int(app.rawValue)])
  }

  /// The instant `wait` from now, at which an effect of `app` is due. The engine reads the last
  /// instant as "never". An app whose effect is due then is recorded, because the effect must
  /// not be lost silently.
  @discardableResult
  mutating func later(by wait: Interval, _ app: AppID) -> Instant {
    let later = now + wait
    if later == .distantFuture { pastTheEnd = pastTheEnd ?? app }
    return later
  }

  /// Whether nothing remains that keeps the run going. Opportunities alone do not keep it going
  /// unless the scenario has an `until` (rule W3).
  private var isOver: Bool {
    scenario.until == nil && nextLineInstant == nil && driver.hasOnlyOpportunities
  }

  private var nextLineInstant: Instant? {
    nextLine < scenario.timeline.count ? scenario.timeline[nextLine].at : nil
  }

  /// The instant of the next step.
  private var nextInstant: Instant? {
    let next = min(driver.nextInstant ?? .distantFuture, nextLineInstant ?? .distantFuture)
    return next == .distantFuture ? nil : next
  }

  /// Takes the first step at `instant`, with everything that follows from it.
  private mutating func step(at instant: Instant) throws {
    if !driver.step(until: instant) {
      if driver.standstill != nil { return }
      nextLine += 1
      try perform(scenario.timeline[nextLine - 1].step, at: instant)
    } else if driver.hasAdvanced {
      events += 1
      try sink(TraceLine(time: now, app: nil, .advance))
    }
    while let item = driver.pull() {
      switch item {
      case .action(let action): try tell(action)
      case .turn(let app): try takeTurn(app)
      case .due(let slot):
        if let (task, app, _) = ends.removeValue(forKey: slot) { try end(task, app) }
      }
    }
  }

  /// Writes an action's line, and delivers the action to its app.
  private mutating func tell(_ action: Action) throws {
    coder.note(action)
    meter.note(action, at: now)
    if var line = coder.line(for: action, at: now) {
      line.body.place(at: place)
      try sink(line)
    }
    switch action {
    case .callback(let app, let callback): models[app].isCalled(at: .callback(callback))
    case .expiration(let app, let task, _, _):
      models[app].isCalled(at: .expirationHandler, of: task)
    case .wakeBegan(let app, let wake):
      models[app].isCalled(at: .wake(coder.names.name(of: wake.kind)))
    case .wakeWarned(let app, _, _): models[app].isCalled(at: .wakeExpirationHandler)
    case .sessionWarned(let app, _, _): models[app].isCalled(at: .sessionExpirationHandler)
    case .event(let app, let kind): models[app].isCalled(at: .wake(coder.names.name(of: kind)))
    case .taskEnded(let app, let task):
      models[app].ended(task)
      cancelEnd(of: task)
    case .terminated(let app, _): for task in models[app].died() { cancelEnd(of: task) }
    default: break
    }
  }

  private mutating func cancelEnd(of task: BackgroundTask) {
    if let end = ends.removeValue(forKey: task.slot) { driver.cancel(end.plan) }
  }
}
