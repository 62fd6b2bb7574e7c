/// The first and the last elements of a sequence, and its length. It bounds the memory for a run
/// that may last for years.
struct FirstAndLast<Element> {
  /// The number of elements kept at either end.
  static var limit: Int { 1_000 }

  /// The number of elements added.
  private(set) var count = 0
  private var first: [Element] = []
  /// A ring buffer: if it is full, the oldest element is at `start`.
  private var last: [Element] = []
  private var start = 0

  init() {}

  /// Adds an element.
  /// - Complexity: O(1).
  mutating func append(_ element: Element) {
    count += 1
    if first.count < Self.limit {
      first.append(element)
    } else if last.count < Self.limit {
      last.append(element)
    } else {
      last[start] = element
      start = (start + 1) % Self.limit
    }
  }

  /// The kept elements, in order.
  var elements: [Element] { first + last[start...] + last[..<start] }

  /// The number of elements dropped between the first and the last.
  var omitted: Int { count - first.count - last.count }
}

extension FirstAndLast: Sendable where Element: Sendable {}
