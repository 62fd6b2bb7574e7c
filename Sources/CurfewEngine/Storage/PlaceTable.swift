/// The place of each deadline of a queue, indexed by the deadline's number. Four bytes
/// per deadline.
///
/// Invariant: the place of a taken number is the position of its entry. Numbers from callers are
/// checked here, in release builds too: a number that is not taken has a free place. The heap
/// and the wheel use each other's indices and check them in debug builds only. In release builds
/// this check took a fifteenth of the queue's time.
struct PlaceTable: ~Copyable {
  /// A position in the heap or in the wheel; for a free number, the next free number.
  struct Place: BitwiseCopyable {
    var bits: UInt32

    static func heap(_ index: Int) -> Place {
      Place(bits: 1 << 31 | UInt32(truncatingIfNeeded: index))
    }
    static func wheel(_ index: Int) -> Place { Place(bits: UInt32(truncatingIfNeeded: index)) }
    static func free(next: UInt32) -> Place { Place(bits: 1 << 30 | next & 0x3fff_ffff) }

    var isInHeap: Bool { bits & 1 << 31 != 0 }
    var isFree: Bool { bits >> 30 == 1 }
    var index: Int { Int(bits & 0x3fff_ffff) }
  }

  /// The end of the chain of free numbers.
  private static let noneFree: UInt32 = 0x3fff_ffff

  private var places: Column<Place>
  private var firstFree = PlaceTable.noneFree
  /// The count of taken numbers.
  private(set) var count = 0

  init(minimumCapacity: Int) { places = Column(minimumCapacity: minimumCapacity) }

  private init(copying other: borrowing PlaceTable) {
    places = other.places.copy()
    (firstFree, count) = (other.firstFree, other.count)
  }

  func copy() -> PlaceTable { PlaceTable(copying: self) }

  var capacity: Int { places.capacity }

  /// The place of `id`. If `id` was never taken, the place is free.
  subscript(id: UInt32) -> Place {
    @inline(__always) get {
      Int(id) < places.count ? places[proven: Int(id)] : .free(next: PlaceTable.noneFree)
    }
    @inline(__always) set { places[proven: Int(id)] = newValue }
  }

  /// Loads the place of `id` into the processor's cache.
  @inline(__always)
  func prefetch(_ id: UInt32) { places.prefetch(Int(id)) }

  /// Takes a number. The caller must set its place before the next call.
  @inline(__always)
  mutating func take() -> UInt32 {
    count += 1
    guard firstFree == PlaceTable.noneFree else {
      let id = firstFree
      firstFree = UInt32(truncatingIfNeeded: places[proven: Int(id)].index)
      return id
    }
    precondition(
      places.count < Int(PlaceTable.noneFree), "A queue of \(places.count) deadlines cannot grow")
    places.append(.heap(0))
    return UInt32(truncatingIfNeeded: places.count - 1)
  }

  @inline(__always)
  mutating func free(_ id: UInt32) {
    count -= 1
    places[proven: Int(id)] = .free(next: firstFree)
    firstFree = id
  }
}
