/// The rank of an app in the order of purging: the app is purged before every app that it precedes
/// (rule M1).
struct PurgeRank: BitwiseCopyable, Equatable {
  /// The policy's criterion that precedes the footprint, the least value first; 0 for all apps if
  /// there is none.
  var weight: Int64
  var footprint: Int64
  /// The stamp of the app's last departure from the foreground. Stamps only grow; 0 for never.
  var frontStamp: UInt32
  var app: AppID
  var tier: Tier

  enum Tier: UInt8 {
    case suspended, running
    /// Running, for something that the user hears or holds: audio, an external accessory.
    case playing
  }

  @inline(__always)
  func precedes(_ other: PurgeRank) -> Bool {
    if tier != other.tier { return tier.rawValue < other.tier.rawValue }
    if weight != other.weight { return weight < other.weight }
    if footprint != other.footprint { return footprint > other.footprint }
    if frontStamp != other.frontStamp { return frontStamp < other.frontStamp }
    return app < other.app
  }
}

/// Apps in the order in which they are purged: a binary heap.
///
/// If an app's rank changes, the new rank is pushed; the old one is dropped when it reaches
/// the top. (An indexed heap, which moves entries instead, would cost every app a place in a table
/// even while memory is plentiful, which is nearly always the case.)
///
/// - Complexity: `push` and `popFirst` are O(log n).
struct RankHeap {
  private var entries: ContiguousArray<PurgeRank> = []

  var count: Int { entries.count }

  mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  mutating func push(_ rank: PurgeRank) {
    var index = entries.count
    entries.append(rank)
    while index > 0 {
      let parent = (index - 1) / 2
      guard rank.precedes(entries[parent]) else { break }
      entries[index] = entries[parent]
      index = parent
    }
    entries[index] = rank
  }

  mutating func popFirst() -> PurgeRank? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    guard !entries.isEmpty else { return first }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
      guard entries[child].precedes(last) else { break }
      entries[index] = entries[child]
      index = child
    }
    entries[index] = last
    return first
  }
}
