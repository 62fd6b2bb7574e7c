/// The near part of a `TimerQueue`: a heap of four children a node over (deadline, sequence).
///
/// Four children halve the depth of two, and their keys lie side by side.
struct NearHeap: ~Copyable {
  typealias Entry = TimerQueue.Entry

  var entries: UnsafeMutablePointer<Entry>
  var capacity = TimerQueue.spillFloor + 1
  var count = 0

  init() { entries = .allocate(capacity: capacity) }
  deinit { entries.deallocate() }

  func copy() -> NearHeap {
    var other = NearHeap()
    other.reserve(count)
    other.entries.update(from: entries, count: count)
    other.count = count
    return other
  }

  mutating func push(_ entry: Entry, _ places: inout PlaceTable) {
    reserve(count + 1)
    count += 1
    siftUp(entry, from: count - 1, &places)
  }

  mutating func remove(at hole: Int, _ places: inout PlaceTable) -> Entry {
    let removed = entries[hole]
    count -= 1
    guard hole < count else { return removed }
    let last = entries[count]
    if hole > 0, last.precedes(entries[(hole - 1) >> 2]) {
      siftUp(last, from: hole, &places)
    } else {
      siftDown(last, from: hole, &places)
    }
    return removed
  }

  private mutating func siftUp(_ entry: Entry, from start: Int, _ places: inout PlaceTable) {
    var hole = start
    while hole > 0 {
      let parent = (hole - 1) >> 2
      guard entry.precedes(entries[parent]) else { break }
      put(entries[parent], at: hole, &places)
      hole = parent
    }
    put(entry, at: hole, &places)
  }

  private mutating func siftDown(_ entry: Entry, from start: Int, _ places: inout PlaceTable) {
    var hole = start
    while true {
      let firstChild = hole << 2 + 1
      guard firstChild < count else { break }
      let least = leastChild(from: firstChild, to: Swift.min(firstChild + 4, count))
      guard entries[least].precedes(entry) else { break }
      put(entries[least], at: hole, &places)
      hole = least
    }
    put(entry, at: hole, &places)
  }

  /// Which child is the least is a coin toss that no branch predictor wins, so deadlines are compared without branches; ties are rare.
  @inline(__always)
  private func leastChild(from first: Int, to end: Int) -> Int {
    var least = first
    var earliest = entries[first].deadline
    var child = first + 1
    while child < end {
      let deadline = entries[child].deadline
      if deadline == earliest {
        if entries[child].sequence < entries[least].sequence { least = child }
      } else {
        least = deadline < earliest ? child : least
        earliest = deadline < earliest ? deadline : earliest
      }
      child += 1
    }
    return least
  }

  @inline(__always)
  private mutating func put(_ entry: Entry, at index: Int, _ places: inout PlaceTable) {
    entries[index] = entry
    places[entry.id] = .heap(index)
  }

  private mutating func reserve(_ needed: Int) {
    guard needed > capacity else { return }
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: Swift.max(needed, capacity * 2))
    larger.moveInitialize(from: entries, count: count)
    entries.deallocate()
    entries = larger
    capacity = Swift.max(needed, capacity * 2)
  }
}
