/// The near part of a `TimerQueue`, ordered by (deadline, sequence): a sorted run, or a 4-ary heap.
///
/// The wheel pours a few entries at a time, nearly in order, and they nearly always leave in order.
/// A run hands them out without moving any. It becomes a heap when an entry leaves it out of order,
/// or enters a long one out of order, until it is empty again.
///
/// Four children per node make the heap half as deep as two would, and the keys of siblings
/// are contiguous.
///
/// Invariants: `start` is 0 unless this is a run; the entries before `start` have left the run.
struct NearHeap: ~Copyable {
  typealias Entry = TimerQueue.Entry

  private(set) var entries: Column<Entry>
  /// The index of the first entry.
  private(set) var start = 0
  private(set) var isRun = true

  init() { entries = Column(minimumCapacity: TimerQueue.spillFloor + 1) }

  private init(copying other: borrowing NearHeap) {
    entries = other.entries.copy()
    (start, isRun) = (other.start, other.isRun)
  }

  func copy() -> NearHeap { NearHeap(copying: self) }

  var count: Int { entries.count - start }
  @inline(__always)
  var isEmpty: Bool { entries.count == start }
  var capacity: Int { entries.capacity }

  /// The earliest entry.
  /// - Precondition: There is one.
  @inline(__always)
  var first: Entry { entries[proven: start] }

  mutating func push(_ entry: Entry, _ places: inout PlaceTable) {
    if isRun {
      if isEmpty || !entry.precedes(entries[proven: entries.count - 1]) {
        return append(entry, &places)
      }
      if count <= NearHeap.shortRun {
        return start > 0 ? insertFromFront(entry, &places) : insert(entry, &places)
      }
      endRun(&places)
    }
    entries.append(entry)
    siftUp(entry, from: entries.count - 1, &places)
  }

  /// The length up to which an entry may enter a run out of order.
  private static var shortRun: Int { 24 }

  /// Adds an entry in the place of one that has left. Nearly always it becomes the first: it is due
  /// at once.
  private mutating func insertFromFront(_ entry: Entry, _ places: inout PlaceTable) {
    start -= 1
    var hole = start
    while entries[proven: hole + 1].precedes(entry) {
      put(entries[proven: hole + 1], at: hole, &places)
      hole += 1
    }
    put(entry, at: hole, &places)
  }

  /// Sorts an entry into the run, whose first entry is at its beginning. The places are not noted
  /// before `notePlaces`, because the next entries move many of them again.
  @inline(__always)
  mutating func sort(_ entry: Entry) {
    entries.append(entry)
    var hole = entries.count - 1
    while hole > 0, entry.precedes(entries[proven: hole - 1]) {
      entries[proven: hole] = entries[proven: hole - 1]
      hole -= 1
    }
    entries[proven: hole] = entry
  }

  /// Notes the places of all entries.
  @inline(__always)
  mutating func notePlaces(_ places: inout PlaceTable) {
    for index in start..<entries.count { places[entries[proven: index].id] = .heap(index) }
  }

  /// Adds an entry to a short run.
  private mutating func insert(_ entry: Entry, _ places: inout PlaceTable) {
    entries.append(entry)
    var hole = entries.count - 1
    while hole > start, entry.precedes(entries[proven: hole - 1]) {
      put(entries[proven: hole - 1], at: hole, &places)
      hole -= 1
    }
    put(entry, at: hole, &places)
  }

  /// Adds the last entry of a run.
  private mutating func append(_ entry: Entry, _ places: inout PlaceTable) {
    if entries.count == entries.capacity, start * 2 >= entries.count { closeGap(&places) }
    entries.append(entry)
    places[entry.id] = .heap(entries.count - 1)
  }

  /// Makes the run a heap. Entries in order are one.
  @inline(never)
  private mutating func endRun(_ places: inout PlaceTable) {
    closeGap(&places)
    isRun = false
  }

  private mutating func closeGap(_ places: inout PlaceTable) {
    guard start > 0 else { return }
    let count = count
    for index in 0..<count { put(entries[proven: start + index], at: index, &places) }
    entries.removeLast(start)
    start = 0
  }

  @inline(__always)
  mutating func removeFirst(_ places: inout PlaceTable) -> Entry {
    guard isRun else { return remove(at: 0, &places) }
    let first = first
    start += 1
    if isEmpty { removeAll() }
    return first
  }

  mutating func remove(at place: Int, _ places: inout PlaceTable) -> Entry {
    var hole = place
    if isRun {
      if hole == start { return removeFirst(&places) }
      hole -= start
      endRun(&places)
    }
    let removed = entries[proven: hole]
    let last = entries.removeLast()
    if isEmpty { isRun = true }
    guard hole < count else { return removed }
    if hole > 0, last.precedes(entries[proven: (hole - 1) >> 2]) {
      siftUp(last, from: hole, &places)
    } else {
      siftDown(last, from: hole, &places)
    }
    return removed
  }

  /// Removes the entries. The caller has already stored them elsewhere.
  mutating func removeAll() {
    entries.removeAll()
    (start, isRun) = (0, true)
  }

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
