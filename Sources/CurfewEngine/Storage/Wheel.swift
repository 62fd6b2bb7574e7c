/// The far part of a `TimerQueue`: eleven levels of 64 slots, each slot an unsorted bag, that together cover all 63 bits of an instant.
///
/// A deadline lies on the level of the highest group of six bits in which it differs from `base`, in the slot that this group names. `base` is
/// never after a deadline in the wheel, so the lowest occupied level's first occupied slot holds the earliest ones; and `base` moves only so
/// that every deadline stays in the slot that this rule gives it.
///
/// A slot's bag is a chain of blocks of 32 entries, all of them full but the first.
struct Wheel: ~Copyable {
  typealias Entry = TimerQueue.Entry

  static let levels = 11
  static let slots = levels * 64
  static let blockSize = 32

  fileprivate struct Bag: BitwiseCopyable {
    /// The block that is being filled.
    var first = TimerQueue.nobody
    /// How many entries it holds.
    var count: UInt32 = 0
  }

  /// Block after block.
  private(set) var entries: UnsafeMutablePointer<Entry>
  /// For each block the next of its chain, in a bag or among the free.
  fileprivate(set) var nextBlock: UnsafeMutablePointer<UInt32>
  private(set) var blockCapacity: Int
  private var usedBlocks = 0
  private var firstFreeBlock = TimerQueue.nobody

  fileprivate var bags: UnsafeMutablePointer<Bag>
  /// One bit a slot, one word a level.
  private(set) var occupied: UnsafeMutablePointer<UInt64>
  /// One bit a level.
  private(set) var occupiedLevels: UInt32 = 0
  var base: UInt64 = 0

  init(minimumCapacity: Int) {
    // Every occupied slot has a block that need not be full; twice what full blocks would take is enough in practice.
    blockCapacity = Swift.max(8, minimumCapacity / Wheel.blockSize * 2)
    entries = .allocate(capacity: blockCapacity * Wheel.blockSize)
    nextBlock = .allocate(capacity: blockCapacity)
    bags = .allocate(capacity: Wheel.slots)
    bags.initialize(repeating: Bag(), count: Wheel.slots)
    occupied = .allocate(capacity: Wheel.levels)
    occupied.initialize(repeating: 0, count: Wheel.levels)
  }

  deinit {
    entries.deallocate()
    nextBlock.deallocate()
    bags.deallocate()
    occupied.deallocate()
  }

  func copy() -> Wheel {
    var other = Wheel(minimumCapacity: 0)
    while other.blockCapacity < blockCapacity { other.grow() }
    for slot in 0..<Wheel.slots { other.copyBag(slot, from: self) }
    other.entries.update(from: entries, count: usedBlocks * Wheel.blockSize)
    other.nextBlock.update(from: nextBlock, count: usedBlocks)
    other.usedBlocks = usedBlocks
    other.firstFreeBlock = firstFreeBlock
    other.occupied.update(from: occupied, count: Wheel.levels)
    other.occupiedLevels = occupiedLevels
    other.base = base
    return other
  }

  private mutating func copyBag(_ slot: Int, from other: borrowing Wheel) { bags[slot] = other.bags[slot] }

  var isEmpty: Bool { occupiedLevels == 0 }

  // MARK: Slots

  /// The slot with the earliest deadlines.
  var firstSlot: Int {
    let level = occupiedLevels.trailingZeroBitCount
    return level << 6 | occupied[level].trailingZeroBitCount
  }

  func level(of slot: Int) -> Int { slot >> 6 }

  @inline(__always)
  func slot(for deadline: Int64) -> Int {
    let instant = UInt64(bitPattern: deadline)
    let level = (63 - (instant ^ base | 1).leadingZeroBitCount) / 6
    return level << 6 | Int(truncatingIfNeeded: instant >> UInt64(level * 6)) & 63
  }

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

  /// Whether a slot's bag holds more than `limit`, which is less than a block.
  func holdsMore(than limit: UInt32, _ slot: Int) -> Bool {
    let bag = bags[slot]
    return bag.count > limit || nextBlock[Int(bag.first)] != TimerQueue.nobody
  }

  // MARK: Entries

  @inline(__always)
  mutating func add(_ entry: Entry, _ places: inout PlaceTable) {
    let slot = slot(for: entry.deadline)
    var bag = bags[slot]
    if bag.first == TimerQueue.nobody || bag.count == Wheel.blockSize {
      let block = takeBlock()
      nextBlock[Int(block)] = bag.first
      if bag.first == TimerQueue.nobody {
        occupied[level(of: slot)] |= 1 << UInt64(slot & 63)
        occupiedLevels |= 1 << UInt32(level(of: slot))
      }
      bag = Bag(first: block)
    }
    let index = Int(bag.first) * Wheel.blockSize + Int(bag.count)
    entries[index] = entry
    places[entry.id] = .wheel(index)
    bag.count += 1
    bags[slot] = bag
  }

  /// Takes an entry out; the last of its bag takes its place.
  @inline(__always)
  mutating func remove(at index: Int, _ places: inout PlaceTable) -> Entry {
    let removed = entries[index]
    let slot = slot(for: removed.deadline)
    var bag = bags[slot]
    bag.count -= 1
    let last = Int(bag.first) * Wheel.blockSize + Int(bag.count)
    if last != index {
      entries[index] = entries[last]
      places[entries[index].id] = .wheel(index)
    }
    if bag.count == 0 {
      let next = nextBlock[Int(bag.first)]
      free(bag.first)
      bag = Bag(first: next, count: next == TimerQueue.nobody ? 0 : UInt32(Wheel.blockSize))
      if next == TimerQueue.nobody { clear(slot) }
    }
    bags[slot] = bag
    return removed
  }

  /// Moves the first slot's entries to the levels below.
  mutating func splitFirstSlot(_ places: inout PlaceTable) {
    let slot = firstSlot
    let start = firstInstant(of: slot)
    let chain = detach(slot)
    base = start
    addAll(chain, &places)
  }

  /// Moves the base back, and with it every entry.
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
      for index in block { add(entries[index], &places) }
      dropBlock(of: &chain)
    }
  }

  // MARK: Blocks

  /// What was a slot's bag: to be read block by block, and each block to be dropped when it has been read.
  struct Chain {
    fileprivate var bag: Bag
  }

  /// Empties a slot.
  mutating func detach(_ slot: Int) -> Chain {
    let chain = Chain(bag: bags[slot])
    bags[slot] = Bag()
    clear(slot)
    return chain
  }

  /// Where the entries of a chain's first block lie; nil at its end.
  func block(of chain: Chain) -> Range<Int>? {
    guard chain.bag.first != TimerQueue.nobody else { return nil }
    let start = Int(chain.bag.first) * Wheel.blockSize
    return start..<start + Int(chain.bag.count)
  }

  /// Frees a chain's first block.
  mutating func dropBlock(of chain: inout Chain) {
    let block = chain.bag.first
    chain.bag = Bag(first: nextBlock[Int(block)], count: UInt32(Wheel.blockSize))
    free(block)
  }

  private mutating func takeBlock() -> UInt32 {
    if firstFreeBlock != TimerQueue.nobody {
      let block = firstFreeBlock
      firstFreeBlock = nextBlock[Int(block)]
      return block
    }
    if usedBlocks == blockCapacity { grow() }
    usedBlocks += 1
    return UInt32(truncatingIfNeeded: usedBlocks - 1)
  }

  private mutating func free(_ block: UInt32) {
    nextBlock[Int(block)] = firstFreeBlock
    firstFreeBlock = block
  }

  private mutating func clear(_ slot: Int) {
    let level = level(of: slot)
    occupied[level] &= ~(1 << UInt64(slot & 63))
    if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt32(level)) }
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: blockCapacity * 2 * Wheel.blockSize)
    larger.moveInitialize(from: entries, count: usedBlocks * Wheel.blockSize)
    entries.deallocate()
    entries = larger
    let longer = UnsafeMutablePointer<UInt32>.allocate(capacity: blockCapacity * 2)
    longer.moveInitialize(from: nextBlock, count: usedBlocks)
    nextBlock.deallocate()
    nextBlock = longer
    blockCapacity *= 2
  }
}

extension Wheel {
  /// Calls `body` with each entry and the index where it lies, and stops the program where the structure contradicts itself. For tests.
  func checkInvariants(_ body: (Entry, Int) -> Void) {
    for slot in 0..<Wheel.slots {
      let isOccupied = occupied[level(of: slot)] & 1 << UInt64(slot & 63) != 0
      precondition(isOccupied == (bags[slot].first != TimerQueue.nobody), "a slot's bit contradicts its bag")
      precondition(!isOccupied || occupiedLevels & 1 << UInt32(level(of: slot)) != 0, "a level's bit contradicts its slots")
      var chain = Chain(bag: bags[slot])
      while let block = block(of: chain) {
        precondition(!block.isEmpty, "a block is empty")
        for index in block {
          let deadline = entries[index].deadline
          precondition(self.slot(for: deadline) == slot, "a deadline has moved out of its slot")
          precondition(UInt64(deadline) >= firstInstant(of: slot) && deadline <= lastInstant(of: slot), "a slot's instants are off")
          body(entries[index], index)
        }
        chain.bag = Bag(first: nextBlock[block.lowerBound / Wheel.blockSize], count: UInt32(Wheel.blockSize))
      }
    }
  }
}
