/// A record in a chain, with the place of the record behind it.
protocol Linked: BitwiseCopyable {
  var next: Place<Self> { get set }
}

/// Records of a slab in order of arrival. A chain is a ring: it stores the place of its last
/// record, whose `next` is the first record. Four bytes.
///
/// Invariant: starting from the last record, `next` visits each record of the chain once and no
/// other record, and returns to the last. Only the slab's methods change a chain.
struct Chain<Element: Linked>: BitwiseCopyable, Equatable {
  /// Set by the slab's methods, and by `WaitingItems`.
  var last = Place<Element>.nowhere

  @inline(__always)
  var isEmpty: Bool { last == .nowhere }
}

/// Iterates over a chain from its first record. Only the record returned last may be removed during
/// the iteration.
struct Walk<Element: Linked>: BitwiseCopyable {
  fileprivate var following: Place<Element>
  fileprivate let last: Place<Element>

  @inline(__always)
  mutating func next(in slab: borrowing Slab<Element>) -> Place<Element>? {
    guard following != .nowhere else { return nil }
    let place = following
    following = place == last ? .nowhere : slab[place].next
    return place
  }
}

extension Slab where Element: Linked {
  /// The oldest record, or `nowhere` if the chain is empty.
  @inline(__always)
  func first(of chain: Chain<Element>) -> Place<Element> {
    chain.isEmpty ? .nowhere : self[chain.last].next
  }

  @inline(__always)
  func walk(_ chain: Chain<Element>) -> Walk<Element> {
    Walk(following: first(of: chain), last: chain.last)
  }

  @inline(__always)
  mutating func append(_ element: Element, to chain: inout Chain<Element>) -> Place<Element> {
    let place = insert(element)
    self[place].next = chain.isEmpty ? place : self[chain.last].next
    if !chain.isEmpty { self[chain.last].next = place }
    chain.last = place
    return place
  }

  /// - Precondition: The chain is not empty.
  @inline(__always)
  mutating func removeFirst(of chain: inout Chain<Element>) -> Element {
    let element = self[self[chain.last].next]
    removeNext(after: chain.last, from: &chain)
    return element
  }

  /// - Complexity: O(n) in the number of records before it.
  mutating func remove(_ place: Place<Element>, from chain: inout Chain<Element>) {
    var previous = chain.last
    while self[previous].next != place {
      previous = self[previous].next
      precondition(previous != chain.last, "Place \(place.index) is not in its chain")
    }
    removeNext(after: previous, from: &chain)
  }

  mutating func removeAll(of chain: inout Chain<Element>) {
    while !chain.isEmpty { _ = removeFirst(of: &chain) }
  }

  @inline(__always)
  mutating func removeNext(after previous: Place<Element>, from chain: inout Chain<Element>) {
    let place = self[previous].next
    self[previous].next = self[place].next
    if place == chain.last { chain.last = place == previous ? .nowhere : previous }
    free(place)
  }

  /// The first record for which `predicate` holds.
  @inline(__always)
  func first(in chain: Chain<Element>, where predicate: (borrowing Element) -> Bool) -> Place<
    Element
  >? {
    var walk = walk(chain)
    while let place = walk.next(in: self) {
      if predicate(self[place]) { return place }
    }
    return nil
  }

  @inline(__always)
  func forEach(in chain: Chain<Element>, _ body: (Element) -> Void) {
    var walk = walk(chain)
    while let place = walk.next(in: self) { body(self[place]) }
  }

  func count(_ chain: Chain<Element>) -> Int {
    var count = 0
    forEach(in: chain) { _ in count += 1 }
    return count
  }
}
