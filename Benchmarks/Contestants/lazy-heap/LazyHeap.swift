import CurfewEngine

/// A binary heap that keeps cancelled deadlines until they reach the top, as many event loops
/// and simulators do. If most deadlines are cancelled, they are swept out, as in Python's asyncio:
/// otherwise restarts would fill the memory.
struct LazyHeap: DeadlineQueue {
  private struct Entry {
    var deadline: Int64
    var sequence: UInt64
    var payload: UInt32
    var slot: UInt32
  }

  /// The number of cancelled deadlines below which nothing is swept.
  private static let sweepFloor = 100

  private var entries: [Entry] = []
  private var nextSequence: UInt64 = 0
  /// The sequence number of each slot's live deadline.
  private var living: [UInt64] = []
  private var free: [UInt32] = []
  private var cancelled = 0

  init(minimumCapacity: Int) {
    entries.reserveCapacity(minimumCapacity)
    living.reserveCapacity(minimumCapacity)
  }

  var count: Int { entries.count - cancelled }

  mutating func insert(_ deadline: Instant, payload: UInt32) -> UInt32 {
    let slot = free.popLast() ?? UInt32(living.count)
    if slot == living.count { living.append(0) }
    living[Int(slot)] = nextSequence
    let entry = Entry(
      deadline: deadline.nanoseconds, sequence: nextSequence, payload: payload, slot: slot)
    nextSequence += 1
    var hole = entries.count
    entries.append(entry)
    while hole > 0, precedes(entry, entries[(hole - 1) / 2]) {
      entries[hole] = entries[(hole - 1) / 2]
      hole = (hole - 1) / 2
    }
    entries[hole] = entry
    return slot
  }

  mutating func cancel(_ id: UInt32) {
    living[Int(id)] = .max
    cancelled += 1
    if cancelled > LazyHeap.sweepFloor, cancelled * 2 > entries.count { sweep() }
  }

  mutating func popFirst() -> (deadline: Instant, payload: UInt32)? {
    dropCancelled()
    guard let first = entries.first else { return nil }
    removeFirst()
    free.append(first.slot)
    return (Instant(nanoseconds: first.deadline), first.payload)
  }

  mutating func first() -> Instant? {
    dropCancelled()
    return entries.first.map { Instant(nanoseconds: $0.deadline) }
  }

  private func isLiving(_ entry: Entry) -> Bool { living[Int(entry.slot)] == entry.sequence }

  private mutating func dropCancelled() {
    while let first = entries.first, !isLiving(first) {
      removeFirst()
      free.append(first.slot)
      cancelled -= 1
    }
  }

  private mutating func sweep() {
    var kept = 0
    for place in entries.indices {
      let entry = entries[place]
      if isLiving(entry) {
        entries[kept] = entry
        kept += 1
      } else {
        free.append(entry.slot)
      }
    }
    entries.removeLast(entries.count - kept)
    cancelled = 0
    for hole in (0..<kept / 2).reversed() { sink(entries[hole], from: hole) }
  }

  private mutating func removeFirst() {
    let entry = entries.removeLast()
    if !entries.isEmpty { sink(entry, from: 0) }
  }

  private mutating func sink(_ entry: Entry, from top: Int) {
    var hole = top
    while true {
      var child = hole * 2 + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, precedes(entries[child + 1], entries[child]) { child += 1 }
      guard precedes(entries[child], entry) else { break }
      entries[hole] = entries[child]
      hole = child
    }
    entries[hole] = entry
  }

  private func precedes(_ a: Entry, _ b: Entry) -> Bool {
    a.deadline < b.deadline || (a.deadline == b.deadline && a.sequence < b.sequence)
  }
}
