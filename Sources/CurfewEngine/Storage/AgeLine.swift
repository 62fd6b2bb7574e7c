/// Records in the order in which they came, of which any may leave: who has been in longest is known at all times.
///
/// A ring of places. Whoever leaves from the middle leaves a gap, which is passed over when it comes to the front, so leaving touches nobody
/// else. (Tried: a doubly linked list through the records. Each removal then fetched two cold neighbours.)
///
/// - Complexity: O(1) amortised. Four bytes a place; gaps go when those before them have gone.
struct AgeLine: ~Copyable {
  private static let gap = UInt32.max

  private var ring: UnsafeMutablePointer<UInt32>
  private var capacity: Int
  /// Both count on without end; the ring takes them modulo its capacity.
  private var front: UInt32 = 0
  private var back: UInt32 = 0
  private var members = 0

  init() {
    capacity = 16
    ring = .allocate(capacity: capacity)
  }

  deinit { ring.deallocate() }

  func copy() -> AgeLine {
    var other = AgeLine()
    while other.capacity < capacity { other.grow() }
    other.ring.update(from: ring, count: capacity)
    (other.front, other.back, other.members) = (front, back, members)
    return other
  }

  /// Who has been in longest.
  @inline(__always)
  var first: UInt32? { front == back ? nil : ring[index(front)] }

  /// Whether there must be made room before anybody is let in.
  var isFull: Bool { Int(back &- front) == capacity }

  /// Closes the gaps, where they are half of all or more, and tells those who have moved; else grows.
  mutating func makeRoom(_ records: inout Slab<Assertion>) {
    guard members * 2 <= capacity else { return grow() }
    var (place, next) = (front, front)
    while place != back {
      let member = ring[index(place)]
      place &+= 1
      guard member != AgeLine.gap else { continue }
      ring[index(next)] = member
      records[member].agePlace = next
      next &+= 1
    }
    back = next
  }

  /// Lets `member` in, last, and answers the place by which it leaves.
  /// - Precondition: The line is not full.
  mutating func append(_ member: UInt32) -> UInt32 {
    members += 1
    ring[index(back)] = member
    back &+= 1
    return back &- 1
  }

  mutating func remove(at place: UInt32) {
    ring[index(place)] = AgeLine.gap
    members -= 1
    while front != back, ring[index(front)] == AgeLine.gap { front &+= 1 }
  }

  @inline(__always)
  private func index(_ place: UInt32) -> Int { Int(place) & (capacity - 1) }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
    larger.initialize(repeating: AgeLine.gap, count: capacity * 2)
    var place = front
    while place != back {
      larger[Int(place) & (capacity * 2 - 1)] = ring[index(place)]
      place &+= 1
    }
    ring.deallocate()
    ring = larger
    capacity *= 2
  }
}
