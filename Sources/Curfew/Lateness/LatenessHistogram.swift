internal import CurfewEngine
internal import CurfewTrace

/// A histogram of lateness: durations in the buckets of a `Tally`.
///
/// A bucket is represented by its upper bound, which exceeds every length in the bucket by less
/// than 1/32. `max`, `count` and `mean` are exact.
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
  /// - Complexity: O(buckets), at most about 2,000.
  public func percentile(_ percent: Double) -> Duration { .nanoseconds(tally.percentile(percent)) }

  /// A range of lengths that are counted together.
  public struct Bucket: Hashable, Sendable {
    /// The upper bound of the lengths in the bucket.
    public let upperBound: Duration
    /// The number of lengths in the bucket.
    public let count: Int
  }

  /// The buckets that are not empty, shortest lengths first.
  /// - Complexity: O(buckets), at most about 2,000.
  public var buckets: [Bucket] {
    tally.buckets.map { Bucket(upperBound: .nanoseconds($0.upperBound), count: $0.count) }
  }

  /// The lengths that were recorded after this histogram was equal to `earlier`. The `max` of the
  /// result is exact if it is a new maximum; otherwise it is as exact as a bucket.
  /// - Precondition: `earlier` is a former value of this histogram.
  /// - Complexity: O(buckets), at most about 2,000.
  public func since(_ earlier: LatenessHistogram) -> LatenessHistogram {
    var difference = LatenessHistogram()
    difference.tally = tally.since(earlier.tally)
    return difference
  }

  /// A copy that shares no storage, so that later recording need not copy.
  var copy: LatenessHistogram {
    var copy = self
    copy.tally = tally.copy
    return copy
  }

  /// Records a length; a negative length counts as zero.
  /// - Complexity: O(1); no allocation if a length of that size has been recorded before.
  mutating func record(_ lateness: Interval) { tally.record(Swift.max(0, lateness.nanoseconds)) }
}
