/// What the engine knows of memory without looking at the apps: sums, levels and counts (rules
/// M1, M2).
///
/// Purging begins above one level and goes on to another, so that a device at its limit does
/// not purge an app for each that comes.
///
/// Invariants: an app counts from its launch until it has ended or is headed for its end; who
/// is over their limit are apps with a process, none of them twice. Ranks that have been overtaken
/// are never more than three of four.
struct MemoryLedger {
  /// One thing that a look at memory finds to do.
  enum Finding {
    case terminate(AppID)
    case warn
    case purge
    case tellOverCapacity
  }

  private var capacity: Int64
  private let rules: MemoryRules
  /// More than this in use is worth a warning.
  private var warningLevel: Int64 = 0
  /// Less than this in use, and there may be another.
  private var resetLevel: Int64 = 0
  /// More than this in use, and somebody is to be purged: while purging it is `purgeGoal`.
  private var purgeLevel: Int64 = 0
  /// No more than this in use, and purging is over.
  private var purgeGoal: Int64 = 0
  /// Whether purging has begun, and use has not fallen to the level that it goes on to.
  private var isPurging = false

  /// What resident apps take up, without those that are headed for their end.
  private(set) var inUse: Int64 = 0
  /// Apps that run and are not headed for their end: whom a warning reaches.
  private(set) var running = 0
  /// Apps that run or are suspended in the background, or are headed there: whom a purge may take.
  private(set) var purgeable = 0
  /// Whether a warning has gone out since use was last under the level that resets it.
  private var hasWarned = false
  /// Whether it has been said that nothing is left to purge, since use was last within capacity.
  private var hasToldOverCapacity = false
  /// Apps over their own limits.
  private var overLimit: ContiguousArray<AppID> = []

  /// In what order apps are purged; kept only while `keepsRanks`.
  private var ranks = RankHeap()
  /// Ranks are kept from the first purge until use has fallen by an eighth under the level that
  /// purging goes on to, but not before as many have changed as there were apps to look at: so
  /// each look at all of them is paid for. While memory is plentiful an app that is suspended costs
  /// nothing here.
  private(set) var keepsRanks = false
  /// What the last look at all apps is still to be paid with.
  private var debt = 0

  init(_ rules: MemoryRules, capacity: Int64?) {
    self.rules = rules
    self.capacity = capacity ?? rules.capacity
    setLevels()
  }

  mutating func setCapacity(_ capacity: Int64?) {
    self.capacity = capacity ?? rules.capacity
    setLevels()
    settle()
  }

  mutating func use(_ bytes: Int64) {
    inUse &+= bytes
    if bytes < 0 { settle() }
  }

  mutating func count(running change: Int) { running += change }
  mutating func count(purgeable change: Int) { purgeable += change }

  /// Notes whether an app is over its own limit.
  mutating func note(_ app: AppID, isOverLimit: Bool) {
    let place = overLimit.firstIndex(of: app)
    if isOverLimit, place == nil { overLimit.append(app) }
    if !isOverLimit, let place { overLimit.remove(at: place) }
  }

  // MARK: Looking

  /// Whether a look at memory would find something.
  @inline(__always)
  var isDue: Bool {
    guard inUse > min(warningLevel, purgeLevel) || !overLimit.isEmpty else { return false }
    return !overLimit.isEmpty || isWarningDue
      || (inUse > purgeLevel && (purgeable > 0 || (inUse > capacity && !hasToldOverCapacity)))
  }

  private var isWarningDue: Bool { !hasWarned && running > 0 && inUse > warningLevel }

  /// What to do about memory: apps over their own limits first, then the warning, then one victim.
  /// - Precondition: `isDue`.
  mutating func look() -> Finding {
    if let app = overLimit.min() { return .terminate(app) }
    if isWarningDue {
      hasWarned = true
      return .warn
    }
    if purgeable > 0 {
      beginPurging()
      return .purge
    }
    hasToldOverCapacity = true
    return .tellOverCapacity
  }

  // MARK: Ranks

  /// Whether ranks have to be collected before another is noted.
  var isFullOfRanks: Bool { ranks.count >= 4 * purgeable + 64 }

  mutating func push(_ rank: PurgeRank) {
    debt -= 1
    ranks.push(rank)
  }

  mutating func popFirstRank() -> PurgeRank? { ranks.popFirst() }

  /// Begins a look at so many apps, whose ranks follow by `collect`.
  mutating func beginCollecting(from apps: Int) {
    keepsRanks = true
    debt = apps
    ranks.removeAll()
  }

  mutating func collect(_ rank: PurgeRank) { ranks.push(rank) }

  /// They are collected again when the next is needed.
  mutating func forgetRanks() {
    keepsRanks = false
    ranks.removeAll()
  }

  // MARK: Levels

  /// Percentages of any capacity, without a product that could overflow.
  private mutating func setLevels() {
    warningLevel = share(rules.warningLevel)
    purgeGoal = share(rules.purgeTo ?? rules.purgeAbove)
    setPurgeLevel()
    let exact = share(rules.resetLevel)
    let isWhole = capacity % 100 * Int64(rules.resetLevel) % 100 == 0
    resetLevel = isWhole ? exact : exact + 1
  }

  /// From the first victim on there is more to do than to get under the level at which purging
  /// began (rule M1).
  private mutating func beginPurging() {
    isPurging = true
    setPurgeLevel()
  }

  private mutating func setPurgeLevel() {
    purgeLevel = isPurging ? purgeGoal : share(rules.purgeAbove)
  }

  private func share(_ percent: UInt8) -> Int64 {
    capacity / 100 * Int64(percent) + capacity % 100 * Int64(percent) / 100
  }

  /// What falling use brings about.
  private mutating func settle() {
    if inUse < resetLevel { hasWarned = false }
    if inUse <= capacity { hasToldOverCapacity = false }
    if isPurging, inUse <= purgeGoal {
      isPurging = false
      setPurgeLevel()
    }
    if keepsRanks, debt <= 0, inUse <= purgeGoal - purgeGoal / 8 { forgetRanks() }
  }

  /// What an app takes up.
  func footprint(_ extras: AppExtras) -> Int64 {
    min(extras.footprint >= 0 ? extras.footprint : rules.footprint, MemoryRules.greatestFootprint)
  }

  /// What it costs to start an app again, in nanoseconds.
  func startCost(_ extras: AppExtras) -> Int64 {
    extras.startCost >= 0 ? extras.startCost : rules.startCost.nanoseconds
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var (inUse, running, purgeable) = (Int64(0), 0, 0)
    for app in apps.ids where apps[app].usesMemory {
      inUse += footprint(apps[extras: app])
      if apps[app].isRunning { running += 1 }
      if apps[app].presence == .background { purgeable += 1 }
    }
    precondition(self.inUse == inUse, "\(self.inUse) bytes are said to be in use, \(inUse) are")
    precondition(
      self.running == running && self.purgeable == purgeable, "memory miscounts who runs or may go")
    for app in overLimit {
      precondition(apps[app].state != .notRunning, "app \(app.rawValue) is gone and over its limit")
    }
    precondition(Set(overLimit).count == overLimit.count, "an app is over its limit twice")
  }
}
