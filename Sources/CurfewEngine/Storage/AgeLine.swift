/// A queue of records in order of arrival from which any record may be removed. The oldest record
/// is always known.
///
/// A record that is removed from the middle of the ring leaves a gap, which is skipped when it
/// reaches the front. A removal therefore touches no other record. (Tried: a doubly linked list
/// through the records. Each removal then fetched two cold neighbours.)
///
/// Invariants: the front seat is taken unless the queue is empty; the number of taken seats from
/// front to back is the number of members.
///
/// - Complexity: O(1) amortised. Four bytes per seat. A gap is freed when every older seat is free.
struct AgeLine: ~Copyable {
  /// The seat of a member: a number that only grows. Its place in the ring is the number modulo
  /// the ring's capacity.
  struct Seat: Equatable, BitwiseCopyable {
    fileprivate var number: UInt32 = 0
  }

  /// The seats; their number is a power of two. A gap holds `nowhere`.
  private var ring: Column<Place<Assertion>>
  private var front = Seat()
  private var back = Seat()
  private var members = 0

  init() { ring = Column(repeating: .nowhere, count: 16) }

  private init(copying other: borrowing AgeLine) {
    ring = other.ring.copy()
    (front, back, members) = (other.front, other.back, other.members)
  }

  func copy() -> AgeLine { AgeLine(copying: self) }

  /// The oldest member.
  @inline(__always)
  var first: Place<Assertion>? { front == back ? nil : ring[index(front)] }

  /// Whether `makeRoom` must be called before the next `append`.
  var isFull: Bool { Int(back.number &- front.number) == ring.count }

  /// Closes the gaps and updates the seats of the records that move, if at least half of the seats
  /// are gaps; otherwise doubles the ring.
  mutating func makeRoom(_ records: inout Slab<Assertion>) {
    guard members * 2 <= ring.count else { return grow() }
    var (seat, next) = (front, front)
    while seat != back {
      let member = ring[index(seat)]
      seat.number &+= 1
      guard member != .nowhere else { continue }
      ring[index(next)] = member
      records[member].ageSeat = next
      next.number &+= 1
    }
    back = next
  }

  /// Adds `member` at the end and returns its seat, which `remove(at:)` takes.
  /// - Precondition: The line is not full.
  mutating func append(_ member: Place<Assertion>) -> Seat {
    let seat = back
    members += 1
    ring[index(seat)] = member
    back.number &+= 1
    return seat
  }

  /// Loads a seat into the processor's cache.
  @inline(__always)
  func prefetch(_ seat: Seat) { ring.prefetch(index(seat)) }

  mutating func remove(at seat: Seat) {
    ring[index(seat)] = .nowhere
    members -= 1
    while front != back, ring[index(front)] == .nowhere { front.number &+= 1 }
  }

  @inline(__always)
  private func index(_ seat: Seat) -> Int { Int(seat.number) & (ring.count - 1) }

  @inline(never)
  private mutating func grow() {
    var larger = Column<Place<Assertion>>(repeating: .nowhere, count: ring.count * 2)
    var seat = front
    while seat != back {
      larger[Int(seat.number) & (larger.count - 1)] = ring[index(seat)]
      seat.number &+= 1
    }
    ring = larger
  }

  /// Calls `body` with each member and its seat. Traps if an invariant is broken. For tests.
  func checkInvariants(_ body: (Place<Assertion>, Seat) -> Void) {
    var (seat, found) = (front, 0)
    while seat != back {
      let member = ring[index(seat)]
      if member != .nowhere {
        found += 1
        body(member, seat)
      }
      seat.number &+= 1
    }
    precondition(
      found == members && (front == back || ring[index(front)] != .nowhere),
      "\(found) found in the queue, \(members) counted")
  }
}
