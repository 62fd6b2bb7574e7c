@_spi(Seeds) import CurfewEngine

/// The random numbers of a plan, drawn from its seed. Changing any draw changes the plan
/// of every seed.
struct PlanRandom {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  /// Creates a separate stream for one visit, so that the draws of one visit do not affect another.
  init(seed: UInt64, segment: Int, app: UInt32, visit: Int) {
    numbers = SplitMix64(seed: seed)
    for part in [UInt64(segment), UInt64(app), UInt64(visit)] {
      numbers = SplitMix64(seed: numbers.next() ^ part)
    }
    _ = numbers.next()
  }

  mutating func next() -> UInt64 { numbers.next() }

  /// A number from 0 up to, but not including, `limit`.
  mutating func below(_ limit: Int64) -> Int64 {
    Int64(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// A number from `low` up to, but not including, `high`; `low` if the range is empty.
  mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
    low < high ? low + below(high - low) : low
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(below(Int64(elements.count)))]
  }

  /// True in `share` % of the draws.
  mutating func percent(_ share: Int64) -> Bool { below(100) < share }

  /// The numbers from 0 up to, but not including, `count`, in random order.
  mutating func permutation(_ count: Int) -> [UInt32] {
    var order = Array(0..<UInt32(count))
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, Int(below(Int64(last + 1))))
    }
    return order
  }
}
