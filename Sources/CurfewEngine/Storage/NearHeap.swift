/// The near part of a `TimerQueue`: a 4-ary heap ordered by (deadline, sequence).
///
/// Four children per node make the heap half as deep as two would, and the keys of siblings
/// are contiguous.
struct NearHeap: ~Copyable {
  typealias Entry = TimerQueue.Entry

  private(set) var entries: Column<Entry>

  init() { entries = Column(minimumCapacity: TimerQueue.spillFloor + 1) }
  private init(copying other: borrowing NearHeap) { entries = other.entries.copy() }

  func copy() -> NearHeap { NearHeap(copying: self) }

  var count: Int { entries.count }
  @inline(__always)
  var isEmpty: Bool { entries.count == 0 }
  var capacity: Int { entries.capacity }

  /// The earliest entry.
  /// - Precondition: There is one.
  @inline(__always)
  var first: Entry { entries[proven: 0] }

  mutating func push(_ entry: Entry, _ places: inout PlaceTable) {
    entries.append(entry)
    siftUp(entry, from: count - 1, &places)
  }

  mutating func remove(at hole: Int, _ places: inout PlaceTable) -> Entry {
    let removed = entries[proven: hole]
    let last = entries.removeLast()
    guard hole < count else { return removed }
    if hole > 0, last.precedes(entries[proven: (hole - 1) >> 2]) {
      siftUp(last, from: hole, &places)
    } else {
      siftDown(last, from: hole, &places)
    }
    return removed
  }

  /// Removes the entries. The caller has already stored them elsewhere.
  mutating func removeAll() { entries.removeAll() }

  private mutating func siftUp(_ entry: Entry, from start: Int, _ places: inout PlaceTable) {
    var hole = start
    while hole > 0 {
      let parent = (hole - 1) >> 2
      guard entry.precedes(entries[proven: parent]) else { break }
      put(entries[proven: parent], at: hole, &places)
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
      guard entries[proven: least].precedes(entry) else { break }
      put(entries[proven: least], at: hole, &places)
      hole = least
    }
    put(entry, at: hole, &places)
  }

  /// Returns the index of the earliest child. Deadlines are compared without branches, because no
  /// branch predictor can guess which child is the earliest. Ties are rare.
  @inline(__always)
  private func leastChild(from first: Int, to end: Int) -> Int {
    var least = first
    var earliest = entries[proven: first].deadline
    var child = first + 1
    while child < end {
      let deadline = entries[proven: child].deadline
      if deadline == earliest {
        if entries[proven: child].sequence < entries[proven: least].sequence { least = child }
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
    entries[proven: index] = entry
    places[entry.id] = .heap(index)
  }
}
