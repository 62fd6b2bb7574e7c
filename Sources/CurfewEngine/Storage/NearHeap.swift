/// The near part of a `TimerQueue`: a heap of four children a node over (deadline, sequence), whose members know where they lie.
///
/// Keys lie in the heap itself, so that comparing reads no node. Four children halve the depth of two, and a parent's children share
/// two cache lines.
struct NearHeap: ~Copyable {
  struct Entry {
    var deadline: Int64
    var sequence: UInt64
    var node: UInt32

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      deadline < other.deadline || (deadline == other.deadline && sequence < other.sequence)
    }
  }

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

  mutating func push(_ index: UInt32, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    reserve(count + 1)
    let entry = Entry(deadline: nodes[Int(index)].deadline, sequence: nodes[Int(index)].sequence, node: index)
    count += 1
    siftUp(entry, from: count - 1, nodes)
  }

  mutating func remove(at hole: Int, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    count -= 1
    guard hole < count else { return }
    let last = entries[count]
    if hole > 0, last.precedes(entries[(hole - 1) >> 2]) {
      siftUp(last, from: hole, nodes)
    } else {
      siftDown(last, from: hole, nodes)
    }
  }

  private mutating func siftUp(_ entry: Entry, from start: Int, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    var hole = start
    while hole > 0 {
      let parent = (hole - 1) >> 2
      guard entry.precedes(entries[parent]) else { break }
      put(entries[parent], at: hole, nodes)
      hole = parent
    }
    put(entry, at: hole, nodes)
  }

  private mutating func siftDown(_ entry: Entry, from start: Int, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    var hole = start
    while true {
      let firstChild = hole << 2 + 1
      guard firstChild < count else { break }
      var least = firstChild
      var child = firstChild + 1
      let end = Swift.min(firstChild + 4, count)
      while child < end {
        if entries[child].precedes(entries[least]) { least = child }
        child += 1
      }
      guard entries[least].precedes(entry) else { break }
      put(entries[least], at: hole, nodes)
      hole = least
    }
    put(entry, at: hole, nodes)
  }

  @inline(__always)
  private mutating func put(_ entry: Entry, at index: Int, _ nodes: UnsafeMutablePointer<TimerQueue.Node>) {
    entries[index] = entry
    nodes[Int(entry.node)].position = UInt32(truncatingIfNeeded: index) | TimerQueue.Node.inHeap
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
