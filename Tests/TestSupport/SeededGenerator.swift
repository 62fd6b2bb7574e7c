@_spi(Seeds) import CurfewEngine

/// A generator of random test values from a seed. Tests and reports contain seeds, so the generator
/// must not change: the same seed would give different values.
package struct SeededGenerator: RandomNumberGenerator {
  private var numbers: SplitMix64

  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { numbers.next() }

  /// A number from 0 up to, but not including, `limit`.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// True once in `times` calls, on average.
  package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
