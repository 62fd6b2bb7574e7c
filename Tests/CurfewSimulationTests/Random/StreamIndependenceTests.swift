import TestRuns
import Testing

@testable import CurfewSimulation

@Suite(.inTurn) struct StreamIndependenceTests {
  struct Pair: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let first: RandomStream
    let second: RandomStream
  }

  private static func stream(_ seed: UInt64, _ device: UInt64, _ app: UInt64, _ purpose: UInt64)
    -> RandomStream
  {
    RandomStream(seed: seed, device: device, app: app, purpose: purpose)
  }

  static let neighbours: [Pair] = [
    Pair(
      testDescription: "devices 0 and 1", first: stream(42, 0, 0, 0), second: stream(42, 1, 0, 0)),
    Pair(
      testDescription: "devices 999,999 and 1,000,000", first: stream(42, 999_999, 3, 1),
      second: stream(42, 1_000_000, 3, 1)),
    Pair(testDescription: "apps 0 and 1", first: stream(42, 5, 0, 0), second: stream(42, 5, 1, 0)),
    Pair(
      testDescription: "purposes 0 and 1", first: stream(42, 5, 3, 0), second: stream(42, 5, 3, 1)),
    Pair(
      testDescription: "purposes 0 and 2^63", first: stream(42, 5, 3, 0),
      second: stream(42, 5, 3, 1 << 63)),
    Pair(testDescription: "seeds 0 and 1", first: stream(0, 5, 3, 1), second: stream(1, 5, 3, 1)),
    Pair(
      testDescription: "seeds 0 and the greatest", first: stream(0, 0, 0, 0),
      second: stream(.max, 0, 0, 0)),
    Pair(
      testDescription: "device and app swapped", first: stream(42, 1, 2, 0),
      second: stream(42, 2, 1, 0)),
    Pair(
      testDescription: "a path and its child",
      first: RandomStream(RandomPath(seed: 42)), second: RandomStream(RandomPath(seed: 42).child(0))
    ),
  ]

  @Test(arguments: neighbours) func `neighbouring streams are independent`(
    pair: Pair
  ) {
    #expect(StatisticalCheck.dependence(pair.first, pair.second) == nil)
  }

  @Test func `successive numbers of a stream are independent`() {
    for seed in 1...3 as ClosedRange<UInt64> {
      var stream = RandomStream(RandomPath(seed: seed))
      #expect(
        StatisticalCheck.dependence { _ in (stream.unit(), stream.unit()) } == nil, "seed \(seed)")
    }
  }

  /// Simulations draw few numbers from many streams, so the first numbers of neighbouring
  /// streams matter.
  @Test func `first numbers of neighbouring streams are independent`() {
    let firsts: [(String, (UInt64) -> RandomStream)] = [
      ("devices", { Self.stream(42, $0, 0, 0) }), ("apps", { Self.stream(42, 5, $0, 0) }),
      ("purposes", { Self.stream(42, 5, 3, $0) }),
      ("seeds", { Self.stream($0, 5, 3, 1) }),
    ]
    for (name, stream) in firsts {
      let units = (0...100_000 as ClosedRange<UInt64>).map { part in
        var stream = stream(part)
        return stream.unit()
      }
      #expect(StatisticalCheck.dependence { (units[$0], units[$0 + 1]) } == nil, "\(name)")
      #expect(
        StatisticalCheck.misfit(
          counts(units, cells: 1_000), [Double](repeating: 0.001, count: 1_000)) == nil, "\(name)")
    }
  }

  private func counts(_ units: [Double], cells: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: cells)
    for unit in units { counts[Int(unit * Double(cells))] += 1 }
    return counts
  }

  @Test func `no two of 100,000 neighbouring streams begin with the same number`() {
    var firsts: Set<UInt64> = []
    for seed in 0..<2 as Range<UInt64> {
      for device in 0..<50 as Range<UInt64> {
        for app in 0..<50 as Range<UInt64> {
          for purpose in 0..<20 as Range<UInt64> {
            var stream = Self.stream(seed, device, app, purpose)
            firsts.insert(stream.next())
          }
        }
      }
    }
    #expect(firsts.count == 100_000)
  }

  // MARK: The checks themselves

  @Test func `the checks reject streams that depend on each other`() {
    let stream = RandomStream(RandomPath(seed: 42))
    #expect(StatisticalCheck.dependence(stream, stream) != nil, "the same stream twice")

    var (some, other) = (stream, RandomStream(RandomPath(seed: 43)))
    let mixed = StatisticalCheck.dependence { index in
      let x = some.unit()
      return (x, index % 50 == 0 ? x : other.unit())
    }
    #expect(mixed != nil, "each 50th number is the other's")

    // The pair is uncorrelated but dependent: the second number is the distance of the first from
    // the middle.
    var folded = stream
    let distance = StatisticalCheck.dependence { _ in
      let x = folded.unit()
      return (x, min(abs(2 * x - 1), 1 - 0x1p-53))
    }
    #expect(distance != nil, "the distance from the middle")
  }

  @Test func `the checks reject uneven numbers`() {
    var stream = RandomStream(RandomPath(seed: 42))
    let units = (0..<100_000).map { _ in stream.unit() }
    #expect(
      StatisticalCheck.unevenness(units.map { $0 * 0.99 }) != nil,
      "a hundredth is missing at the end")
    #expect(
      StatisticalCheck.unevenness((0..<100_000).map { Double($0 % 100) / 100 }) != nil,
      "a hundred numbers over and over")
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<50_000 { counts[stream.chance(0.03) ? 5 : stream.below(10)] += 1 }
    #expect(
      StatisticalCheck.misfit(counts, [Double](repeating: 0.1, count: 10)) != nil,
      "three of a hundred are always 5")
  }
}
