/// Records of one kind, side by side, named by their index. Freed places are used again, last freed first.
///
/// The unsafe memory of the engine lies in here and in the timer queue and nowhere else.
struct Slab<Element: BitwiseCopyable>: ~Copyable {
  static var nobody: UInt32 { .max }

  private var elements: UnsafeMutablePointer<Element>
  /// Chain of freed places; parallel to `elements`, and touched only when a place is freed or taken again.
  private var freeNext: UnsafeMutablePointer<UInt32>
  private var firstFree = UInt32.max
  private(set) var capacity: Int
  /// Every place below has been in use.
  private(set) var used = 0
  /// How many places are taken.
  private(set) var count = 0

  init(minimumCapacity: Int = 16) {
    capacity = Swift.max(16, minimumCapacity)
    elements = Slab.allocate(capacity)
    freeNext = .allocate(capacity: capacity)
  }

  deinit {
    elements.deallocate()
    freeNext.deallocate()
  }

  /// The record at `index`.
  subscript(index: UInt32) -> Element {
    @inline(__always) unsafeAddress {
      assert(Int(index) < used, "index \(index) of \(used)")
      return UnsafePointer(elements + Int(index))
    }
    @inline(__always) unsafeMutableAddress {
      assert(Int(index) < used, "index \(index) of \(used)")
      return elements + Int(index)
    }
  }

  /// Takes a place for `element`.
  mutating func insert(_ element: Element) -> UInt32 {
    count += 1
    if firstFree != Slab.nobody {
      let index = firstFree
      firstFree = freeNext[Int(index)]
      elements[Int(index)] = element
      return index
    }
    if used == capacity { grow() }
    elements[used] = element
    used += 1
    return UInt32(truncatingIfNeeded: used - 1)
  }

  /// Gives a place back. What lies there stays readable until the place is taken again.
  mutating func free(_ index: UInt32) {
    count -= 1
    freeNext[Int(index)] = firstFree
    firstFree = index
  }

  /// Records of its own with the same indices.
  func copy() -> Slab {
    var other = Slab(minimumCapacity: capacity)
    other.elements.update(from: elements, count: used)
    other.freeNext.update(from: freeNext, count: used)
    other.firstFree = firstFree
    other.used = used
    other.count = count
    return other
  }

  /// Aligned to cache lines, so that a record of one line's size lies in one line.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
    UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<Element>.stride, alignment: 64)
      .bindMemory(to: Element.self, capacity: capacity)
  }

  @inline(never)
  private mutating func grow() {
    let larger = Slab.allocate(capacity * 2)
    larger.moveInitialize(from: elements, count: used)
    elements.deallocate()
    elements = larger
    let longer = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
    longer.moveInitialize(from: freeNext, count: used)
    freeNext.deallocate()
    freeNext = longer
    capacity *= 2
  }
}
