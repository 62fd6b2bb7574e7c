import CurfewEngine

/// The rival: a binary heap that keeps cancelled deadlines until they reach the top, as many event
/// loops and simulators do (SimPy, Python's asyncio, Go before 1.14).
struct LazyHeap: DeadlineQueue {
  private struct Entry {
    var deadline: Int64
    var sequence: UInt64
    var payload: UInt32
    var slot: UInt32
  }

  private var entries: [Entry] = []
  private var nextSequence: UInt64 = 0
  /// The sequence number of each slot's live deadline.
  private var living: [UInt64] = []
  private var free: [UInt32] = []

  init(minimumCapacity: Int) {
    entries.reserveCapacity(minimumCapacity)
    living.reserveCapacity(minimumCapacity)
  }

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

  mutating func cancel(_ id: UInt32) { living[Int(id)] = .max }

  mutating func popFirst() -> (deadline: Instant, payload: UInt32)? {
    while let first = entries.first {
      removeFirst()
      let isLiving = living[Int(first.slot)] == first.sequence
      free.append(first.slot)
      if isLiving { return (Instant(nanoseconds: first.deadline), first.payload) }
    }
    return nil
  }

  private mutating func removeFirst() {
    let entry = entries.removeLast()
    guard !entries.isEmpty else { return }
    var hole = 0
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
