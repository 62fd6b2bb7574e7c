import CurfewEngine

/// Counts what comes out of one device's engine, and what of it enters that says more than its actions do. The hosts of scenarios and of fleets feed it.
struct Meter {
  private(set) var figures: Figures
  private var apps: [AppReading]
  private var tasks: [OpenTask] = []
  private var openCount = 0
  private var openSince = Instant.zero
  private let radioTail: Interval
  /// How many wakes run.
  private var radioUsers = 0
  /// Until when the radio has been accounted for: it is on from there while wakes run.
  private var radioSince = Instant.zero
  /// Until when it stays on, after the last wake.
  private var radioEnd = Instant.zero
  private let classes: [AssertionClass]
  /// For each kind whether what runs out goes on.
  private let tells: [Bool]
  /// What was said of the wake that is completed in this step.
  private var result: WakeResult?
  /// Who was in memory when, where that is looked back on.
  private var history: MemoryHistory?
  private let rules: MemoryRules

  /// Of these figures' device, whose apps are of these sorts.
  init(_ figures: Figures, sorts: [Int], policy: Policy, radioTail: Interval) {
    self.figures = figures
    self.radioTail = radioTail
    rules = policy.memory
    apps = sorts.map { AppReading(sort: $0) }
    classes = policy.names.kinds.indices.map { policy.names.class(of: AssertionKind(rawValue: UInt8($0))) }
    tells = policy.names.kinds.indices.map { number in
      let kind = AssertionKind(rawValue: UInt8(number))
      return (policy.wakes[kind]?.overrun ?? policy.sessions[kind]?.overrun) == .tell
    }
    for sort in sorts { self.figures.apps[sort].apps += 1 }
  }

  private func sort(of app: AppID) -> Int { apps[Int(app.rawValue)].sort }

  /// From now on it remembers who is in memory, to tell at the end how few cold launches there could have been.
  ///
  /// - Parameters:
  ///   - capacity: The device's memory in bytes; nil for the policy's.
  ///   - footprints: The apps', in bytes; nil for the policy's.
  mutating func lookBack(capacity: Int64?, footprints: [Int64?]) {
    history = MemoryHistory(level: rules.purgeLevel(of: capacity), footprints: footprints.map { $0 ?? rules.footprint })
  }

  // MARK: What comes out

  /// Counts an action.
  mutating func note(_ action: Action, at now: Instant) {
    switch action {
    case .state(let app, let from, let to):
      settle(app)
      move(app, from, to, now)
    case .callback(let app, .willEnterForeground):
      let place = Int(app.rawValue)
      (apps[place].isReturning, apps[place].isThawed) = (apps[place].isThawed, false)
    case .callback(let app, _), .event(let app, _), .notification(let app, _, _): settle(app)
    case .taskBegan(let app, let task): begin(task, app, now)
    case .taskEnded(let app, let task): end(task, app, now)
    case .expiration(let app, let task, _, _): expire(task, app)
    // Also of a task without a handler.
    case .leakedTask(let app, let task, _): expire(task, app)
    case .wakeBegan(let app, let wake):
      settle(app)
      beginRun(of: wake.kind, wake.id.rawValue, app, now)
    case .wakeCompleted(let app, let wake):
      complete(wake, app, now)
    case .wakeWarned(let app, let wake, _): count(app, wake.kind) { $0.warned += 1 }
    case .wakeOverran(let app, let wake, _):
      count(app, wake.kind) { $0.overran += 1 }
      if !tells[Int(wake.kind.rawValue)] { endRun(of: wake.kind, wake.id.rawValue, app, now) }
    case .request(let app, _, let kind, .submitted), .request(let app, _, let kind, .replaced): count(app, kind) { $0.requested += 1 }
    case .decision(let app, let kind, _, let denied, _):
      guard !denied.isEmpty else { return count(app, kind) { $0.allowed += 1 } }
      if kind == .finiteTask { figures.apps[sort(of: app)].tasksDenied += 1 }
      count(app, kind) { $0.denials[denied.withoutFullBudgets, default: 0] += 1 }
    case .illegalEvent: figures.illegalEvents += 1
    case .session(let app, let kind, let change): note(change, kind, app, now)
    case .sessionWarned(let app, let kind, _): count(app, kind) { $0.warned += 1 }
    case .terminated(let app, let termination):
      figures.apps[sort(of: app)].ends[Int(termination.reason.rawValue)] += 1
      if termination.reason != .memoryPressure { history?.end(Int(app.rawValue)) }
    default: break
    }
  }

  private mutating func count(_ app: AppID, _ kind: AssertionKind, _ change: (inout KindFigures) -> Void) {
    figures.apps[sort(of: app)].note(kind, change)
  }

  private mutating func note(_ change: SessionChange, _ kind: AssertionKind, _ app: AppID, _ now: Instant) {
    switch change {
    case .began: beginRun(of: kind, 0, app, now)
    case .ended: if endRun(of: kind, 0, app, now) { count(app, kind) { $0.completed += 1 } }
    case .overran, .overBudget:
      count(app, kind) { $0.overran += 1 }
      if !tells[Int(kind.rawValue)] { endRun(of: kind, 0, app, now) }
    case .deferred: endRun(of: kind, 0, app, now)
    case .renewed: beginRun(of: kind, 0, app, now)
    case .denied: break
    }
  }

  // MARK: States

  /// The user brings an app to the front.
  private mutating func open(_ place: Int, _ from: AppState, _ now: Instant) {
    let sort = apps[place].sort
    history?.use(place, isOpening: true)
    if from == .notRunning {
      figures.apps[sort].coldLaunches += 1
    } else if apps[place].isReturning {
      figures.apps[sort].warmLaunches += 1
    } else {
      figures.apps[sort].liveLaunches += 1
    }
    apps[place].isReturning = false
    if let fresh = apps[place].fresh { figures.apps[sort].age.record((now - fresh).nanoseconds) }
  }

  private mutating func complete(_ wake: AdmittedWake, _ app: AppID, _ now: Instant) {
    if result == .newData { apps[Int(app.rawValue)].fresh = now }
    let hasFailed = result == .failed
    result = nil
    guard endRun(of: wake.kind, wake.id.rawValue, app, now) else { return }
    count(app, wake.kind) {
      $0.completed += 1
      if hasFailed { $0.failed += 1 }
    }
  }

  /// An app that came out of suspension stays in the background: a visit.
  private mutating func settle(_ app: AppID) {
    guard apps[Int(app.rawValue)].isThawed else { return }
    apps[Int(app.rawValue)].isThawed = false
    history?.use(Int(app.rawValue), isOpening: false)
    figures.apps[sort(of: app)].visits += 1
  }

  private mutating func move(_ app: AppID, _ from: AppState, _ to: AppState, _ now: Instant) {
    let place = Int(app.rawValue)
    let sort = apps[place].sort
    account(place, now)
    apps[place].state = to
    if from == .active { apps[place].fresh = now }
    if to == .inactive, from == .notRunning || from == .background { open(place, from, now) }
    switch to {
    case .background:
      if from == .notRunning {
        figures.apps[sort].backgroundLaunches += 1
        history?.use(place, isOpening: false)
      }
      if from == .suspended { apps[place].isThawed = true } else { figures.apps[sort].visits += 1 }
    case .suspended: figures.apps[sort].suspensions += 1
    case .notRunning:
      while let run = apps[place].runs.last { endRun(of: run.kind, run.id, app, now) }
      while let slot = apps[place].tasks.popLast() { close(slot, app, now) }
      (apps[place].shareEnd, apps[place].isReturning) = (now, false)
    case .inactive, .active: break
    }
  }

  /// Adds the time since the last look to the state that the app was in.
  private mutating func account(_ place: Int, _ now: Instant) {
    let (state, sort, since) = (apps[place].state, apps[place].sort, apps[place].since)
    figures.apps[sort].states[Int(state.rawValue)] += (now - since).nanoseconds
    if state == .background, apps[place].shareEnd > since {
      let used = min(now, apps[place].shareEnd) - max(since, apps[place].shareSince)
      let (product, overflow) = used.nanoseconds.multipliedReportingOverflow(by: apps[place].share)
      if used > .zero { figures.apps[sort].processorTime += overflow ? used.nanoseconds / 100 * apps[place].share : product / 100 }
    }
    apps[place].since = now
  }

  // MARK: Tasks

  private mutating func begin(_ task: BackgroundTask, _ app: AppID, _ now: Instant) {
    guard task.id != .invalid else { return }
    figures.apps[sort(of: app)].tasksBegun += 1
    while tasks.count <= Int(task.slot) { tasks.append(OpenTask()) }
    tasks[Int(task.slot)] = OpenTask(since: now)
    apps[Int(app.rawValue)].tasks.append(task.slot)
    setOpen(openCount + 1, now)
  }

  private mutating func end(_ task: BackgroundTask, _ app: AppID, _ now: Instant) {
    guard let index = apps[Int(app.rawValue)].tasks.firstIndex(of: task.slot) else { return }
    apps[Int(app.rawValue)].tasks.remove(at: index)
    if !tasks[Int(task.slot)].isExpired { figures.apps[sort(of: app)].tasksEnded += 1 }
    close(task.slot, app, now)
  }

  private mutating func expire(_ task: BackgroundTask, _ app: AppID) {
    guard !tasks[Int(task.slot)].isExpired else { return }
    tasks[Int(task.slot)].isExpired = true
    figures.apps[sort(of: app)].tasksExpired += 1
  }

  private mutating func close(_ slot: UInt32, _ app: AppID, _ now: Instant) {
    let length = (now - tasks[Int(slot)].since).nanoseconds
    figures.apps[sort(of: app)].taskLength.record(length)
    figures.openTaskTime += length
    setOpen(openCount - 1, now)
  }

  private mutating func setOpen(_ count: Int, _ now: Instant) {
    figures.openTasks[min(openCount, figures.openTasks.count - 1)] += (now - openSince).nanoseconds
    (openCount, openSince) = (count, now)
  }

  // MARK: Sessions, wakes and the radio

  private mutating func beginRun(of kind: AssertionKind, _ id: UInt32, _ app: AppID, _ now: Instant) {
    count(app, kind) { $0.begun += 1 }
    apps[Int(app.rawValue)].runs.append((kind, id, now))
    guard isWake(kind) else { return }
    if radioUsers == 0 {
      figures.radioTime += max(.zero, min(now, radioEnd) - radioSince).nanoseconds
      radioSince = now
    }
    radioUsers += 1
  }

  /// - Returns: Whether it was running.
  @discardableResult
  private mutating func endRun(of kind: AssertionKind, _ id: UInt32, _ app: AppID, _ now: Instant) -> Bool {
    let place = Int(app.rawValue)
    guard let index = apps[place].runs.firstIndex(where: { $0.kind == kind && $0.id == id }) else { return false }
    let run = apps[place].runs.remove(at: index)
    count(app, kind) { $0.length.record((now - run.since).nanoseconds) }
    guard isWake(kind) else { return true }
    radioUsers -= 1
    guard radioUsers == 0 else { return true }
    figures.radioTime += (now - radioSince).nanoseconds
    (radioSince, radioEnd) = (now, now + radioTail)
    return true
  }

  private func isWake(_ kind: AssertionKind) -> Bool { Int(kind.rawValue) < classes.count && classes[Int(kind.rawValue)] == .wake }

  // MARK: What goes in

  /// Counts what is about to enter the engine.
  mutating func note(_ event: Event, at now: Instant) {
    switch event {
    case .completeWake(_, _, let said): result = said
    case .setDevice(let facts): history?.setLevel(rules.purgeLevel(of: facts.memory))
    case .setFootprint(let app, let bytes): history?.setFootprint(bytes, of: app)
    case .useCPU(let app, let share, let length):
      let place = Int(app.rawValue)
      guard apps[place].state != .notRunning, apps[place].state != .suspended else { break }
      account(place, now)
      (apps[place].share, apps[place].shareSince, apps[place].shareEnd) = (Int64(share), now, now + length)
    default: break
    }
  }

  /// What became of a piece of work of an app.
  mutating func note(work: Int, of app: AppID, _ change: (inout WorkFigures) -> Void) {
    figures.apps[sort(of: app)].note(work: work, change)
  }

  // MARK: The end

  /// The run is over: what goes on is counted up to here.
  mutating func finish(at now: Instant, events: Int) {
    for place in apps.indices {
      settle(AppID(rawValue: UInt32(place)))
      account(place, now)
      for slot in apps[place].tasks { figures.openTaskTime += (now - tasks[Int(slot)].since).nanoseconds }
    }
    setOpen(openCount, now)
    figures.radioTime += radioUsers > 0 ? (now - radioSince).nanoseconds : max(.zero, min(now, radioEnd) - radioSince).nanoseconds
    if let history { figures.hindsight = history.hindsight() }
    figures.devices += 1
    figures.events += events
    figures.time += now.nanoseconds
  }
}
