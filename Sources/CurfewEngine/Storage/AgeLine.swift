/// Records in the order in which they came, of which any may leave: who has been in longest
/// is known at all times.
///
/// A ring of seats. Whoever leaves from the middle leaves a gap, which is passed over when it comes
/// to the front, so leaving touches nobody else. (Tried: a doubly linked list through the records.
/// Each removal then fetched two cold neighbours.)
///
/// Invariants: the front seat is taken unless nobody is in; of the seats from front to back as many
/// are taken as there are members.
///
/// - Complexity: O(1) amortised. Four bytes a seat; gaps go when those before them have gone.
struct AgeLine: ~Copyable {
  /// Where a member sits: a number that counts on without end; the ring takes it modulo
  /// its capacity.
  struct Seat: Equatable, BitwiseCopyable {
    fileprivate var number: UInt32 = 0
  }

  /// A power of two of seats; a gap is nowhere.
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

  /// Who has been in longest.
  @inline(__always)
  var first: Place<Assertion>? { front == back ? nil : ring[index(front)] }

  /// Whether there must be made room before anybody is let in.
  var isFull: Bool { Int(back.number &- front.number) == ring.count }

  /// Closes the gaps, where they are half of all or more, and tells those who have moved;
  /// else grows.
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

  /// Lets `member` in, last, and answers the seat from which it leaves.
  /// - Precondition: The line is not full.
  mutating func append(_ member: Place<Assertion>) -> Seat {
    let seat = back
    members += 1
    ring[index(seat)] = member
    back.number &+= 1
    return seat
  }

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

  /// Calls `body` with each member and its seat, and stops the program where the line contradicts
  /// itself. For tests.
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
      "\(found) in line, \(members) counted")
  }
}
