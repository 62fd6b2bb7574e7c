@_spi(Seeds) import CurfewEngine

/// What tests draw from a seed. The draws are as old as the seeds that stand in tests and reports:
/// another way of drawing would make other lives of them.
package struct SeededGenerator: RandomNumberGenerator {
  private var numbers: SplitMix64

  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { numbers.next() }

  /// 0 up to and without `limit`.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// True once in so many times.
  package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
