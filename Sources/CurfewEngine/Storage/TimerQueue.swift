/// Deadlines in (deadline, insertion) order, to the nanosecond.
///
/// Two structures share the work. The **near heap** holds every deadline up to `horizon`,
/// so the next one is always known exactly and ties leave in the order in which they came.
/// Everything later hangs unsorted in a **wheel** of eleven levels of 64 slots; when the heap runs
/// dry the wheel's first slot is poured into it, split level by level while it holds too much.
/// A deadline therefore moves at most eleven times between its insertion and its end, and one that
/// is cancelled before its time, as most are, gives its place to the last of its slot.
///
/// Deadlines are moved, not linked: a slot is split by reading its blocks from end to end. What
/// follows them is a table of places, four bytes a deadline. (Tried: nodes of 32 bytes in doubly
/// linked lists. At a million deadlines every link is a cache miss that waits for the one before;
/// twice the time.)
///
/// That pairing avoids both traps of a plain hierarchical wheel: a cascade cannot break the order
/// of ties, because only the heap orders; and the exact next deadline never costs a scan of a
/// coarse slot, however many deadlines lie in it and however often the first is cancelled.
///
/// - Complexity: `insert`, `cancel`, `reschedule` and `popFirst` are O(1) amortised over
///   a deadline's life, but for the near heap, which is kept to a few hundred entries unless more
///   than that many deadlines share an instant.
public struct TimerQueue: ~Copyable {
  /// A deadline in the queue. Ends with the deadline's firing or cancellation; its number is then
  /// used again.
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

  /// A deadline, wherever it lies. 24 bytes.
  struct Entry: BitwiseCopyable {
    var deadline: Int64
    var sequence: UInt64
    var payload: UInt32
    var id: UInt32

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      deadline < other.deadline || (deadline == other.deadline && sequence < other.sequence)
    }
  }

  static let nobody: UInt32 = .max
  /// A slot that holds more is split into the next level's slots rather than poured into the heap.
  /// 4, 16 and 31 measured alike; 16 entries are two levels of the heap.
  static let pourLimit: UInt32 = 16
  /// The heap may grow to this, and to twice what was last poured, before its far part is hung back
  /// into the wheel.
  static let spillFloor = 64

  /// Where each deadline lies, and which numbers are free.
  var places: PlaceTable
  var nextSequence: UInt64 = 0

  /// The deadlines up to `horizon`.
  var heap: NearHeap
  /// The latest deadline that belongs into the heap.
  var horizon: Int64 = 0
  var spillLimit = TimerQueue.spillFloor

  /// The deadlines after `horizon`.
  var wheel: Wheel

  /// An empty queue with room for so many deadlines before it has to grow.
  public init(minimumCapacity: Int = 16) {
    places = PlaceTable(minimumCapacity: minimumCapacity)
    heap = NearHeap()
    wheel = Wheel(minimumCapacity: minimumCapacity)
  }

  /// How many deadlines there are.
  public var count: Int { places.count }

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
  @inline(__always)
  mutating func takeTicket() -> UInt64 {
    defer { nextSequence &+= 1 }
    return nextSequence
  }

  /// Adds a deadline that counts as added when its ticket was taken.
  mutating func insert(_ deadline: Instant, payload: UInt32, ticket: UInt64) -> ID {
    precondition(
      deadline.nanoseconds >= 0, "A deadline of \(deadline.nanoseconds) ns lies before the start")
    let id = places.take()
    place(Entry(deadline: deadline.nanoseconds, sequence: ticket, payload: payload, id: id))
    return ID(index: id)
  }

  /// Whether the earliest deadline comes before another that is due at `instant` and has
  /// this ticket.
  @inline(__always)
  func firstPrecedes(_ instant: Instant, ticket: UInt64) -> Bool {
    guard heap.count > 0 else { return false }
    let first = heap.entries[0]
    return first.deadline < instant.nanoseconds
      || (first.deadline == instant.nanoseconds && first.sequence < ticket)
  }

  /// Takes a deadline out before it fires.
  /// - Precondition: `id` is in the queue.
  public mutating func cancel(_ id: ID) {
    _ = remove(id.index)
    places.free(id.index)
    refillHeap()
  }

  /// Moves a deadline to another instant, where it counts as added now; at the same instant it
  /// keeps its place (rule C2).
  /// - Precondition: `id` is in the queue.
  package mutating func reschedule(_ id: ID, to deadline: Instant) {
    precondition(
      deadline.nanoseconds >= 0, "A deadline of \(deadline.nanoseconds) ns lies before the start")
    guard self.deadline(of: id) != deadline else { return }
    var entry = remove(id.index)
    entry.deadline = deadline.nanoseconds
    entry.sequence = takeTicket()
    place(entry)
    refillHeap()
  }

  /// Takes out the earliest deadline if it is not after `now`.
  public mutating func popFirst(notAfter now: Instant) -> Expired? {
    guard heap.count > 0, heap.entries[0].deadline <= now.nanoseconds else { return nil }
    let first = heap.remove(at: 0, &places)
    places.free(first.id)
    refillHeap()
    return Expired(deadline: Instant(nanoseconds: first.deadline), payload: first.payload)
  }

  /// Sets a deadline that its owner remembers in `id`, or moves it; at the instant where it already
  /// stands it keeps its place.
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
  package func deadline(of id: ID) -> Instant {
    let place = places[id.index]
    precondition(!place.isFree, "Deadline \(id.index) is not in the queue")
    return Instant(nanoseconds: entry(at: place).deadline)
  }

  /// Whether a deadline is there whose ticket ends in these bits.
  func holds(_ id: ID, ticket: UInt32) -> Bool {
    let place = places[id.index]
    return !place.isFree && UInt32(truncatingIfNeeded: entry(at: place).sequence) == ticket
  }

  @inline(__always)
  private func entry(at place: PlaceTable.Place) -> Entry {
    place.isInHeap ? heap.entries[place.index] : wheel.entries[place.index]
  }

  /// A queue of its own with the same deadlines, identifiers and order.
  /// - Complexity: O(n).
  package func copy() -> TimerQueue {
    var other = TimerQueue()
    other.places = places.copy()
    other.nextSequence = nextSequence
    other.heap = heap.copy()
    other.horizon = horizon
    other.spillLimit = spillLimit
    other.wheel = wheel.copy()
    return other
  }

  // MARK: Near or far

  @inline(__always)
  private mutating func place(_ entry: Entry) {
    if heap.count == 0, wheel.isEmpty {
      // Nothing else is queued, so the horizon may lie anywhere: here it leaves all that comes
      // later to the wheel.
      horizon = entry.deadline
      wheel.base = UInt64(bitPattern: entry.deadline)
      spillLimit = TimerQueue.spillFloor
    }
    if entry.deadline <= horizon {
      heap.push(entry, &places)
      if heap.count > spillLimit { spill() }
    } else {
      wheel.add(entry, &places)
    }
  }

  @inline(__always)
  private mutating func remove(_ id: UInt32) -> Entry {
    let place = places[id]
    precondition(!place.isFree, "Deadline \(id) is not in the queue")
    return place.isInHeap
      ? heap.remove(at: place.index, &places) : wheel.remove(at: place.index, &places)
  }

  /// Keeps the invariant that makes `nextDeadline` exact: the heap is empty only if the wheel is.
  @inline(__always)
  private mutating func refillHeap() {
    if heap.count == 0, !wheel.isEmpty { pour() }
  }

  /// Pours the wheel's first slot into the heap, after splitting it until it is small.
  @inline(never)
  private mutating func pour() {
    while wheel.level(of: wheel.firstSlot) > 0,
      wheel.holdsMore(than: TimerQueue.pourLimit, wheel.firstSlot)
    {
      wheel.splitFirstSlot(&places)
    }
    let slot = wheel.firstSlot
    horizon = wheel.lastInstant(of: slot)
    var chain = wheel.detach(slot)
    while let block = wheel.block(of: chain) {
      for index in block { heap.push(wheel.entries[index], &places) }
      wheel.dropBlock(of: &chain)
    }
    spillLimit = Swift.max(TimerQueue.spillFloor, heap.count * 2)
  }

  /// Hangs an overgrown heap back into the wheel and pours its first part again, with
  /// a nearer horizon.
  ///
  /// The heap overgrows where deadlines keep coming in before a horizon that was set far ahead.
  /// Each spill is paid for by the insertions that doubled the heap; one that has to move the
  /// wheel's base back, and so hangs everything anew, by a quarter of all deadlines.
  @inline(never)
  private mutating func spill() {
    let earliest = heap.entries[0].deadline
    guard earliest < horizon else { return }  // all at one instant: there is nothing to gain
    if UInt64(bitPattern: earliest) < wheel.base {
      guard heap.count * 4 >= count else { return }
      wheel.rebuild(from: UInt64(bitPattern: earliest), &places)
    }
    for index in 0..<heap.count { wheel.add(heap.entries[index], &places) }
    heap.removeAll()
    pour()
  }
}
