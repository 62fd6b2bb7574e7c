/// The memory counts: sums, levels and counts that are known without looking at the apps (rules
/// M1, M2).
///
/// Purging begins above one level and continues down to another, so that a device at its limit does
/// not purge an app for each launch.
///
/// Invariants: an app counts from its launch until it has ended or is terminating; `overLimit`
/// holds apps with a process, each once. A push never leaves more than four ranks per purgeable
/// app, plus 64.
struct MemoryLedger {
  /// A measure that an examination of memory finds necessary.
  enum Finding {
    case terminate(AppID)
    case warn
    case purge
    case tellOverCapacity
  }

  private var capacity: Int64
  private let rules: MemoryRules
  /// The use above which a warning is due.
  private var warningLevel: Int64 = 0
  /// The use below which another warning may follow.
  private var resetLevel: Int64 = 0
  /// The use above which an app is purged. While purging it is `purgeGoal`.
  private var purgeLevel: Int64 = 0
  /// The use at which purging is over.
  private var purgeGoal: Int64 = 0
  /// Whether purging has begun and use has not fallen to `purgeGoal` since.
  private var isPurging = false

  /// The footprint of all resident apps, without apps that are terminating.
  private(set) var inUse: Int64 = 0
  /// The number of apps that run and are not terminating: the apps that a warning reaches.
  private(set) var running = 0
  /// The number of apps that run or are suspended in the background, or will be after their queued
  /// steps: the apps that may be purged.
  private(set) var purgeable = 0
  /// Whether a warning has been given since use was last below the reset level.
  private var hasWarned = false
  /// Whether `overCapacity` has been reported since use was last within the capacity.
  private var hasToldOverCapacity = false
  /// The apps over their own limits.
  private var overLimit: ContiguousArray<AppID> = []

  /// The order in which apps are purged; kept only while `keepsRanks`.
  private var ranks = RankHeap()
  /// Whether ranks are kept: from the first purge until use has fallen to seven eighths of
  /// `purgeGoal`, but at least until as many ranks have changed as there were apps to examine. The
  /// cost of each examination of all apps is thus amortised. While memory is plentiful, suspending
  /// an app costs nothing here.
  private(set) var keepsRanks = false
  /// The number of rank changes still needed to amortise the last examination of all apps.
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

  // MARK: Examination

  /// Whether an examination would find a measure to take.
  @inline(__always)
  var isDue: Bool {
    guard inUse > min(warningLevel, purgeLevel) || !overLimit.isEmpty else { return false }
    return !overLimit.isEmpty || isWarningDue
      || (inUse > purgeLevel && (purgeable > 0 || (inUse > capacity && !hasToldOverCapacity)))
  }

  private var isWarningDue: Bool { !hasWarned && running > 0 && inUse > warningLevel }

  /// The next measure: first apps over their own limits, then the warning, then one purge.
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

  /// Whether ranks must be collected again before the next push.
  var isFullOfRanks: Bool { ranks.count >= 4 * purgeable + 64 }

  mutating func push(_ rank: PurgeRank) {
    debt -= 1
    ranks.push(rank)
  }

  mutating func popFirstRank() -> PurgeRank? { ranks.popFirst() }

  /// Begins an examination of `apps` apps, whose ranks follow by `collect`.
  mutating func beginCollecting(from apps: Int) {
    keepsRanks = true
    debt = apps
    ranks.removeAll()
  }

  mutating func collect(_ rank: PurgeRank) { ranks.push(rank) }

  /// Drops the ranks. They are collected again when the next one is needed.
  mutating func forgetRanks() {
    keepsRanks = false
    ranks.removeAll()
  }

  // MARK: Levels

  /// Sets the levels to percentages of the capacity, without a product that could overflow.
  private mutating func setLevels() {
    warningLevel = share(rules.warningLevel)
    purgeGoal = share(rules.purgeTo ?? rules.purgeAbove)
    setPurgeLevel()
    let exact = share(rules.resetLevel)
    let isWhole = capacity % 100 * Int64(rules.resetLevel) % 100 == 0
    resetLevel = isWhole ? exact : exact + 1
  }

  /// Begins purging. From the first purge on, use must fall to `purgeGoal`, not only to the level
  /// above which purging began (rule M1).
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

  /// Updates the flags and levels after use has fallen.
  private mutating func settle() {
    if inUse < resetLevel { hasWarned = false }
    if inUse <= capacity { hasToldOverCapacity = false }
    if isPurging, inUse <= purgeGoal {
      isPurging = false
      setPurgeLevel()
    }
    if keepsRanks, debt <= 0, inUse <= purgeGoal - purgeGoal / 8 { forgetRanks() }
  }

  /// The footprint of an app.
  func footprint(_ extras: AppExtras) -> Int64 {
    min(extras.footprint >= 0 ? extras.footprint : rules.footprint, MemoryRules.greatestFootprint)
  }

  /// The cost of starting an app again, in nanoseconds.
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
    precondition(self.inUse == inUse, "\(self.inUse) bytes are counted as in use, \(inUse) are")
    precondition(
      self.running == running && self.purgeable == purgeable, "memory miscounts the apps")
    for app in overLimit {
      precondition(apps[app].state != .notRunning, "app \(app.rawValue) is gone and over its limit")
    }
    precondition(Set(overLimit).count == overLimit.count, "an app is over its limit twice")
  }
}
