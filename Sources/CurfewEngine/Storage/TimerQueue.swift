/// Deadlines ordered by (deadline, insertion), to the nanosecond.
///
/// Two structures share the work. The **near heap** holds every deadline up to `horizon`, so the
/// next deadline is always known exactly and ties leave in order of insertion. Every later deadline
/// is stored unsorted in a **wheel** of eleven levels of 64 slots. When the heap runs empty, the
/// first slots of the wheel are poured into it; a slot that holds too many entries is first split,
/// level by level. A deadline therefore moves at most eleven times between insertion and firing. If
/// it is cancelled before then, as most deadlines are, the last entry of its slot takes its place.
///
/// Deadlines are moved, not linked: a slot is split by reading its blocks from end to end. A table
/// of places, four bytes per deadline, follows the moves. (Tried: nodes of 32 bytes in doubly
/// linked lists. At a million deadlines every link is a cache miss that depends on the previous
/// miss, and the queue takes twice the time.)
///
/// The pairing avoids both problems of a plain hierarchical wheel. A cascade cannot break the order
/// of ties, because only the heap orders. Finding the exact next deadline never scans a coarse
/// slot, no matter how many deadlines the slot holds and how often the first is cancelled.
///
/// - Complexity: `insert`, `cancel`, `reschedule` and `popFirst` are O(1) amortised over a
///   deadline's life, except for the near heap. The heap holds at most a few hundred entries unless
///   more deadlines than that share an instant, or arrive before all that the wheel holds; of these
///   it holds up to a third of all deadlines.
public struct TimerQueue: ~Copyable {
  /// The identifier of a deadline in the queue. It is valid until the deadline fires or is
  /// cancelled; its number is then reused.
  public struct ID: Hashable, Sendable, BitwiseCopyable {
    let index: UInt32
    init(index: UInt32) { self.index = index }

    /// The identifier that names no deadline.
    public static let none = ID(index: .max)
  }

  /// A deadline that `popFirst` removed.
  public struct Expired: Equatable, Sendable, BitwiseCopyable {
    /// The instant at which it was due.
    public let deadline: Instant
    /// The payload passed to `insert`.
    public let payload: UInt32
  }

  /// A deadline in the heap or in the wheel. 24 bytes.
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
  /// The maximum number of entries that a slot pours into the heap. A fuller slot is split into
  /// the next level's slots. Limits of 4, 16 and 31 performed alike.
  static let pourLimit: UInt32 = 16
  /// The number of entries from which no further slot is poured. Many slots hold only one or two
  /// entries, and each would cost a pour. With 8 and 16, sorting costs more than fewer pours save.
  static let pourGoal = 4
  /// The size to which the heap may always grow. The heap may also grow to twice the number
  /// of entries that were poured last. Beyond both sizes, its far part returns to the wheel, unless
  /// it would move the wheel's base back for less than a quarter of all deadlines. That is tried
  /// again when the heap has grown by a quarter.
  static let spillFloor = 64

  /// The place of each deadline, and the free numbers.
  var places: PlaceTable
  var nextSequence: UInt64 = 0

  /// The deadlines up to `horizon`.
  var heap: NearHeap
  /// The latest deadline that belongs in the heap.
  var horizon: Int64 = 0
  var spillLimit = TimerQueue.spillFloor

  /// The deadlines after `horizon`.
  var wheel: Wheel

  /// Creates an empty queue with room for `minimumCapacity` deadlines.
  public init(minimumCapacity: Int = 16) {
    places = PlaceTable(minimumCapacity: minimumCapacity)
    heap = NearHeap()
    wheel = Wheel(minimumCapacity: minimumCapacity)
  }

  /// The number of deadlines.
  public var count: Int { places.count }

  /// Whether the queue has no deadline.
  public var isEmpty: Bool { count == 0 }

  /// The earliest deadline, exact.
  /// - Complexity: O(1).
  public var nextDeadline: Instant? {
    heap.isEmpty ? nil : Instant(nanoseconds: heap.first.deadline)
  }

  /// The earliest deadline, or `distantFuture` if there is none.
  @inline(__always)
  var first: Instant {
    heap.isEmpty ? .distantFuture : Instant(nanoseconds: heap.first.deadline)
  }

  /// The payload of the earliest deadline; nil if there is none.
  @inline(__always)
  var firstPayload: UInt32? { heap.isEmpty ? nil : heap.first.payload }

  /// Adds a deadline. Deadlines at one instant fire in order of insertion.
  /// - Precondition: `deadline` is not negative.
  public mutating func insert(_ deadline: Instant, payload: UInt32) -> ID {
    insert(deadline, payload: payload, ticket: takeTicket())
  }

  /// Returns a place in the order of insertion, for a deadline that is added later or never.
  @inline(__always)
  mutating func takeTicket() -> UInt64 {
    defer { nextSequence &+= 1 }
    return nextSequence
  }

  /// Adds a deadline as if it had been inserted when `ticket` was taken.
  mutating func insert(_ deadline: Instant, payload: UInt32, ticket: UInt64) -> ID {
    precondition(
      deadline.nanoseconds >= 0, "A deadline of \(deadline.nanoseconds) ns lies before the start")
    let id = places.take()
    place(Entry(deadline: deadline.nanoseconds, sequence: ticket, payload: payload, id: id))
    return ID(index: id)
  }

  /// Whether the earliest deadline precedes a deadline at `instant` with this ticket.
  @inline(__always)
  func firstPrecedes(_ instant: Instant, ticket: UInt64) -> Bool {
    guard !heap.isEmpty else { return false }
    let first = heap.first
    return first.deadline < instant.nanoseconds
      || (first.deadline == instant.nanoseconds && first.sequence < ticket)
  }

  /// Removes a deadline before it fires.
  /// - Precondition: `id` is in the queue.
  public mutating func cancel(_ id: ID) {
    _ = remove(id.index)
    places.free(id.index)
    refillHeap()
  }

  /// Loads the place of a deadline into the processor's cache. The deadline will soon be cancelled
  /// or moved.
  @inline(__always)
  func prefetchPlace(of id: ID) { places.prefetch(id.index) }

  /// Loads the deadline itself. Its place has been loaded before.
  @inline(__always)
  func prefetch(_ id: ID) {
    let place = places[id.index]
    if !place.isInHeap { wheel.prefetch(place.index) }
  }

  /// Moves a deadline to another instant, where it counts as inserted now. If the instant is the
  /// same, the deadline keeps its place in the order (rule C2).
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

  /// Removes and returns the earliest deadline if it is not after `now`.
  public mutating func popFirst(notAfter now: Instant) -> Expired? {
    guard !heap.isEmpty, heap.first.deadline <= now.nanoseconds else { return nil }
    let first = heap.removeFirst(&places)
    places.free(first.id)
    refillHeap()
    return Expired(deadline: Instant(nanoseconds: first.deadline), payload: first.payload)
  }

  /// Inserts the deadline stored in `id`, or reschedules it. If the instant is the same,
  /// the deadline keeps its place in the order.
  @inline(__always)
  mutating func arm(_ id: inout ID, at deadline: Instant, _ payload: Deadline) {
    if id == .none {
      id = insert(deadline, payload: payload.payload)
    } else {
      reschedule(id, to: deadline)
    }
  }

  /// Cancels the deadline stored in `id`, if there is one.
  @inline(__always)
  mutating func disarm(_ id: inout ID) {
    guard id != .none else { return }
    cancel(id)
    id = .none
  }

  /// The instant at which a deadline fires.
  /// - Precondition: `id` is in the queue.
  package func deadline(of id: ID) -> Instant {
    let place = places[id.index]
    precondition(!place.isFree, "Deadline \(id.index) is not in the queue")
    return Instant(nanoseconds: entry(at: place).deadline)
  }

  /// Whether `id` is in the queue with a ticket whose low 32 bits are `ticket`.
  func holds(_ id: ID, ticket: UInt32) -> Bool {
    let place = places[id.index]
    return !place.isFree && UInt32(truncatingIfNeeded: entry(at: place).sequence) == ticket
  }

  @inline(__always)
  private func entry(at place: PlaceTable.Place) -> Entry {
    place.isInHeap ? heap.entries[place.index] : wheel.entries[place.index]
  }

  /// Returns a separate queue with the same deadlines, identifiers and order.
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
    if count == 1 {
      // Nothing else is queued: the heap and the wheel are empty, so the horizon can be anywhere.
      // A horizon at this deadline leaves all later deadlines to the wheel.
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

  /// Maintains the invariant that makes `nextDeadline` exact: the heap is empty only if the
  /// wheel is.
  @inline(__always)
  private mutating func refillHeap() {
    if heap.isEmpty, !wheel.isEmpty { pour() }
  }

  /// Pours the wheel's first slots into the heap. First splits the first one until it is small.
  @inline(never)
  private mutating func pour() {
    var slot = wheel.firstSlot
    while wheel.level(of: slot) > 0, wheel.holdsMore(than: TimerQueue.pourLimit, slot) {
      wheel.split(first: slot, &places)
      slot = wheel.firstSlot
    }
    if wheel.holdsMore(than: TimerQueue.pourLimit, slot) {
      pourInstant(slot)
    } else {
      repeat {
        horizon = wheel.lastInstant(of: slot)
        var chain = wheel.detach(slot)
        while let block = wheel.block(of: chain) {
          for index in block { heap.sort(wheel.entries[proven: index]) }
          wheel.dropBlock(of: &chain)
        }
        guard heap.count < TimerQueue.pourGoal, !wheel.isEmpty else { break }
        slot = wheel.firstSlot
      } while !wheel.holdsMore(than: TimerQueue.pourLimit, slot)
      heap.notePlaces(&places)
    }
    spillLimit = Swift.max(TimerQueue.spillFloor, heap.count * 2)
  }

  /// Pours the first slot, which is a single instant. Thousands of deadlines may share it.
  @inline(never)
  private mutating func pourInstant(_ slot: Int) {
    horizon = wheel.lastInstant(of: slot)
    var chain = wheel.detach(slot)
    while let block = wheel.block(of: chain) {
      for index in block { heap.push(wheel.entries[proven: index], &places) }
      wheel.dropBlock(of: &chain)
    }
  }

  /// Returns an overgrown heap to the wheel and pours its first part again, with a nearer horizon.
  ///
  /// The heap grows too large if deadlines keep arriving before a horizon that was set far ahead.
  /// The insertions that doubled the heap pay for each spill. A spill that moves the wheel's base
  /// back re-inserts everything, and is done only if the heap holds a quarter of all deadlines.
  @inline(never)
  private mutating func spill() {
    let earliest = heap.first.deadline
    guard earliest < horizon else {
      // All share one instant: nothing to gain.
      return spillLimit = heap.count * 2
    }
    if UInt64(bitPattern: earliest) < wheel.base {
      guard heap.count * 4 >= count else { return spillLimit = heap.count + heap.count / 4 }
      wheel.rebuild(from: UInt64(bitPattern: earliest), &places)
    }
    for index in heap.start..<heap.start + heap.count { wheel.add(heap.entries[index], &places) }
    heap.removeAll()
    pour()
  }
}
