@_spi(Seeds) import CurfewEngine
import TestRuns
import Testing

@testable import Curfew

@Suite(.inTurn) struct LatenessHistogramTests {
  /// Lengths of every size, small ones, powers of two and their neighbours among them.
  private static let lengths: [Int64] = {
    var lengths = Array(0...200 as ClosedRange<Int64>) + [.max - 1, .max]
    for exponent in 6..<63 {
      let power: Int64 = 1 << exponent
      lengths += [power - 1, power, power + 1, power + power / 2 + 7]
    }
    return lengths
  }()

  private func histogram(_ lengths: [Int64]) -> LatenessHistogram {
    var histogram = LatenessHistogram.roomy
    for length in lengths { histogram.record(.nanoseconds(length)) }
    return histogram
  }

  @Test func `each length is told by at most a 32nd more, and by no less`() {
    var last = Duration.nanoseconds(-1)
    for length in Self.lengths.sorted() {
      let bucket = histogram([length]).buckets[0]
      let told = Interval(bucket.upperBound).nanoseconds
      #expect(bucket.count == 1 && told >= length && told - length <= length / 32, "\(length) is told as \(told)")
      #expect(bucket.upperBound >= last)
      last = bucket.upperBound
    }
    #expect(last == .nanoseconds(Int64.max))
  }

  @Test func `buckets come in order, without gaps between their bounds`() {
    let bounds = (0..<2_000 as Range<Int64>).map { Interval(histogram([$0]).buckets[0].upperBound).nanoseconds }
    for length in bounds.indices.dropFirst() {
      #expect(bounds[length] == bounds[length - 1] || bounds[length - 1] == Int64(length) - 1, "\(length)")
    }
    #expect(LatenessHistogram.bucketCount == 1_888)
  }

  @Test func `percentiles, the mean and the longest are those of what was recorded`() {
    var lengths: [Int64] = []
    var random = SplitMix64(seed: 7)
    for _ in 0..<5_000 { lengths.append(Int64(random.next() >> (random.next() % 50 + 14))) }
    let histogram = histogram(lengths)
    lengths.sort()
    for (percent, rank) in [
      (0, 0), (0.1, 5), (1, 50), (7, 350), (25, 1_250), (50, 2_500), (55, 2_750), (90, 4_500), (99, 4_950), (99.9, 4_995), (100, 5_000),
    ] {
      let exact = lengths[max(1, rank) - 1]
      let told = Interval(histogram.percentile(percent)).nanoseconds
      #expect(told >= exact && told - exact <= exact / 32, "\(percent)")
    }
    #expect(histogram.count == 5_000 && histogram.max == .nanoseconds(lengths[4_999]) && histogram.percentile(100) == histogram.max)
    #expect(histogram.buckets.map(\.count).reduce(0, +) == 5_000)
    #expect(histogram.mean == .nanoseconds(lengths.reduce(0) { $0.addingReportingOverflow($1).partialValue } / 5_000))
  }

  @Test func `of nothing all is zero, and what is early is not late`() {
    let empty = LatenessHistogram()
    #expect(empty.count == 0 && empty.max == .zero && empty.mean == .zero && empty.percentile(99) == .zero && empty.buckets.isEmpty)
    #expect(LatenessHistogram.roomy.copy == empty && empty.since(empty) == empty)
    #expect(histogram([-5]).max == .zero && histogram([-5]).count == 1)
  }

  @Test func `what came since is what came since`() {
    var now = histogram([5, 70, 1_000_000])
    let earlier = now.copy
    for length in [70, 900_000] as [Int64] { now.record(.nanoseconds(length)) }
    let since = now.since(earlier)
    #expect(since.count == 2 && since.buckets.map(\.count) == [1, 1] && since.mean == .nanoseconds(450_035))
    #expect(since.max >= .nanoseconds(900_000) && since.max <= .nanoseconds(928_126))
    now.record(.seconds(1))
    #expect(now.since(earlier).max == .seconds(1) && now.since(LatenessHistogram()) == now && earlier.since(LatenessHistogram()) == earlier)
  }

  @Test func `a copy shares no storage with what goes on recording`() {
    var histogram = histogram([1])
    let storage = { (histogram: LatenessHistogram) in histogram.storage }
    let before = storage(histogram)
    let copy = histogram.copy
    histogram.record(.seconds(1))
    #expect(storage(histogram) == before && storage(copy) != before && copy.count == 1 && histogram.count == 2)
  }
}
