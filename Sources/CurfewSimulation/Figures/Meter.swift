import CurfewEngine
import CurfewTrace

/// Counts the lives of one device's apps, and the events that say more than its actions do. The hosts of scenarios and of fleets feed it.
struct Meter {
  private(set) var figures: Figures
  private var lives: AppLives
  private var apps: [AppReading]
  private var openTasks = 0
  private var openSince = Instant.zero
  private var radio: RadioTime
  /// The result with which an app completes a wake in this step.
  private var result: WakeResult?
  /// The uses of apps, if the run looks back on purges.
  private var history: MemoryHistory?
  private let memory: MemoryRules

  /// Before the run of a device whose apps are of these sorts.
  init(_ figures: Figures, sorts: [Int], policy: Policy, radioTail: Interval) {
    self.figures = figures
    lives = AppLives(counting: sorts.count, policy: policy)
    apps = sorts.map { AppReading(sort: $0) }
    radio = RadioTime(tail: radioTail)
    memory = policy.memory
    for sort in sorts { self.figures.apps[sort][.apps] += 1 }
  }

  private func sort(of app: AppID) -> Int { apps[Int(app.rawValue)].sort }

  /// From now on it remembers which apps are in memory, to tell at the end how few cold launches there could have been.
  ///
  /// - Parameters:
  ///   - capacity: The device's memory in bytes; nil for the policy's.
  ///   - footprints: The apps', in bytes; nil for the policy's.
  mutating func lookBack(capacity: Int64?, footprints: [Int64?]) {
    history = MemoryHistory(level: memory.purgeLevel(of: capacity), footprints: footprints.map { $0 ?? memory.footprint })
  }

  // MARK: Actions

  /// Counts an action.
  mutating func note(_ action: Action, at now: Instant) {
    lives.read(action, at: now)
    for change in lives.changes { note(change) }
    switch action {
    case .decision(let app, let kind, _, let denied, _):
      if denied.isEmpty { break }
      figures.apps[sort(of: app)].note(Int(kind.rawValue)) { $0.denials[denied.withoutFullBudgets, default: 0] += 1 }
    case .wakeCompleted(let app, _):
      if result == .newData { apps[Int(app.rawValue)].fresh = now }
      result = nil
    case .illegalEvent: figures.illegalEvents += 1
    default: break
    }
  }

  private mutating func note(_ change: LifeChange) {
    let (app, now) = (change.app, change.time)
    figures.apps[apps[app].sort].note(change.body)
    switch change.body {
    case .began(let span): noteBegin(of: span, app, now)
    case .ended(let span): noteEnd(of: span, app, now)
    case .moment(.opened):
      history?.use(app, isOpening: true)
      if let fresh = apps[app].fresh { figures.apps[apps[app].sort][.age].record((now - fresh).nanoseconds) }
    case .moment: break
    }
  }

  private mutating func noteBegin(of span: LifeSpan, _ app: Int, _ now: Instant) {
    switch span.subject {
    case .visit(let from): if from == .notRunning || from == .suspended { history?.use(app, isOpening: false) }
    case .task: setOpenTasks(openTasks + 1, now)
    case .wake: radio.begin(at: now)
    case .state, .process, .session, .deferral, .request: break
    }
  }

  private mutating func noteEnd(of span: LifeSpan, _ app: Int, _ now: Instant) {
    switch span.subject {
    case .process:
      if case .process(let reason, _) = span.ending, reason != .memoryPressure { history?.end(app) }
      apps[app].shareEnd = now
    case .state(let state):
      if state == .active { apps[app].fresh = now }
      if state == .background { accountShare(app, now) }
      guard case .next(let next) = span.ending else { break }
      apps[app].isRunning = next != .notRunning && next != .suspended
      apps[app].backgroundSince = next == .background ? now : nil
    case .task:
      figures.openTaskTime += span.length?.nanoseconds ?? 0
      setOpenTasks(openTasks - 1, now)
    case .wake(_, let kind):
      radio.end(at: now)
      if span.ending == .app, result == .failed { figures.apps[apps[app].sort].note(kind) { $0[.failed] += 1 } }
    case .visit, .session, .deferral, .request: break
    }
  }

  /// Adds the processor time that an app in the background has used since the last look.
  private mutating func accountShare(_ app: Int, _ now: Instant) {
    guard let since = apps[app].backgroundSince else { return }
    apps[app].backgroundSince = now
    let used = min(now, apps[app].shareEnd) - max(since, apps[app].shareSince)
    guard used > .zero else { return }
    let (product, overflow) = used.nanoseconds.multipliedReportingOverflow(by: apps[app].share)
    figures.apps[apps[app].sort].processorTime += overflow ? used.nanoseconds / 100 * apps[app].share : product / 100
  }

  private mutating func setOpenTasks(_ count: Int, _ now: Instant) {
    figures.openTasks[min(openTasks, figures.openTasks.count - 1)] += (now - openSince).nanoseconds
    (openTasks, openSince) = (count, now)
  }

  // MARK: Events

  /// Counts an event that is about to enter the engine.
  mutating func note(_ event: Event, at now: Instant) {
    switch event {
    case .completeWake(_, _, let said): result = said
    case .setDevice(let facts): history?.setLevel(memory.purgeLevel(of: facts.memory))
    case .setFootprint(let app, let bytes): history?.setFootprint(bytes, of: app)
    case .useCPU(let app, let share, let length):
      let app = Int(app.rawValue)
      guard apps[app].isRunning else { break }
      accountShare(app, now)
      (apps[app].share, apps[app].shareSince, apps[app].shareEnd) = (Int64(share), now, now + length)
    default: break
    }
  }

  /// Counts what became of a piece of work of an app.
  mutating func note(work: Int, of app: AppID, _ change: (inout WorkFigures) -> Void) {
    figures.apps[sort(of: app)].note(work: work, change)
  }

  // MARK: The end

  /// The run is over: spans that go on are counted up to here.
  mutating func finish(at now: Instant, events: Int) {
    lives.finish(at: now)
    for change in lives.changes { note(change) }
    setOpenTasks(openTasks, now)
    figures.radioTime += radio.total(at: now)
    if let history { figures.hindsight = history.hindsight() }
    figures.devices += 1
    figures.events += events
    figures.time += now.nanoseconds
  }
}
