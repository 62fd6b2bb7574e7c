/// A first-in, first-out queue. It does not allocate unless it has to grow.
///
/// Invariant: `done` records at the front have been taken; `done` is less than the number
/// of records unless both are 0.
struct Line<Element: BitwiseCopyable>: ~Copyable {
  private var elements = Column<Element>()
  private var done = 0

  init() {}

  private init(copying other: borrowing Line) {
    elements = other.elements.copy()
    done = other.done
  }

  func copy() -> Line { Line(copying: self) }

  @inline(__always)
  var isEmpty: Bool { elements.count == 0 }

  /// The oldest element.
  @inline(__always)
  var first: Element? { isEmpty ? nil : elements[done] }

  @inline(__always)
  mutating func append(_ element: Element) { elements.append(element) }

  @inline(__always)
  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    done += 1
    if done == elements.count {
      elements.removeAll()
      done = 0
    }
    return first
  }
}
