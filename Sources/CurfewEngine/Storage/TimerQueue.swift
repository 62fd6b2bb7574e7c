/// Deadlines in (deadline, insertion) order, to the nanosecond.
///
/// Two structures share the work. The **near heap** holds every deadline up to `horizon`, so the next one is always known exactly and ties leave
/// in the order in which they came. Everything later hangs unsorted in a **wheel** of eleven levels of 64 slots; when the heap runs dry the
/// wheel's first slot is poured into it, split level by level while it holds too much. A deadline therefore moves at most eleven times
/// between its insertion and its end, and one that is cancelled before its time, as most are, is unlinked from a list.
///
/// That pairing avoids both traps of a plain hierarchical wheel: a cascade cannot break the order of ties, because only the heap orders; and the
/// exact next deadline never costs a scan of a coarse slot, however many deadlines lie in it and however often the first is cancelled.
///
/// - Complexity: `insert`, `cancel`, `reschedule` and `popFirst` are O(1) amortised over a deadline's life, but for the near heap, which is
///   kept to a few hundred entries unless more than that many deadlines share an instant.
public struct TimerQueue: ~Copyable {
  /// A deadline in the queue. Ends with the deadline's firing or cancellation; its number is then used again.
  public struct ID: Hashable, Sendable, BitwiseCopyable {
    let index: UInt32
    init(index: UInt32) { self.index = index }

    /// Names no deadline.
    public static let none = ID(index: .max)
  }

  /// What `popFirst` answers.
  public struct Expired: Equatable, Sendable, BitwiseCopyable {
    /// When it was due.
    public let deadline: Instant
    /// What was inserted with it.
    public let payload: UInt32
  }

  /// 32 bytes, two to a cache line.
  struct Node {
    var deadline: Int64
    var sequence: UInt64
    var next: UInt32
    var previous: UInt32
    var payload: UInt32
    /// A wheel slot's number, or `inHeap` and the index there, or `free`.
    var position: UInt32

    static let inHeap: UInt32 = 1 << 31
    static let free: UInt32 = .max
  }

  static let nobody: UInt32 = .max
  /// A slot that holds more is split into the next level's slots rather than poured into the heap. Anything from 4 to 64 measured alike;
  /// 16 entries are two levels of the heap.
  static let pourLimit = 16
  /// The heap may grow to this, and to twice what was last poured, before its far part is hung back into the wheel.
  static let spillFloor = 64

  var nodes: UnsafeMutablePointer<Node>
  var capacity: Int
  var firstFree: UInt32
  /// Every node below has been in use; those above have never been written.
  var used: UInt32 = 0
  var nextSequence: UInt64 = 0

  /// The deadlines up to `horizon`.
  var heap: NearHeap
  /// The latest deadline that belongs into the heap.
  var horizon: Int64 = 0
  var spillLimit = TimerQueue.spillFloor

  /// The deadlines after `horizon`.
  var wheel: Wheel
  /// How many deadlines there are.
  public private(set) var count = 0

  /// An empty queue with room for so many deadlines before it has to grow.
  public init(minimumCapacity: Int = 16) {
    capacity = Swift.max(16, minimumCapacity)
    nodes = .allocate(capacity: capacity)
    firstFree = TimerQueue.nobody
    heap = NearHeap()
    wheel = Wheel()
  }

  deinit { nodes.deallocate() }

  /// Whether there is no deadline.
  public var isEmpty: Bool { count == 0 }

  /// The earliest deadline, exactly. Never earlier than the true one, never later.
  /// - Complexity: O(1).
  public var nextDeadline: Instant? {
    heap.count == 0 ? nil : Instant(nanoseconds: heap.entries[0].deadline)
  }

  /// Adds a deadline. At one instant deadlines fire in the order in which they were added.
  /// - Precondition: `deadline` is not negative.
  public mutating func insert(_ deadline: Instant, payload: UInt32) -> ID {
    insert(deadline, payload: payload, ticket: takeTicket())
  }

  /// A place in the order of insertions for a deadline that is added later, or never.
  mutating func takeTicket() -> UInt64 {
    defer { nextSequence &+= 1 }
    return nextSequence
  }

  /// Adds a deadline that counts as added when its ticket was taken.
  mutating func insert(_ deadline: Instant, payload: UInt32, ticket: UInt64) -> ID {
    precondition(deadline.nanoseconds >= 0, "A deadline of \(deadline.nanoseconds) ns lies before the start")
    let index = allocate()
    nodes[Int(index)] = Node(
      deadline: deadline.nanoseconds, sequence: ticket, next: TimerQueue.nobody, previous: TimerQueue.nobody, payload: payload,
      position: TimerQueue.Node.free)
    place(index)
    return ID(index: index)
  }

  /// Whether the earliest deadline comes before another that is due at `instant` and has this ticket.
  @inline(__always)
  func firstPrecedes(_ instant: Instant, ticket: UInt64) -> Bool {
    guard heap.count > 0 else { return false }
    let first = heap.entries[0]
    return first.deadline < instant.nanoseconds || (first.deadline == instant.nanoseconds && first.sequence < ticket)
  }

  /// Takes a deadline out before it fires.
  /// - Precondition: `id` is in the queue.
  public mutating func cancel(_ id: ID) {
    remove(id.index)
    release(id.index)
    refillHeap()
  }

  /// Moves a deadline to another instant, where it counts as added now; at the same instant it keeps its place (rule C2).
  /// - Precondition: `id` is in the queue.
  public mutating func reschedule(_ id: ID, to deadline: Instant) {
    precondition(deadline.nanoseconds >= 0, "A deadline of \(deadline.nanoseconds) ns lies before the start")
    guard nodes[Int(id.index)].deadline != deadline.nanoseconds else { return }
    remove(id.index)
    nodes[Int(id.index)].deadline = deadline.nanoseconds
    nodes[Int(id.index)].sequence = nextSequence
    nextSequence &+= 1
    place(id.index)
    refillHeap()
  }

  /// Takes out the earliest deadline if it is not after `now`.
  public mutating func popFirst(notAfter now: Instant) -> Expired? {
    guard heap.count > 0, heap.entries[0].deadline <= now.nanoseconds else { return nil }
    let index = heap.entries[0].node
    let expired = Expired(deadline: Instant(nanoseconds: heap.entries[0].deadline), payload: nodes[Int(index)].payload)
    remove(index)
    release(index)
    refillHeap()
    return expired
  }

  /// Sets a deadline that its owner remembers in `id`, or moves it; at the instant where it already stands it keeps its place.
  @inline(__always)
  mutating func arm(_ id: inout ID, at deadline: Instant, _ payload: Deadline) {
    if id == .none {
      id = insert(deadline, payload: payload.payload)
    } else {
      reschedule(id, to: deadline)
    }
  }

  /// Takes the deadline that `id` remembers out, if there is one.
  @inline(__always)
  mutating func disarm(_ id: inout ID) {
    guard id != .none else { return }
    cancel(id)
    id = .none
  }

  /// When a deadline will fire.
  /// - Precondition: `id` is in the queue.
  public func deadline(of id: ID) -> Instant { Instant(nanoseconds: nodes[Int(id.index)].deadline) }

  /// A queue of its own with the same deadlines, identifiers and order.
  /// - Complexity: O(n).
  public func copy() -> TimerQueue {
    var other = TimerQueue(minimumCapacity: capacity)
    other.nodes.update(from: nodes, count: Int(used))
    other.firstFree = firstFree
    other.used = used
    other.nextSequence = nextSequence
    other.heap = heap.copy()
    other.horizon = horizon
    other.spillLimit = spillLimit
    other.wheel = wheel.copy()
    other.count = count
    return other
  }

  // MARK: Nodes

  private mutating func allocate() -> UInt32 {
    count += 1
    if firstFree != TimerQueue.nobody {
      let index = firstFree
      firstFree = nodes[Int(index)].next
      return index
    }
    if Int(used) == capacity { grow() }
    let index = used
    used += 1
    return index
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: nodes, count: capacity)
    nodes.deallocate()
    nodes = larger
    capacity *= 2
  }

  private mutating func release(_ index: UInt32) {
    count -= 1
    nodes[Int(index)].position = TimerQueue.Node.free
    nodes[Int(index)].next = firstFree
    firstFree = index
  }

  // MARK: Near or far

  private mutating func place(_ index: UInt32) {
    let deadline = nodes[Int(index)].deadline
    if heap.count == 0, wheel.isEmpty {
      // Nothing else is queued, so the horizon may lie anywhere: here it leaves all that comes later to the wheel.
      horizon = deadline
      wheel.base = UInt64(bitPattern: deadline)
      spillLimit = TimerQueue.spillFloor
    }
    if deadline <= horizon {
      heap.push(index, nodes)
      if heap.count > spillLimit { spill() }
    } else {
      wheel.link(index, nodes)
    }
  }

  private mutating func remove(_ index: UInt32) {
    let position = nodes[Int(index)].position
    precondition(position != TimerQueue.Node.free, "Deadline \(index) is not in the queue")
    if position & TimerQueue.Node.inHeap != 0 {
      heap.remove(at: Int(position & ~TimerQueue.Node.inHeap), nodes)
    } else {
      wheel.unlink(index, nodes)
    }
  }

  /// Keeps the invariant that makes `nextDeadline` exact: the heap is empty only if the wheel is.
  private mutating func refillHeap() {
    if heap.count == 0, !wheel.isEmpty { pour() }
  }

  /// Pours the wheel's first slot into the heap, after splitting it until it is small.
  @inline(never)
  private mutating func pour() {
    while true {
      let slot = wheel.firstSlot
      guard wheel.level(of: slot) > 0, wheel.holdsMore(than: TimerQueue.pourLimit, slot, nodes) else {
        horizon = wheel.lastInstant(of: slot)
        var index = wheel.detach(slot)
        while index != TimerQueue.nobody {
          let next = nodes[Int(index)].next
          heap.push(index, nodes)
          index = next
        }
        spillLimit = Swift.max(TimerQueue.spillFloor, heap.count * 2)
        return
      }
      let base = wheel.firstInstant(of: slot)
      var index = wheel.detach(slot)
      wheel.base = base
      while index != TimerQueue.nobody {
        let next = nodes[Int(index)].next
        wheel.link(index, nodes)
        index = next
      }
    }
  }

  /// Hangs an overgrown heap back into the wheel and pours its first part again, with a nearer horizon.
  ///
  /// The heap overgrows where deadlines keep coming in before a horizon that was set far ahead. Each spill is paid for by the insertions
  /// that doubled the heap; one that has to move the wheel's base back, and so hangs everything anew, by a quarter of all deadlines.
  @inline(never)
  private mutating func spill() {
    let earliest = heap.entries[0].deadline
    guard earliest < horizon else { return }  // all at one instant: there is nothing to gain
    if UInt64(bitPattern: earliest) < wheel.base {
      guard heap.count * 4 >= count else { return }
      var index = wheel.detachAll(nodes)
      wheel.base = UInt64(bitPattern: earliest)
      while index != TimerQueue.nobody {
        let next = nodes[Int(index)].next
        wheel.link(index, nodes)
        index = next
      }
    }
    for entry in 0..<heap.count { wheel.link(heap.entries[entry].node, nodes) }
    heap.count = 0
    pour()
  }
}
