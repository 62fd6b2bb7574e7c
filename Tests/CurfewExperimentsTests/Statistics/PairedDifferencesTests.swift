import CurfewSimulation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

@Suite(.inTurn) struct PairedDifferencesTests {
  private func near(_ found: Double, _ right: Double, _ error: Double = 1e-12) -> Bool {
    abs(found - right) <= error * abs(right)
  }

  /// Student's own example (1908): hours of sleep gained by ten patients, one drug minus the other.
  /// R: `sleep`, `t.test(paired = TRUE)`.
  @Test func `the interval and the p-value are those of R`() throws {
    let sleep = PairedDifferences([1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4])
    #expect(
      sleep.count == 10 && near(sleep.mean, 1.58) && sleep.least == 0 && sleep.greatest == 4.6)
    #expect(try near(#require(sleep.pValue), 0.002_832_890_197_384_27, 1e-10))
    let interval = try #require(sleep.interval(level: 0.05))
    #expect(
      near(interval.lowerBound, 0.700_114_236_723_017, 1e-10)
        && near(interval.upperBound, 2.459_885_763_276_982, 1e-10))
  }

  @Test func `the interval excludes zero where the p-value is below the level`() throws {
    for seed in 1...200 as ClosedRange<UInt64> {
      var stream = RandomStream(RandomPath(seed: seed))
      let differences = PairedDifferences((0..<8).map { _ in stream.unit() - 0.3 })
      let excludes = try !#require(differences.interval(level: 0.05)).contains(0)
      #expect(try excludes == (#require(differences.pValue) < 0.05), "seed \(seed)")
    }
  }

  @Test func `a large mean costs the spread no digits`() throws {
    let far = PairedDifferences([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])
    #expect(far.mean == 1e9 + 10)
    #expect(try near(#require(far.standardDeviation), 30.0.squareRoot()))
  }

  /// R's `e1071::skewness(type = 2)`, also in SAS and Excel, computed from its definition
  /// in two passes.
  @Test func `the skewness is the adjusted Fisher-Pearson coefficient`() throws {
    #expect(
      try near(#require(PairedDifferences([1, 2, 10]).skewness), 1.652_316_740_332_990_8, 1e-12))
    #expect(
      try near(
        #require(PairedDifferences([2, 8, 0, 4, 1, 9, 9, 0]).skewness), 0.330_582_180_407_974_6,
        1e-12))
    let far = PairedDifferences([1e9 + 1, 1e9 + 2, 1e9 + 10])
    #expect(
      try near(#require(far.skewness), 1.652_316_740_332_990_8, 1e-6),
      "A large mean costs the skewness hardly any digits")
    #expect(
      PairedDifferences([1, 2]).skewness == nil && PairedDifferences([3, 3, 3]).skewness == nil
        && PairedDifferences().skewness == nil)
    #expect(
      PairedDifferences([-1, 0, 1]).skewness == 0
        && PairedDifferences([1e140, -1e140, 0]).skewness != .infinity)
  }

  @Test func `an interval of few skewed differences may be too narrow`() {
    #expect(Finding.isSkewed(1.01, repetitions: 19) && Finding.isSkewed(-1.01, repetitions: 3))
    #expect(
      !Finding.isSkewed(1, repetitions: 19) && !Finding.isSkewed(5, repetitions: 20)
        && !Finding.isSkewed(nil, repetitions: 3))
    #expect(
      SweepSentence.words(of: .differs(.more), -1.5, pairs: 10)
        == "more; skewed: the interval may be too narrow")
    #expect(SweepSentence.words(of: .differs(.more), 1.5, pairs: 20) == "more")
  }

  @Test func `fewer than two differences have no interval`() {
    for few in [PairedDifferences(), PairedDifferences([3])] {
      #expect(
        few.interval(level: 0.05) == nil && few.pValue == nil && few.standardDeviation == nil
          && few.standardError == nil)
    }
    #expect(!PairedDifferences().areAllZero)
  }

  @Test func `equal differences have an interval without width`() throws {
    let zeros = PairedDifferences([0, 0, 0])
    #expect(zeros.interval(level: 0.05) == nil && zeros.pValue == 1 && zeros.areAllZero)
    #expect(PairedDifferences(repeatElement(0, count: 6)).interval(level: 0.05) == 0...0)
    let tenths = PairedDifferences(repeatElement(0.1, count: 1_000))
    #expect(
      tenths.interval(level: 0.05) == 0.1...0.1 && !tenths.areAllZero
        && tenths.standardDeviation == 0)
    #expect(try #require(tenths.pValue) < 1e-299)
  }

  /// Two equal counts are as significant as two tosses of a coin.
  @Test func `few equal differences have no interval, and the p-value of their signs`() {
    for (count, level, isSure) in [
      (2, 0.05, false), (5, 0.05, false), (6, 0.05, true), (15, 5e-5, false), (16, 5e-5, true),
    ] {
      let equal = PairedDifferences(repeatElement(-15, count: count))
      #expect(
        (equal.interval(level: level) == -15 ... -15) == isSure
          && (equal.interval(level: level) == nil) == !isSure, "\(count), \(level)")
      #expect(equal.pValue == 1 / Double(1 << (count - 1)))
    }
  }

  @Test func `differences that only rounding tells apart are equal`() {
    let counts = [(12.0, 13.0), (11.0, 12.0)].map { ($0 / 50, $1 / 50) }
    #expect(counts[0].1 - counts[0].0 != counts[1].1 - counts[1].0)
    let differences = PairedDifferences(of: counts)
    #expect(
      differences.areAllEqual && differences.interval(level: 0.05) == nil
        && differences.pValue == 0.5)
    #expect(!PairedDifferences(of: [(0, 1e-9), (0, 2e-9)]).areAllEqual)
  }

  @Test func `greater confidence gives a wider interval`() throws {
    let differences = PairedDifferences([1, 2, 4, 3])
    let intervals = try [0.5, 0.05, 0.01, 1e-6, 1e-12].map {
      try #require(differences.interval(level: $0))
    }
    for (narrow, wide) in zip(intervals, intervals.dropFirst()) {
      #expect(wide.lowerBound < narrow.lowerBound && narrow.upperBound < wide.upperBound)
    }
  }

  @Test func `a value that is not a valid difference is refused`() async {
    await #expect(processExitsWith: .failure) { _ = PairedDifferences([.nan]) }
    await #expect(processExitsWith: .failure) { _ = PairedDifferences([1e141]) }
    await #expect(processExitsWith: .failure) {
      _ = PairedDifferences([1, 2]).interval(level: 0.95)
    }
  }
}
