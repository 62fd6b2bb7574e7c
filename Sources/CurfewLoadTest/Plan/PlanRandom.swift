/// SplitMix64: the same numbers from the same seed, on every platform and in every process.
struct PlanRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A stream of its own for one visit, so that what one visit draws moves no other.
  init(seed: UInt64, segment: Int, app: UInt32, visit: Int) {
    state = seed
    for part in [UInt64(segment), UInt64(app), UInt64(visit)] { state = next() ^ part }
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// 0 up to and without `limit`.
  mutating func below(_ limit: Int64) -> Int64 { Int64(next().multipliedFullWidth(by: UInt64(limit)).high) }

  /// `low` up to and without `high`; `low` where there is nothing between them.
  mutating func between(_ low: Int64, _ high: Int64) -> Int64 { low < high ? low + below(high - low) : low }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(below(Int64(elements.count)))] }

  /// True in so many of a hundred.
  mutating func percent(_ share: Int64) -> Bool { below(100) < share }

  /// `count` numbers from 0 in a random order.
  mutating func permutation(_ count: Int) -> [UInt32] {
    var order = Array(0..<UInt32(count))
    for last in stride(from: count - 1, to: 0, by: -1) { order.swapAt(last, Int(below(Int64(last + 1)))) }
    return order
  }
}
