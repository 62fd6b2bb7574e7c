/// Records of one type, addressed by their places. Freed places are reused, the last freed first.
///
/// Invariants: using a place that was never taken traps, and so does freeing a free place; release
/// builds check this too. Reading a free place traps in debug builds only, because the check would
/// cost every access a second cache line.
struct Slab<Element: BitwiseCopyable>: ~Copyable {
  private static var taken: UInt32 { .max - 1 }

  private var elements: Column<Element>
  /// For a free place, the index of the next free place; for a taken place, `taken`. Accessed only
  /// when a place is taken or freed.
  private var links: Column<UInt32>
  private var firstFree = UInt32.max
  /// The number of taken places.
  private(set) var count = 0

  init() {
    elements = Column()
    links = Column()
  }

  private init(copying other: borrowing Slab) {
    elements = other.elements.copy()
    links = other.links.copy()
    (firstFree, count) = (other.firstFree, other.count)
  }

  /// Returns a separate slab with the same records at the same places.
  func copy() -> Slab { Slab(copying: self) }

  var capacity: Int { elements.capacity }
  /// The number of places that have ever been taken.
  var used: Int { elements.count }

  /// The record at `place`.
  /// - Precondition: `place` is taken.
  subscript(place: Place<Element>) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: place)) }
    @inline(__always) unsafeMutableAddress { address(of: place) }
  }

  @inline(__always)
  func address(of place: Place<Element>) -> UnsafeMutablePointer<Element> {
    assert(holds(place), "Place \(place.index) of \(used) is free")
    return elements.address(of: Int(place.index))
  }

  /// Loads the record at a place, taken or not, into the processor's cache.
  @inline(__always)
  func prefetch(_ place: Place<Element>) { elements.prefetch(Int(place.index)) }

  /// Loads what `holds` reads of a place.
  @inline(__always)
  func prefetchLink(_ place: Place<Element>) { links.prefetch(Int(place.index)) }

  /// Whether `place` is taken. The record there may be a different one, because freed places
  /// are reused.
  @inline(__always)
  func holds(_ place: Place<Element>) -> Bool {
    place.index < used && links[Int(place.index)] == Slab.taken
  }

  /// Takes a place for `element`. Inlined, because an element that is built in place is not copied.
  @inline(__always)
  mutating func insert(_ element: Element) -> Place<Element> {
    count += 1
    guard firstFree == .max else {
      let place = Place<Element>(index: firstFree)
      firstFree = links[Int(place.index)]
      links[Int(place.index)] = Slab.taken
      elements[Int(place.index)] = element
      return place
    }
    precondition(used < Deadline.indexLimit, "More than \(used) records")
    links.append(Slab.taken)
    elements.append(element)
    return Place(index: UInt32(truncatingIfNeeded: used - 1))
  }

  /// Frees a place.
  mutating func free(_ place: Place<Element>) {
    precondition(holds(place), "Place \(place.index) of \(used) is free already")
    count -= 1
    links[Int(place.index)] = firstFree
    firstFree = place.index
  }
}
