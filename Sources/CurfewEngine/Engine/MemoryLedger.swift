/// What the engine knows of memory without looking at the apps: sums, levels and counts (rules M1, M2).
struct MemoryLedger {
  private(set) var capacity: Int64
  private let rules: MemoryRules
  /// More than this in use is worth a warning.
  private(set) var warningLevel: Int64 = 0
  /// Less than this in use, and there may be another.
  private var resetLevel: Int64 = 0

  /// What resident apps take up, without those that are headed for their end.
  private(set) var inUse: Int64 = 0
  /// Apps that run and are not headed for their end: whom a warning reaches.
  var running = 0
  /// Apps that run or are suspended in the background, or are headed there: whom a purge may take.
  var purgeable = 0
  /// Whether a warning has gone out since use was last under the level that resets it.
  var hasWarned = false
  /// Whether it has been said that nothing is left to purge, since use was last within capacity.
  var hasToldOverCapacity = false
  /// Apps over their own limits.
  var overLimit: ContiguousArray<UInt32> = []

  /// In what order apps are purged; kept only while `keepsRanks`.
  var ranks = RankHeap()
  /// Ranks are kept from the first purge until use has fallen by an eighth of the capacity, but not before as many have changed as there were
  /// apps to look at: so each look at all of them is paid for. While memory is plentiful an app that is suspended costs nothing here.
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

  /// After a look at so many apps.
  mutating func keepRanks(collectedFrom apps: Int) {
    keepsRanks = true
    debt = apps
  }

  mutating func push(_ rank: PurgeRank) {
    debt -= 1
    ranks.push(rank)
  }

  /// They are collected again when the next is needed.
  mutating func forgetRanks() {
    keepsRanks = false
    ranks.removeAll()
  }

  var isOverWarningLevel: Bool { inUse > warningLevel }
  var isOverCapacity: Bool { inUse > capacity }

  /// Percentages of any capacity, without a product that could overflow.
  private mutating func setLevels() {
    warningLevel = share(rules.warningLevel)
    let exact = share(rules.resetLevel)
    let isWhole = capacity % 100 * Int64(rules.resetLevel) % 100 == 0
    resetLevel = isWhole ? exact : exact + 1
  }

  private func share(_ percent: UInt8) -> Int64 {
    capacity / 100 * Int64(percent) + capacity % 100 * Int64(percent) / 100
  }

  /// What falling use brings about.
  private mutating func settle() {
    if inUse < resetLevel { hasWarned = false }
    if inUse <= capacity { hasToldOverCapacity = false }
    if keepsRanks, debt <= 0, inUse <= capacity - capacity / 8 { forgetRanks() }
  }
}
