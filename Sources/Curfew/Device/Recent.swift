/// The last of many: a device may live for months.
struct Recent<Element> {
  static var limit: Int { 1024 }

  private(set) var elements: [Element] = []
  /// How many have been forgotten.
  private var forgotten = 0

  /// - Returns: Its number among all.
  @discardableResult
  mutating func append(_ element: Element) -> Int {
    if elements.count == 2 * Recent.limit {
      elements.removeFirst(Recent.limit)
      forgotten += Recent.limit
    }
    elements.append(element)
    return forgotten + elements.count - 1
  }

  /// Changes the one of this number, unless it has been forgotten.
  mutating func change(_ number: Int, _ change: (inout Element) -> Void) {
    if number >= forgotten { change(&elements[number - forgotten]) }
  }
}
