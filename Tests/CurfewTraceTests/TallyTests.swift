import TestRuns
import TestSupport
import Testing

@testable import CurfewTrace

@Suite(.inTurn) struct TallyTests {
  /// Numbers of every size: small ones, powers of two and their neighbours.
  private static let sizes: [Int64] = {
    var sizes = Array(0...200 as ClosedRange<Int64>) + [.max - 1, .max]
    for exponent in 6..<63 {
      let power: Int64 = 1 << exponent
      sizes += [power - 1, power, power + 1, power + power / 2 + 7]
    }
    return sizes.sorted()
  }()

  private func tally(_ values: [Int64]) -> Tally {
    var tally = Tally()
    for value in values { tally.record(value) }
    return tally
  }

  /// Numbers with evenly distributed logarithms, so that every size occurs, with zeros and the
  /// greatest number among them.
  private func values(_ n: Int, seed: UInt64) -> [Int64] {
    var generator = SeededGenerator(seed: seed)
    return (0..<n).map { _ in
      let value = Int64(generator.next() >> UInt64(1 + generator.below(63)))
      return generator.oneIn(100) ? 0 : generator.oneIn(100) ? .max : value
    }
  }

  // MARK: Buckets

  @Test func `each number is reported at most a 32nd too high, and never too low`() {
    var last: Int64 = -1
    for size in Self.sizes {
      let bucket = tally([size]).buckets[0]
      #expect(
        bucket.count == 1 && bucket.lowerBound <= size && size <= bucket.upperBound, "\(size)")
      #expect(bucket.upperBound - size <= size / 32, "\(size) is reported as \(bucket.upperBound)")
      #expect(bucket.upperBound >= last)
      last = bucket.upperBound
    }
    #expect(last == .max)
  }

  @Test func `buckets follow each other without gaps`() {
    #expect(LogLinearBuckets.count == 1_888)
    for bucket in 0..<LogLinearBuckets.count {
      let (low, high) = (
        LogLinearBuckets.lowerBound(of: bucket), LogLinearBuckets.upperBound(of: bucket)
      )
      #expect(
        LogLinearBuckets.bucket(of: low) == bucket && LogLinearBuckets.bucket(of: high) == bucket)
      #expect(low == (bucket == 0 ? 0 : LogLinearBuckets.upperBound(of: bucket - 1) + 1))
    }
  }

  // MARK: Against a sorted array

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a tally agrees with a sorted array to within a bucket`(seed: UInt64) {
    let values = values(seed == 1 ? 3 : 2_000, seed: seed)
    let (tally, sorted) = (tally(values), values.sorted())
    #expect(
      tally.count == sorted.count && tally.least == sorted[0] && tally.greatest == sorted.last)
    var sum = (high: UInt64(0), low: UInt64(0))
    for value in sorted {
      let (low, carry) = sum.low.addingReportingOverflow(UInt64(value))
      sum = (sum.high + (carry ? 1 : 0), low)
    }
    #expect(tally.sum == sum)
    let mean = sorted.reduce(0) { $0 + Double($1) } / Double(sorted.count)
    #expect(abs(tally.mean - mean) <= 1e-12 * mean)
    for percent in [0, 0.1, 1, 10, 25, 50, 75, 90, 99, 99.9, 100] {
      let rank = max(1, Int((percent * Double(sorted.count) / 100 - 1e-9).rounded(.up)))
      let (told, exact) = (tally.percentile(percent), sorted[rank - 1])
      #expect(
        told >= exact && told - exact <= exact / 32,
        "percentile \(percent) is reported as \(told), exact is \(exact)")
    }
    for bucket in tally.buckets {
      #expect(bucket.count == sorted.count { $0 >= bucket.lowerBound && $0 <= bucket.upperBound })
    }
    #expect(tally.buckets.reduce(0) { $0 + $1.count } == sorted.count)
  }

  // MARK: The ends

  @Test func `an empty tally reports zeros`() {
    let empty = Tally()
    #expect(
      empty.count == 0 && empty.least == 0 && empty.greatest == 0 && empty.mean == 0
        && empty.sum == (0, 0))
    #expect(empty.percentile(50) == 0 && empty.percentile(100) == 0 && empty.buckets.isEmpty)
    var merged = Tally()
    merged.merge(empty)
    #expect(merged == empty)
  }

  @Test func `the least and the greatest percentile are exact`() {
    let tally = tally([1_000_003, 5_000_001, 9_000_007])
    #expect(tally.percentile(0) == 1_000_003 && tally.percentile(100) == 9_000_007)
    #expect(tally.percentile(99.9) == 9_000_007, "Never above the greatest number")
  }

  @Test func `the sum is exact beyond 64 bits`() {
    var great = Tally()
    for _ in 0..<6 { great.record(.max) }
    // 6 · (2^63 - 1) = 3 · 2^64 - 6
    #expect(great.sum == (2, 0 &- 6) && great.mean == 0x1p63 && great.percentile(50) == .max)
  }

  @Test func `values that cannot be recorded trap`() async {
    await #expect(processExitsWith: .failure) {
      var tally = Tally()
      tally.record(-1)
    }
    await #expect(processExitsWith: .failure) { _ = Tally().percentile(101) }
  }

  // MARK: Copies and differences

  @Test func `a copy shares no storage with the tally that continues recording`() {
    var tally = tally([1])
    let before = tally.storage
    let copy = tally.copy
    tally.record(1)
    #expect(
      tally.storage == before && copy.storage != before && copy.count == 1 && tally.count == 2)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a difference has the numbers recorded since the earlier copy`(seed: UInt64) {
    let (before, after) = (
      values(Int(seed) % 4 * 20, seed: seed), values(Int(seed) % 3 * 20, seed: seed + 100)
    )
    let since = tally(before + after).since(tally(before))
    let exact = tally(after)
    #expect(since.buckets == exact.buckets && since.count == exact.count && since.sum == exact.sum)
    #expect(
      since.least <= exact.least && since.greatest >= exact.greatest
        && since.greatest - exact.greatest <= exact.greatest / 32)
    let greatest = before.max() ?? 0
    if exact.greatest > greatest { #expect(since.greatest == exact.greatest) }
  }

  @Test func `a mean is rounded down, even beyond 64 bits`() {
    #expect(
      tally([]).wholeMean == 0 && tally([1, 2]).wholeMean == 1
        && tally([.max, .max, .max - 1]).wholeMean == .max - 1)
  }

  // MARK: Merging

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any order and any grouping of merges gives the same tally`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let parts = (0..<8).map {
      values(generator.below(4) == 0 ? 0 : generator.below(40), seed: seed * 100 + UInt64($0))
    }
    let whole = tally(parts.flatMap { $0 })
    for _ in 0..<10 {
      var pieces = parts.shuffled(using: &generator).map(tally)
      while pieces.count > 1 {
        let piece = pieces.remove(at: generator.below(pieces.count))
        pieces[generator.below(pieces.count)].merge(piece)
      }
      #expect(
        pieces[0] == whole && pieces[0].hashValue == whole.hashValue
          && String(reflecting: pieces[0]) == String(reflecting: whole))
    }
    #expect(
      tally(parts.flatMap { $0 }.sorted()) == whole
        && tally(parts.flatMap { $0 }.sorted(by: >)) == whole)
    var doubled = whole
    doubled.merge(doubled)
    #expect(doubled.count == 2 * whole.count && doubled.percentile(50) == whole.percentile(50))
  }
}
