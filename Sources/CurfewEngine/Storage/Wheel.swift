/// The far part of a `TimerQueue`: eleven levels of 64 slots, each slot an unsorted list, that together cover all 63 bits of an instant.
///
/// A deadline lies on the level of the highest group of six bits in which it differs from `base`, in the slot that this group names. `base` is
/// never after a deadline in the wheel, so the lowest occupied level's first occupied slot holds the earliest ones.
struct Wheel: ~Copyable {
  static let levels = 11
  static let slots = levels * 64

  /// First node of each slot's list.
  var heads: UnsafeMutablePointer<UInt32>
  /// One bit a slot, one word a level.
  var occupied: UnsafeMutablePointer<UInt64>
  /// One bit a level.
  var occupiedLevels: UInt32 = 0
  var base: UInt64 = 0

  init() {
    heads = .allocate(capacity: Wheel.slots)
    heads.initialize(repeating: TimerQueue.nobody, count: Wheel.slots)
    occupied = .allocate(capacity: Wheel.levels)
    occupied.initialize(repeating: 0, count: Wheel.levels)
  }

  deinit {
    heads.deallocate()
    occupied.deallocate()
  }

  func copy() -> Wheel {
    var other = Wheel()
    other.heads.update(from: heads, count: Wheel.slots)
    other.occupied.update(from: occupied, count: Wheel.levels)
    other.occupiedLevels = occupiedLevels
    other.base = base
    return other
  }

  var isEmpty: Bool { occupiedLevels == 0 }

  /// The slot with the earliest deadlines.
  var firstSlot: Int {
    let level = occupiedLevels.trailingZeroBitCount
    return level << 6 | occupied[level].trailingZeroBitCount
  }

  func level(of slot: Int) -> Int { slot >> 6 }

  func firstInstant(of slot: Int) -> UInt64 {
    let shift = UInt64(level(of: slot) * 6)
    let above = shift + 6 >= 64 ? 0 : (base >> (shift + 6)) << (shift + 6)
    return above | UInt64(slot & 63) << shift
  }

  /// Never past `Int64.max`, which no deadline is.
  func lastInstant(of slot: Int) -> Int64 {
    let last = firstInstant(of: slot) | ((1 << UInt64(level(of: slot) * 6)) - 1)
    return Int64(clamping: last)
  }

  mutating func link(_ index: UInt32, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    let deadline = UInt64(bitPattern: nodes[Int(index)].deadline)
    let level = (63 - (deadline ^ base | 1).leadingZeroBitCount) / 6
    let slot = level << 6 | Int(truncatingIfNeeded: deadline >> UInt64(level * 6)) & 63
    let head = heads[slot]
    nodes[Int(index)].next = head
    nodes[Int(index)].previous = TimerQueue.nobody
    nodes[Int(index)].position = UInt32(truncatingIfNeeded: slot)
    if head != TimerQueue.nobody {
      nodes[Int(head)].previous = index
    } else {
      occupied[level] |= 1 << UInt64(slot & 63)
      occupiedLevels |= 1 << UInt32(level)
    }
    heads[slot] = index
  }

  mutating func unlink(_ index: UInt32, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    let next = nodes[Int(index)].next
    let previous = nodes[Int(index)].previous
    if next != TimerQueue.nobody { nodes[Int(next)].previous = previous }
    if previous != TimerQueue.nobody {
      nodes[Int(previous)].next = next
    } else {
      let slot = Int(nodes[Int(index)].position)
      heads[slot] = next
      if next == TimerQueue.nobody { clear(slot) }
    }
  }

  /// Empties a slot and answers the first node of what was its list.
  mutating func detach(_ slot: Int) -> UInt32 {
    let head = heads[slot]
    heads[slot] = TimerQueue.nobody
    clear(slot)
    return head
  }

  /// Empties all slots and answers the first node of one list of all.
  /// - Complexity: O(n).
  mutating func detachAll(_ nodes: UnsafeMutablePointer<TimerQueue.Node>) -> UInt32 {
    var all = TimerQueue.nobody
    while !isEmpty {
      var index = detach(firstSlot)
      while index != TimerQueue.nobody {
        let next = nodes[Int(index)].next
        nodes[Int(index)].next = all
        (all, index) = (index, next)
      }
    }
    return all
  }

  /// Whether a slot's list is longer than `limit`.
  /// - Complexity: O(`limit`).
  func holdsMore(than limit: Int, _ slot: Int, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) -> Bool {
    var index = heads[slot]
    for _ in 0..<limit {
      if index == TimerQueue.nobody { return false }
      index = nodes[Int(index)].next
    }
    return index != TimerQueue.nobody
  }

  private mutating func clear(_ slot: Int) {
    let level = level(of: slot)
    occupied[level] &= ~(1 << UInt64(slot & 63))
    if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt32(level)) }
  }
}
