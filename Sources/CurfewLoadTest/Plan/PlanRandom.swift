@_spi(Seeds) import CurfewEngine

/// What a plan draws from its seed. Whoever changes a draw changes the plan of every seed.
struct PlanRandom {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  /// A stream of its own for one visit, so that what one visit draws moves no other.
  init(seed: UInt64, segment: Int, app: UInt32, visit: Int) {
    numbers = SplitMix64(seed: seed)
    for part in [UInt64(segment), UInt64(app), UInt64(visit)] {
      numbers = SplitMix64(seed: numbers.next() ^ part)
    }
    _ = numbers.next()
  }

  mutating func next() -> UInt64 { numbers.next() }

  /// 0 up to and without `limit`.
  mutating func below(_ limit: Int64) -> Int64 {
    Int64(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// `low` up to and without `high`; `low` where there is nothing between them.
  mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
    low < high ? low + below(high - low) : low
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(below(Int64(elements.count)))]
  }

  /// True in so many of a hundred.
  mutating func percent(_ share: Int64) -> Bool { below(100) < share }

  /// `count` numbers from 0 in a random order.
  mutating func permutation(_ count: Int) -> [UInt32] {
    var order = Array(0..<UInt32(count))
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, Int(below(Int64(last + 1))))
    }
    return order
  }
}
