/// The first and the last of many, and how many there were: what is kept of a run that may go on
/// for years.
struct FirstAndLast<Element> {
  /// How many are kept at either end.
  static var limit: Int { 1_000 }

  /// How many there were.
  private(set) var count = 0
  private var first: [Element] = []
  /// Where it is full the oldest stands at `start`.
  private var last: [Element] = []
  private var start = 0

  /// None yet.
  init() {}

  /// Another one.
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

  /// What is kept, in order.
  var elements: [Element] { first + last[start...] + last[..<start] }

  /// How many are not kept, between the first and the last.
  var omitted: Int { count - first.count - last.count }
}

extension FirstAndLast: Sendable where Element: Sendable {}
