/// Records of one kind, named by their places. Freed places are used again, last freed first.
///
/// Invariants: a place that was never taken stops the program, and so does freeing one that
/// is free, in release builds too; reading one that is free does so in debug builds (in release
/// builds it would cost every access a second line of the cache).
struct Slab<Element: BitwiseCopyable>: ~Copyable {
  private static var taken: UInt32 { .max - 1 }

  private var elements: Column<Element>
  /// Of a free place the next free one, of a taken one `taken`. Touched only when a place is freed
  /// or taken.
  private var links: Column<UInt32>
  private var firstFree = UInt32.max
  /// How many places are taken.
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

  /// Records of its own with the same places.
  func copy() -> Slab { Slab(copying: self) }

  var capacity: Int { elements.capacity }
  /// Every place below has been in use.
  var used: Int { elements.count }

  /// The record at `place`.
  /// - Precondition: It is taken.
  subscript(place: Place<Element>) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: place)) }
    @inline(__always) unsafeMutableAddress { address(of: place) }
  }

  @inline(__always)
  func address(of place: Place<Element>) -> UnsafeMutablePointer<Element> {
    assert(holds(place), "Place \(place.index) of \(used) is free")
    return elements.address(of: Int(place.index))
  }

  /// Whether `place` is taken, by whomever: it may have been given back and taken again since.
  @inline(__always)
  func holds(_ place: Place<Element>) -> Bool {
    place.index < used && links[Int(place.index)] == Slab.taken
  }

  /// Takes a place for `element`.
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

  /// Gives a place back.
  mutating func free(_ place: Place<Element>) {
    precondition(holds(place), "Place \(place.index) of \(used) is free already")
    count -= 1
    links[Int(place.index)] = firstFree
    firstFree = place.index
  }
}
