/// The most recent elements of a sequence, at least `limit` of them. Older elements are dropped,
/// because a device may live for months.
struct Recent<Element> {
  static var limit: Int { 1024 }

  private(set) var elements: [Element] = []
  /// The number of elements that have been dropped.
  private var forgotten = 0

  /// - Returns: The element's number among all that were appended.
  @discardableResult
  mutating func append(_ element: Element) -> Int {
    if elements.count == 2 * Recent.limit {
      elements.removeFirst(Recent.limit)
      forgotten += Recent.limit
    }
    elements.append(element)
    return forgotten + elements.count - 1
  }

  /// Changes the element with this number, unless it has been dropped.
  mutating func change(_ number: Int, _ change: (inout Element) -> Void) {
    if number >= forgotten { change(&elements[number - forgotten]) }
  }
}
