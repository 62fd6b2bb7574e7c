/// Memory (rules M1, M2). Memory is examined after all other steps of an instant.
extension Engine {
  /// The footprint of all resident apps together, in bytes. An app that is terminating counts
  /// as gone.
  public var memoryInUse: Int64 { memory.inUse }

  /// The footprint of an app while it is resident, in bytes.
  public func footprint(of app: AppID) -> Int64 { memory.footprint(apps[extras: known(app)]) }

  // MARK: Counts

  /// Updates the counts for a state change that is about to happen.
  @inline(__always)
  mutating func countMove(_ app: AppID, from state: AppState, to next: AppState) {
    if (state == .notRunning) != (next == .notRunning) {
      noteLimit(app, isResident: state == .notRunning)
    }
    guard apps[app].presence != .terminating else { return }
    memory.count(running: (next.isRunning ? 1 : 0) - (state.isRunning ? 1 : 0))
    if state == .notRunning { countResident(app, 1) }
    if next == .notRunning { countResident(app, -1) }
  }

  /// Updates the counts for a change of presence that is about to happen.
  @inline(__always)
  mutating func countMove(_ app: AppID, from presence: Presence, to next: Presence) {
    let state = apps[app].state
    guard state != .notRunning, presence != .terminating else { return }
    if next == .terminating {
      if state.isRunning { memory.count(running: -1) }
      countResident(app, -1)
    } else {
      memory.count(purgeable: (next == .background ? 1 : 0) - (presence == .background ? 1 : 0))
    }
  }

  @inline(never)
  private mutating func countResident(_ app: AppID, _ change: Int) {
    memory.use(Int64(change) * footprint(of: app))
    if apps[app].presence == .background { memory.count(purgeable: change) }
  }

  mutating func setFootprint(_ app: AppID, _ bytes: Int64, _ actions: inout ActionBuffer) {
    precondition(bytes >= 0, "A footprint of \(bytes) bytes")
    guard exists(app) else { return illegal(app, &actions) }
    let before = footprint(of: app)
    apps[extras: app].footprint = bytes
    if apps[app].state != .notRunning { noteLimit(app, isResident: true) }
    guard apps[app].usesMemory else { return }
    memory.use(footprint(of: app) - before)
    noteRank(app)
  }

  mutating func noteStartCost(_ cost: Interval, of app: AppID) {
    precondition(cost >= .zero, "A start that costs \(cost)")
    apps[extras: app].startCost = cost.nanoseconds
  }

  /// Notes whether an app is over its limit. This applies to every process, including one that
  /// is terminating (rule M2).
  private mutating func noteLimit(_ app: AppID, isResident: Bool) {
    let own = apps[extras: app].memoryLimit
    let limit = own >= 0 ? own : policy.memory.appLimit ?? .max
    memory.note(app, isOverLimit: isResident && footprint(of: app) > limit)
  }

  // MARK: Examination

  /// Examines memory and takes one action: ends an app that is over its limit, warns, purges an app
  /// or reports that memory is over its capacity.
  ///
  /// - Complexity: O(log apps) for a purge, amortised: see `MemoryLedger.keepsRanks`. O(apps) for
  ///   a warning, which reaches all running apps.
  mutating func lookAtMemory(_ actions: inout ActionBuffer) {
    switch memory.look() {
    case .terminate(let app):
      terminate(app, EngineProcessEnd(reason: .memoryResourceLimit), &actions)
    case .warn:
      for app in apps.ids where apps[app].isRunning && apps[app].presence != .terminating {
        agenda.append(AgendaItem(app: app, work: .memoryWarning))
      }
    case .purge: purge(nextVictim(), &actions)
    case .tellOverCapacity: actions.append(.diagnostic(.overCapacity, nil, .invalid(label: 0)))
    }
  }

  mutating func warnOfMemory(_ app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, apps[app].presence != .terminating else { return }
    enqueue(.memoryWarning, app)
    runLoop(app, &actions)
  }

  private mutating func purge(_ app: AppID, _ actions: inout ActionBuffer) {
    if apps[app].state == .suspended {
      return terminate(app, EngineProcessEnd(reason: .memoryPressure), &actions)
    }
    apps[app].reasons.quit = .memoryPressure
    perform(.purge, on: app, &actions)
  }

  // MARK: Ranks

  /// Notes that an app's rank may have changed.
  @inline(__always)
  mutating func noteRank(_ app: AppID) {
    if memory.keepsRanks { pushRank(app) }
  }

  @inline(never)
  private mutating func pushRank(_ app: AppID) {
    guard let rank = rank(of: app) else { return }
    if memory.isFullOfRanks { collectRanks() } else { memory.push(rank) }
  }

  private mutating func collectRanks() {
    memory.beginCollecting(from: apps.count)
    for app in apps.ids {
      if let rank = rank(of: app) { memory.collect(rank) }
    }
  }

  /// The rank of an app; nil for an app that cannot be purged.
  private func rank(of app: AppID) -> PurgeRank? {
    guard apps[app].presence == .background, apps[app].state != .notRunning else { return nil }
    let tier: PurgeRank.Tier =
      if apps[app].state == .suspended { .suspended } else if isPlaying(app) { .playing } else {
        .running
      }
    return PurgeRank(
      weight: weight(of: app), footprint: footprint(of: app), frontStamp: apps[app].frontStamp,
      app: app, tier: tier)
  }

  private func weight(of app: AppID) -> Int64 {
    switch policy.memory.purge {
    case .largest: 0
    case .leastRecentlyUsed: Int64(apps[app].frontStamp)
    case .leastCostly: memory.startCost(apps[extras: app])
    }
  }

  private func isPlaying(_ app: AppID) -> Bool {
    guard apps[app].otherAssertions > 0 else { return false }
    return assertions.records.first(in: apps[app].assertions) {
      rows[$0.kind].isPurgedLast && $0.holds
    } != nil
  }

  private mutating func nextVictim() -> AppID {
    if !memory.keepsRanks { collectRanks() }
    while let first = memory.popFirstRank() {
      if rank(of: first.app) == first { return first.app }
    }
    preconditionFailure("\(memory.purgeable) apps may be purged, and none has a rank")
  }
}
