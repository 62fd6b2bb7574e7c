internal import CPrefetch

/// Records of one type, contiguous, with one owner: an array without reference counting.
///
/// Columns hold all of the engine's unsafe memory, except the buffer of actions, because reads
/// of that buffer are inlined into hosts. Invariant: every index passed in is below `count`;
/// release builds check this too, except for `proven` indices.
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

  /// The record at an index that the caller has already checked. Only debug builds check the
  /// bounds. Used only where the check was measured to cost time.
  subscript(proven index: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(ofProven: index)) }
    @inline(__always) unsafeMutableAddress { address(ofProven: index) }
  }

  /// Used by the accessors of types that own columns. A coroutine accessor would allocate if it
  /// were not inlined.
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

  /// Loads a record into the processor's cache. Any index is allowed.
  @inline(__always)
  func prefetch(_ index: Int) {
    if UInt(bitPattern: index) < UInt(bitPattern: count) { cpf_prefetch(elements + index) }
  }

  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    elements[count] = element
    count += 1
  }

  /// - Precondition: The column is not empty.
  @inline(__always)
  mutating func removeLast() -> Element {
    let last = self[count - 1]
    count -= 1
    return last
  }

  /// Removes the last records.
  /// - Precondition: The column has as many.
  mutating func removeLast(_ number: Int) {
    precondition(number >= 0 && number <= count, "\(number) of \(count) records")
    count -= number
  }

  /// Removes the records and keeps the memory.
  mutating func removeAll() { count = 0 }

  /// Returns a separate column with the same capacity and records.
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

  /// Allocates memory aligned to cache lines, so that a record of 64 bytes occupies one cache line.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
    UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Element>.stride, alignment: 64
    )
    .bindMemory(to: Element.self, capacity: capacity)
  }
}
