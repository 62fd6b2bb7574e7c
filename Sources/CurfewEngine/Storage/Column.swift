/// Records of one kind, side by side, owned by one: an array without the counting of owners.
///
/// All of the engine's unsafe memory lies in columns, but for the buffer of actions, whose reading
/// inlines into hosts. Their invariant: every index that is asked for lies below `count`,
/// in release builds too.
struct Column<Element: BitwiseCopyable>: ~Copyable {
  private var elements: UnsafeMutablePointer<Element>
  private(set) var capacity: Int
  private(set) var count = 0

  init(minimumCapacity: Int = 16) {
    capacity = max(16, minimumCapacity)
    elements = Column.allocate(capacity)
  }

  init(repeating element: Element, count: Int) {
    self.init(minimumCapacity: count)
    elements.initialize(repeating: element, count: count)
    self.count = count
  }

  deinit { elements.deallocate() }

  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: index)) }
    @inline(__always) unsafeMutableAddress { address(of: index) }
  }

  /// The record at an index that its owner has looked at: bounds are checked in debug builds alone.
  /// Only where the check was measured to cost something.
  subscript(proven index: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(ofProven: index)) }
    @inline(__always) unsafeMutableAddress { address(ofProven: index) }
  }

  /// For the accessors of those that own columns: a coroutine in their place would allocate, where
  /// it is not inlined.
  @inline(__always)
  func address(of index: Int) -> UnsafeMutablePointer<Element> {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "Record \(index) of \(count)")
    return elements + index
  }

  @inline(__always)
  func address(ofProven index: Int) -> UnsafeMutablePointer<Element> {
    assert(index >= 0 && index < count, "Record \(index) of \(count)")
    return elements + index
  }

  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    elements[count] = element
    count += 1
  }

  /// - Precondition: There is one.
  @inline(__always)
  mutating func removeLast() -> Element {
    let last = self[count - 1]
    count -= 1
    return last
  }

  /// Forgets the records and keeps their room.
  mutating func removeAll() { count = 0 }

  /// A column of its own, as large, with the same records.
  func copy() -> Column {
    var other = Column(minimumCapacity: capacity)
    other.elements.update(from: elements, count: count)
    other.count = count
    return other
  }

  @inline(never)
  private mutating func grow() {
    let larger = Column.allocate(capacity * 2)
    larger.moveInitialize(from: elements, count: count)
    elements.deallocate()
    elements = larger
    capacity *= 2
  }

  /// Aligned to cache lines, so that a record of one line's size lies in one line.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
    UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Element>.stride, alignment: 64
    )
    .bindMemory(to: Element.self, capacity: capacity)
  }
}
