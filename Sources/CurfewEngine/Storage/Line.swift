/// First in, first out, without an allocation once it has grown.
///
/// Invariant: `done` records at the front have been taken, and not all of them unless there
/// is none.
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

  /// What has been in longest.
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
