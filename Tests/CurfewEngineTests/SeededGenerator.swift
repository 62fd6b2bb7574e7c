import Foundation

/// SplitMix64: the same numbers from the same seed, on every platform and in every process.
struct SeededGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// 0 up to and without `limit`.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// True once in so many times.
  mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// The seeds that a property test runs: the one that `CURFEW_SEED` names, or the first so many; `CURFEW_RUNS` asks for more of them.
func seeds(_ count: UInt64) -> [UInt64] {
  let environment = ProcessInfo.processInfo.environment
  if let seed = environment["CURFEW_SEED"].flatMap({ UInt64($0) }) { return [seed] }
  return Array(0..<(environment["CURFEW_RUNS"].flatMap { UInt64($0) } ?? count))
}
