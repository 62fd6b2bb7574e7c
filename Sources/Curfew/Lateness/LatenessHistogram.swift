internal import CurfewEngine
internal import CurfewTrace

/// A histogram of lateness: durations in the buckets of a `Tally`.
///
/// A bucket is represented by its upper bound, which exceeds every length in it by less than
/// a 32nd. `max`, `count` and `mean` are exact.
public struct LatenessHistogram: Hashable, Sendable {
  private var tally = Tally()

  /// An empty histogram.
  public init() {}

  /// The number of lengths that were recorded.
  public var count: Int { tally.count }

  /// The longest length; zero if nothing was recorded.
  public var max: Duration { .nanoseconds(tally.greatest) }

  /// The mean length; zero if nothing was recorded.
  public var mean: Duration { .nanoseconds(tally.wholeMean) }

  /// The length that `percent` of the recorded lengths do not exceed; zero if nothing was recorded.
  /// - Precondition: `percent` is from 0 to 100.
  /// - Complexity: O(buckets), at most some two thousand.
  public func percentile(_ percent: Double) -> Duration { .nanoseconds(tally.percentile(percent)) }

  /// A range of lengths that are counted together.
  public struct Bucket: Hashable, Sendable {
    /// The upper bound of the lengths in it.
    public let upperBound: Duration
    /// The number of lengths in it.
    public let count: Int
  }

  /// The buckets that are not empty, the shortest lengths first.
  /// - Complexity: O(buckets), at most some two thousand.
  public var buckets: [Bucket] {
    tally.buckets.map { Bucket(upperBound: .nanoseconds($0.upperBound), count: $0.count) }
  }

  /// The lengths that were recorded since this was `earlier`. Its `max` is exact if it is a new
  /// maximum; otherwise it is as exact as a bucket.
  /// - Precondition: `earlier` is a former value of this histogram.
  /// - Complexity: O(buckets), at most some two thousand.
  public func since(_ earlier: LatenessHistogram) -> LatenessHistogram {
    var difference = LatenessHistogram()
    difference.tally = tally.since(earlier.tally)
    return difference
  }

  /// A copy with storage of its own, so that recording goes on without copying.
  var copy: LatenessHistogram {
    var copy = self
    copy.tally = tally.copy
    return copy
  }

  /// Records a length; a negative one counts as zero.
  /// - Complexity: O(1); no allocation once lengths of that size have been recorded.
  mutating func record(_ lateness: Interval) { tally.record(Swift.max(0, lateness.nanoseconds)) }
}
