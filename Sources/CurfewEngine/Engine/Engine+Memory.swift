/// Memory (rules M1, M2): looked at when all else of an instant has been done.
extension Engine {
  /// What resident apps take up together, in bytes. An app that has been told to terminate counts as gone.
  public var memoryInUse: Int64 { memory.inUse }

  /// What an app takes up while it is resident, in bytes.
  public func footprint(of app: AppID) -> Int64 { footprint(index(app)) }

  func footprint(_ app: UInt32) -> Int64 {
    let own = extra(app).map { extras[$0].footprint } ?? -1
    return min(own >= 0 ? own : policy.memory.footprint, MemoryRules.greatestFootprint)
  }

  /// Whether an app counts as using memory.
  @inline(__always)
  private func isCounted(_ app: UInt32) -> Bool { apps[app].state != .notRunning && apps[app].presence != .terminating }

  // MARK: Keeping count

  /// An app's state is about to change.
  @inline(__always)
  mutating func countMove(_ app: UInt32, from state: AppState, to next: AppState) {
    guard apps[app].presence != .terminating else { return }
    memory.running += (next.isRunning ? 1 : 0) - (state.isRunning ? 1 : 0)
    if state == .notRunning { countResident(app, 1) }
    if next == .notRunning { countResident(app, -1) }
  }

  /// What an app is headed for is about to change.
  @inline(__always)
  mutating func countMove(_ app: UInt32, from presence: Presence, to next: Presence) {
    let state = apps[app].state
    guard state != .notRunning, presence != .terminating else { return }
    if next == .terminating {
      if state.isRunning { memory.running -= 1 }
      countResident(app, -1)
    } else {
      memory.purgeable += (next == .background ? 1 : 0) - (presence == .background ? 1 : 0)
    }
  }

  @inline(never)
  private mutating func countResident(_ app: UInt32, _ change: Int) {
    memory.use(Int64(change) * footprint(app))
    if apps[app].presence == .background { memory.purgeable += change }
    noteLimit(app, isResident: change > 0)
  }

  mutating func setFootprint(_ app: UInt32, _ bytes: Int64) {
    precondition(bytes >= 0, "A footprint of \(bytes) bytes")
    let slot = makeExtras(app)
    let before = footprint(app)
    extras[slot].footprint = bytes
    guard isCounted(app) else { return }
    memory.use(footprint(app) - before)
    noteLimit(app, isResident: true)
    noteRank(app)
  }

  private mutating func noteLimit(_ app: UInt32, isResident: Bool) {
    let own = extra(app).map { extras[$0].memoryLimit } ?? -1
    let limit = own >= 0 ? own : policy.memory.appLimit ?? .max
    let place = memory.overLimit.firstIndex(of: app)
    if isResident, footprint(app) > limit {
      if place == nil { memory.overLimit.append(app) }
    } else if let place {
      memory.overLimit.remove(at: place)
    }
  }

  // MARK: Looking

  /// Whether a look at memory would do something.
  @inline(__always)
  var isMemoryDue: Bool {
    guard memory.isOverWarningLevel || !memory.overLimit.isEmpty else { return false }
    return !memory.overLimit.isEmpty || (!memory.hasWarned && memory.running > 0)
      || (memory.isOverCapacity && (memory.purgeable > 0 || !memory.hasToldOverCapacity))
  }

  /// Does one thing about memory: apps over their own limits first, then the warning, then one victim.
  ///
  /// - Complexity: O(log apps) for a victim, amortised: see `MemoryLedger.keepsRanks`. O(apps) for a warning, which reaches all that run.
  mutating func lookAtMemory(_ actions: inout ActionBuffer) {
    if let app = memory.overLimit.min() {
      terminate(app, Termination(reason: .memoryResourceLimit), &actions)
    } else if !memory.hasWarned, memory.running > 0 {
      memory.hasWarned = true
      for app in 0..<UInt32(apps.used) where apps[app].isRunning && apps[app].presence != .terminating {
        agenda.append(AgendaItem(app: app, work: .memoryWarning))
      }
    } else if memory.purgeable > 0 {
      purge(nextVictim(), &actions)
    } else {
      memory.hasToldOverCapacity = true
      actions.append(.diagnostic(.overCapacity, nil, .invalid(label: 0)))
    }
  }

  mutating func warnOfMemory(_ app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, apps[app].presence != .terminating else { return }
    enqueue(RunLoopItem(kind: .memoryWarning), app)
    runLoop(app, &actions)
  }

  private mutating func purge(_ app: UInt32, _ actions: inout ActionBuffer) {
    if apps[app].state == .suspended { return terminate(app, Termination(reason: .memoryPressure), &actions) }
    apps[app].reasons.quit = .memoryPressure
    perform(.purge, on: app, &actions)
  }

  // MARK: Ranks

  /// An app's rank may have changed.
  @inline(__always)
  mutating func noteRank(_ app: UInt32) {
    if memory.keepsRanks { pushRank(app) }
  }

  @inline(never)
  private mutating func pushRank(_ app: UInt32) {
    guard let rank = rank(of: app) else { return }
    // Ranks that have been overtaken are dropped before they are more than three of four.
    guard memory.ranks.count < 4 * memory.purgeable + 64 else { return collectRanks() }
    memory.push(rank)
  }

  private mutating func collectRanks() {
    memory.keepRanks(collectedFrom: apps.used)
    memory.ranks.removeAll()
    for app in 0..<UInt32(apps.used) {
      if let rank = rank(of: app) { memory.ranks.push(rank) }
    }
  }

  /// nil for an app that no purge takes.
  private func rank(of app: UInt32) -> PurgeRank? {
    guard apps[app].presence == .background, apps[app].state != .notRunning else { return nil }
    let tier: PurgeRank.Tier =
      if apps[app].state == .suspended { .suspended } else if isPlaying(app) { .playing } else { .running }
    return PurgeRank(footprint: footprint(app), frontStamp: apps[app].frontStamp, app: app, tier: tier)
  }

  private func isPlaying(_ app: UInt32) -> Bool {
    apps[app].otherAssertions > 0 && (oldest(.audio, nil, of: app) != nil || oldest(.externalAccessory, nil, of: app) != nil)
  }

  private mutating func nextVictim() -> UInt32 {
    if !memory.keepsRanks { collectRanks() }
    while let first = memory.ranks.popFirst() {
      if rank(of: first.app) == first { return first.app }
    }
    preconditionFailure("\(memory.purgeable) apps may be purged, and none has a rank")
  }
}
