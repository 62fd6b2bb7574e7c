/// A first-in, first-out queue.
struct Queue<Element> {
  /// An element that was taken out of turn is nil. The element at `head` is not nil.
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  /// All elements, in order.
  var rest: [Element] { elements[head...].compactMap(\.self) }

  mutating func append(_ element: Element) { elements.append(element) }

  /// - Complexity: O(1), amortized.
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer { advance() }
    return elements[head].take()
  }

  /// The first element that matches.
  func firstMatch(where isMeant: (Element) -> Bool) -> Element? {
    for place in head..<elements.count {
      if let element = elements[place], isMeant(element) { return element }
    }
    return nil
  }

  /// Takes the first element that matches.
  /// - Complexity: O(*n*) in the number of elements before it.
  mutating func removeFirst(where isMeant: (Element) -> Bool) -> Element? {
    let place = elements[head...].firstIndex { $0.map(isMeant) ?? false }
    guard let place else { return nil }
    defer { if place == head { advance() } }
    return elements[place].take()
  }

  /// Takes all elements that match, in order.
  mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element] {
    var (taken, left): ([Element], [Element?]) = ([], [])
    for element in elements[head...] {
      guard let element else { continue }
      if isMeant(element) { taken.append(element) } else { left.append(element) }
    }
    if !taken.isEmpty { (elements, head) = (left, 0) }
    return taken
  }

  private mutating func advance() {
    while head < elements.count, elements[head] == nil { head += 1 }
    if head == elements.count || head > 256 && head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
  }
}
