/// A first-in, first-out queue.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  /// All elements, in order.
  var rest: [Element] { elements[head...].compactMap(\.self) }

  mutating func append(_ element: Element) { elements.append(element) }

  /// - Complexity: O(1), amortized.
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      head += 1
      if head == elements.count || head > 256 && head > elements.count / 2 {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head].take()
  }
}
