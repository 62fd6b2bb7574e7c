import CurfewEngine

/// The figures of one device, counted from the lives of its apps.
struct LifeCounts: LifeReader {
  private(set) var figures: Figures
  /// The instant of the current change.
  var now = Instant.zero
  private var apps: [AppReading]
  /// The time that each app was in each of the five states, in eight places for each app. Changes
  /// of state are the most frequent changes, so their times are added to the figures at the end.
  private var stateTimes: [Int64]
  private var openTasks = 0
  private var openSince = Instant.zero
  private var radio: RadioTime
  /// The result with which an app completes a wake in this step.
  private var result: WakeResult?
  /// The uses of apps, to compute the best purges at the end; nil if they are not recorded.
  private var history: MemoryHistory?
  private let memory: MemoryRules

  init(_ figures: Figures, sorts: [Int], memory: MemoryRules, radioTail: Interval) {
    self.figures = figures
    apps = sorts.map { AppReading(sort: $0) }
    stateTimes = Array(repeating: 0, count: sorts.count << 3)
    radio = RadioTime(tail: radioTail)
    self.memory = memory
    for sort in sorts { self.figures.apps[sort][.apps] += 1 }
  }

  private func sort(of app: AppID) -> Int { apps[Int(app.rawValue)].sort }

  mutating func lookBack(capacity: Int64?, footprints: [Int64?]) {
    history = MemoryHistory(
      level: memory.purgeLevel(of: capacity), footprints: footprints.map { $0 ?? memory.footprint })
  }

  // MARK: Actions

  /// Counts the parts of an action that its app's life does not contain. The life's changes must
  /// have been counted before.
  @inline(__always)
  mutating func note(_ action: Action) {
    switch action {
    case .decision(let app, let kind, _, let denied, _):
      if denied.isEmpty { break }
      figures.apps[sort(of: app)].note(KindNumber(kind)) {
        $0.denials[denied.withoutFullBudgets, default: 0] += 1
      }
    case .wakeCompleted(let app, _):
      if result == .newData { apps[Int(app.rawValue)].fresh = now }
      result = nil
    case .illegalEvent: figures[.illegalEvents] += 1
    default: break
    }
  }

  // MARK: Lives

  static let readsDetails = false

  @inline(__always) mutating func began(_ span: LifeSpan, of app: Int) {
    figures.apps[apps[app].sort].noteBegin(of: span)
    switch span.subject {
    case .visit(let from):
      if from == .notRunning || from == .suspended { history?.use(app, isOpening: false) }
    case .task: setOpenTasks(openTasks + 1)
    case .wake: radio.begin(at: now)
    case .state, .process, .session, .deferral, .request: break
    }
  }

  @inline(__always) mutating func ended(_ span: LifeSpan, of app: Int) {
    if case .state(let state) = span.subject { return ended(state, span, of: app) }
    figures.apps[apps[app].sort].noteEnd(of: span)
    switch span.subject {
    case .process:
      if case .process(let reason, _) = span.ending, reason != .memoryPressure { history?.end(app) }
      apps[app].shareEnd = now
    case .task:
      figures[.openTaskTime] += (now - span.begin).nanoseconds
      setOpenTasks(openTasks - 1)
    case .wake(_, let kind):
      radio.end(at: now)
      if result == .failed, span.ending == .app {
        figures.apps[apps[app].sort].note(kind) { $0[.failed] += 1 }
      }
    case .state, .visit, .session, .deferral, .request: break
    }
  }

  @inline(__always)
  private mutating func ended(_ state: AppState, _ span: LifeSpan, of app: Int) {
    stateTimes[app << 3 | Int(state.rawValue)] += (now - span.begin).nanoseconds
    if case .next(.suspended) = span.ending { figures.apps[apps[app].sort][.suspensions] += 1 }
    if state == .active { apps[app].fresh = now }
    if state == .background { accountShare(app, since: span.begin) }
  }

  @inline(__always) mutating func happened(_ moment: LifeMoment, of app: Int) {
    figures.apps[apps[app].sort].note(moment)
    guard case .opened = moment else { return }
    history?.use(app, isOpening: true)
    if let fresh = apps[app].fresh {
      figures.apps[apps[app].sort][.age].record((now - fresh).nanoseconds)
    }
  }

  /// Adds the processor time of an app in the background since it entered the background, or since
  /// it reported its share.
  private mutating func accountShare(_ app: Int, since begin: Instant) {
    guard apps[app].share > 0 else { return }
    let used = min(now, apps[app].shareEnd) - max(begin, apps[app].shareSince)
    guard used > .zero else { return }
    let (product, overflow) = used.nanoseconds.multipliedReportingOverflow(by: apps[app].share)
    figures.apps[apps[app].sort].processorTime +=
      overflow ? used.nanoseconds / 100 * apps[app].share : product / 100
  }

  private mutating func setOpenTasks(_ count: Int) {
    figures.openTasks[min(openTasks, figures.openTasks.count - 1)] += (now - openSince).nanoseconds
    (openTasks, openSince) = (count, now)
  }

  // MARK: Events

  @inline(__always)
  mutating func note(_ event: Event, _ lives: AppLives) {
    switch event {
    case .completeWake(_, _, let said): result = said
    case .setDevice(let facts): history?.setLevel(memory.purgeLevel(of: facts.memory))
    case .setFootprint(let app, let bytes): history?.setFootprint(bytes, of: app)
    case .useCPU(let app, let share, let length):
      let app = Int(app.rawValue)
      let state = lives.state(of: app)
      if state.subject == .state(.notRunning) || state.subject == .state(.suspended) { break }
      if state.subject == .state(.background) { accountShare(app, since: state.begin) }
      (apps[app].share, apps[app].shareSince, apps[app].shareEnd) = (
        Int64(share), now, now + length
      )
    default: break
    }
  }

  mutating func note(work: Int, of app: AppID, _ change: (inout WorkFigures) -> Void) {
    figures.apps[sort(of: app)].note(work: work, change)
  }

  // MARK: The end

  /// Counts the run as a whole, after the ends of all lives.
  mutating func finish(events: Int) {
    for app in apps.indices {
      for state in AppState.allCases {
        figures.apps[apps[app].sort][state] += stateTimes[app << 3 | Int(state.rawValue)]
      }
    }
    setOpenTasks(openTasks)
    figures[.radioTime] += radio.total(at: now)
    if let history { figures.hindsight = history.hindsight() }
    figures[.devices] += 1
    figures[.events] += events
    figures[.simulated] += now.nanoseconds
  }
}
