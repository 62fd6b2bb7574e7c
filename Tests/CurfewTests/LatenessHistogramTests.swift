import TestRuns
import Testing

@testable import Curfew

/// A histogram is a `Tally` whose numbers are durations; CurfewTrace's tests cover `Tally`.
@Suite(.inTurn) struct LatenessHistogramTests {
  private func histogram(_ lengths: [Int64]) -> LatenessHistogram {
    var histogram = LatenessHistogram()
    for length in lengths { histogram.record(.nanoseconds(length)) }
    return histogram
  }

  @Test func `percentiles, the mean and the longest are those of the recorded values`() {
    let histogram = histogram(Array(1...1_000))
    #expect(
      histogram.count == 1_000 && histogram.max == .nanoseconds(1_000)
        && histogram.mean == .nanoseconds(500))
    for (percent, exact) in [(1, 10), (50, 500), (99.9, 999)] as [(Double, Int64)] {
      let told = Interval(histogram.percentile(percent)).nanoseconds
      #expect(told >= exact && told - exact <= exact / 32, "\(percent)")
    }
    #expect(histogram.percentile(100) == histogram.max)
    #expect(
      histogram.buckets.first?.upperBound == .nanoseconds(1)
        && histogram.buckets.map(\.count).reduce(0, +) == 1_000)
  }

  @Test func `an empty histogram is all zero, and an early value is not late`() {
    let empty = LatenessHistogram()
    #expect(
      empty.count == 0 && empty.max == .zero && empty.mean == .zero && empty.percentile(99) == .zero
        && empty.buckets.isEmpty)
    #expect(empty.since(empty) == empty)
    #expect(histogram([-5]).max == .zero && histogram([-5]).count == 1)
  }

  @Test func `a difference has the values recorded since`() {
    var now = histogram([5, 70, 1_000_000])
    let earlier = now.copy
    for length in [70, 900_000] as [Int64] { now.record(.nanoseconds(length)) }
    let since = now.since(earlier)
    #expect(
      since.count == 2 && since.buckets.map(\.count) == [1, 1]
        && since.mean == .nanoseconds(450_035))
    #expect(since.max >= .nanoseconds(900_000) && since.max <= .nanoseconds(928_126))
    now.record(.seconds(1))
    #expect(
      now.since(earlier).max == .seconds(1) && now.since(LatenessHistogram()) == now
        && earlier.since(LatenessHistogram()) == earlier)
  }
}
