/// The far part of a `TimerQueue`: eleven levels of 64 slots, which together cover all 63 bits
/// of an instant. Each slot is an unsorted bag.
///
/// A deadline is on the level of the highest group of six bits in which it differs from `base`,
/// in the slot numbered by that group. `base` is never after a deadline in the wheel, so the first
/// occupied slot of the lowest occupied level holds the earliest deadlines. `base` moves only
/// in ways that leave every deadline in the slot that this rule gives it.
///
/// A bag is a chain of blocks of 32 entries; all blocks but the first are full.
struct Wheel: ~Copyable {
  typealias Entry = TimerQueue.Entry

  static let levels = 11
  static let slots = levels * 64
  static let blockSize = 32

  /// Internal rather than private, because the compiler (6.3) treats a private type as undefined if
  /// a queue is stored in a value of another module.
  struct Bag: BitwiseCopyable {
    /// The block being filled.
    var first = TimerQueue.nobody
    /// The number of entries in `first`.
    var count: UInt32 = 0
  }

  /// The entries, block after block.
  private(set) var entries: Column<Entry>
  /// The next block of each block's chain; a chain is a bag or the free list.
  private var nextBlock: Column<UInt32>
  private var firstFreeBlock = TimerQueue.nobody

  /// The bags by slot. A slot's number is computed with shifts and masks, so it is never out
  /// of range.
  private var bags: Column<Bag>
  /// The occupied slots: one word per level, one bit per slot.
  private(set) var occupied: Column<UInt64>
  /// The occupied levels: one bit per level.
  private(set) var occupiedLevels: UInt32 = 0
  var base: UInt64 = 0

  init(minimumCapacity: Int) {
    // The first block of every occupied slot may be partly empty. Twice the number of full blocks
    // is enough in practice.
    let blocks = Swift.max(8, minimumCapacity / Wheel.blockSize * 2)
    entries = Column(minimumCapacity: blocks * Wheel.blockSize)
    nextBlock = Column(minimumCapacity: blocks)
    bags = Column(repeating: Bag(), count: Wheel.slots)
    occupied = Column(repeating: 0, count: Wheel.levels)
  }

  private init(copying other: borrowing Wheel) {
    entries = other.entries.copy()
    nextBlock = other.nextBlock.copy()
    firstFreeBlock = other.firstFreeBlock
    bags = other.bags.copy()
    occupied = other.occupied.copy()
    (occupiedLevels, base) = (other.occupiedLevels, other.base)
  }

  func copy() -> Wheel { Wheel(copying: self) }

  var blockCapacity: Int { nextBlock.capacity }
  var isEmpty: Bool { occupiedLevels == 0 }

  // MARK: Slots

  /// The slot with the earliest deadlines.
  /// - Precondition: The wheel is not empty.
  @inline(__always)
  var firstSlot: Int {
    let level = occupiedLevels.trailingZeroBitCount
    return level << 6 | occupied[proven: level].trailingZeroBitCount
  }

  @inline(__always)
  func level(of slot: Int) -> Int { slot >> 6 }

  @inline(__always)
  func slot(for deadline: Int64) -> Int {
    let instant = UInt64(bitPattern: deadline)
    let level = (63 - (instant ^ base | 1).leadingZeroBitCount) / 6
    return level << 6 | Int(truncatingIfNeeded: instant >> UInt64(level * 6)) & 63
  }

  // Functions that only read and are not inlined get a copy of the wheel.
  @inline(__always)
  func firstInstant(of slot: Int) -> UInt64 {
    let shift = UInt64(level(of: slot) * 6)
    let above = shift + 6 >= 64 ? 0 : (base >> (shift + 6)) << (shift + 6)
    return above | UInt64(slot & 63) << shift
  }

  /// The last instant of a slot, at most `Int64.max`. No deadline is at `Int64.max`.
  @inline(__always)
  func lastInstant(of slot: Int) -> Int64 {
    let last = firstInstant(of: slot) | ((1 << UInt64(level(of: slot) * 6)) - 1)
    return Int64(clamping: last)
  }

  /// Whether a slot's bag holds more than `limit` entries. `limit` is less than a block.
  @inline(__always)
  func holdsMore(than limit: UInt32, _ slot: Int) -> Bool {
    let bag = bags[proven: slot]
    return bag.count > limit || nextBlock[proven: Int(bag.first)] != TimerQueue.nobody
  }

  // MARK: Entries

  /// Loads an entry into the processor's cache.
  @inline(__always)
  func prefetch(_ index: Int) { entries.prefetch(index) }

  @inline(__always)
  mutating func add(_ entry: Entry, _ places: inout PlaceTable) {
    let slot = slot(for: entry.deadline)
    var bag = bags[proven: slot]
    if bag.first == TimerQueue.nobody || bag.count == Wheel.blockSize {
      let block = takeBlock()
      nextBlock[proven: Int(block)] = bag.first
      if bag.first == TimerQueue.nobody {
        occupied[proven: level(of: slot)] |= 1 << UInt64(slot & 63)
        occupiedLevels |= 1 << UInt32(level(of: slot))
      }
      bag = Bag(first: block)
    }
    let index = Int(bag.first) * Wheel.blockSize + Int(bag.count)
    entries[proven: index] = entry
    places[entry.id] = .wheel(index)
    bag.count += 1
    bags[proven: slot] = bag
  }

  /// Removes an entry; the last entry of its bag takes its place.
  @inline(__always)
  mutating func remove(at index: Int, _ places: inout PlaceTable) -> Entry {
    let removed = entries[proven: index]
    let slot = slot(for: removed.deadline)
    var bag = bags[proven: slot]
    bag.count -= 1
    let last = Int(bag.first) * Wheel.blockSize + Int(bag.count)
    if last != index {
      entries[proven: index] = entries[proven: last]
      places[entries[proven: index].id] = .wheel(index)
    }
    if bag.count == 0 {
      let next = nextBlock[proven: Int(bag.first)]
      free(bag.first)
      bag = Bag(first: next, count: next == TimerQueue.nobody ? 0 : UInt32(Wheel.blockSize))
      if next == TimerQueue.nobody { clear(slot) }
    }
    bags[proven: slot] = bag
    return removed
  }

  /// Moves the entries of the first slot to lower levels.
  mutating func split(first slot: Int, _ places: inout PlaceTable) {
    let start = firstInstant(of: slot)
    let chain = detach(slot)
    base = start
    addAll(chain, &places)
  }

  /// Moves the base back and re-inserts every entry.
  /// - Complexity: O(n).
  mutating func rebuild(from earliest: UInt64, _ places: inout PlaceTable) {
    var chains: [Chain] = []
    while !isEmpty { chains.append(detach(firstSlot)) }
    base = earliest
    for chain in chains { addAll(chain, &places) }
  }

  private mutating func addAll(_ chain: Chain, _ places: inout PlaceTable) {
    var chain = chain
    while let block = block(of: chain) {
      for index in block { add(entries[proven: index], &places) }
      dropBlock(of: &chain)
    }
  }

  // MARK: Blocks

  /// A detached bag. Its blocks are read one by one, each dropped after it has been read.
  struct Chain {
    fileprivate var bag: Bag
  }

  /// Empties a slot and returns its bag.
  mutating func detach(_ slot: Int) -> Chain {
    let chain = Chain(bag: bags[proven: slot])
    bags[proven: slot] = Bag()
    clear(slot)
    return chain
  }

  /// The indices of the entries in a chain's first block, or nil if the chain is empty.
  func block(of chain: Chain) -> Range<Int>? {
    guard chain.bag.first != TimerQueue.nobody else { return nil }
    let start = Int(chain.bag.first) * Wheel.blockSize
    return start..<start + Int(chain.bag.count)
  }

  /// Frees a chain's first block.
  mutating func dropBlock(of chain: inout Chain) {
    let block = chain.bag.first
    chain.bag = Bag(first: nextBlock[proven: Int(block)], count: UInt32(Wheel.blockSize))
    free(block)
  }

  private mutating func takeBlock() -> UInt32 {
    if firstFreeBlock != TimerQueue.nobody {
      let block = firstFreeBlock
      firstFreeBlock = nextBlock[proven: Int(block)]
      return block
    }
    for _ in 0..<Wheel.blockSize {
      entries.append(Entry(deadline: 0, sequence: 0, payload: 0, id: 0))
    }
    nextBlock.append(TimerQueue.nobody)
    return UInt32(truncatingIfNeeded: nextBlock.count - 1)
  }

  private mutating func free(_ block: UInt32) {
    nextBlock[proven: Int(block)] = firstFreeBlock
    firstFreeBlock = block
  }

  private mutating func clear(_ slot: Int) {
    let level = level(of: slot)
    occupied[proven: level] &= ~(1 << UInt64(slot & 63))
    if occupied[proven: level] == 0 { occupiedLevels &= ~(1 << UInt32(level)) }
  }
}

extension Wheel {
  /// Calls `body` with each entry and its index. Traps if an invariant is broken. For tests.
  func checkInvariants(_ body: (Entry, Int) -> Void) {
    for slot in 0..<Wheel.slots {
      let isOccupied = occupied[proven: level(of: slot)] & 1 << UInt64(slot & 63) != 0
      precondition(
        isOccupied == (bags[proven: slot].first != TimerQueue.nobody),
        "a slot's bit contradicts its bag")
      precondition(
        !isOccupied || occupiedLevels & 1 << UInt32(level(of: slot)) != 0,
        "a level's bit contradicts its slots")
      var chain = Chain(bag: bags[proven: slot])
      while let block = block(of: chain) {
        precondition(!block.isEmpty, "a block is empty")
        for index in block {
          let deadline = entries[proven: index].deadline
          precondition(self.slot(for: deadline) == slot, "a deadline has moved out of its slot")
          precondition(
            UInt64(deadline) >= firstInstant(of: slot) && deadline <= lastInstant(of: slot),
            "a slot's instants are wrong")
          body(entries[proven: index], index)
        }
        chain.bag = Bag(
          first: nextBlock[proven: block.lowerBound / Wheel.blockSize],
          count: UInt32(Wheel.blockSize))
      }
    }
  }
}
