internal import CurfewEngine
internal import CurfewTrace

/// How often something was how late: durations in the buckets of a `Tally`.
///
/// A bucket is told by its upper bound, which is less than a 32nd more than any length in it.
/// `max`, `count` and `mean` are exact.
public struct LatenessHistogram: Hashable, Sendable {
  private var tally = Tally()

  /// Nothing recorded.
  public init() {}

  /// The number of lengths that were recorded.
  public var count: Int { tally.count }

  /// The longest; zero where nothing was recorded.
  public var max: Duration { .nanoseconds(tally.greatest) }

  /// The mean; zero where nothing was recorded.
  public var mean: Duration { .nanoseconds(tally.wholeMean) }

  /// A length that so many of a hundred are not above; zero where nothing was recorded.
  /// - Precondition: `percent` is from 0 to 100.
  /// - Complexity: O(buckets): some two thousand at most.
  public func percentile(_ percent: Double) -> Duration { .nanoseconds(tally.percentile(percent)) }

  /// Lengths that are told as one.
  public struct Bucket: Hashable, Sendable {
    /// The greatest length that it holds.
    public let upperBound: Duration
    /// The number of lengths that it holds.
    public let count: Int
  }

  /// The buckets that hold something, the shortest lengths first.
  /// - Complexity: O(buckets): some two thousand at most.
  public var buckets: [Bucket] {
    tally.buckets.map { Bucket(upperBound: .nanoseconds($0.upperBound), count: $0.count) }
  }

  /// The lengths that were recorded since this was `earlier`. Its `max` is exact where it is a new
  /// one, and else as exact as a bucket.
  /// - Precondition: This was `earlier` once.
  /// - Complexity: O(buckets): some two thousand at most.
  public func since(_ earlier: LatenessHistogram) -> LatenessHistogram {
    var difference = LatenessHistogram()
    difference.tally = tally.since(earlier.tally)
    return difference
  }

  /// The same in storage of its own, so that recording goes on without a copy.
  var copy: LatenessHistogram {
    var copy = self
    copy.tally = tally.copy
    return copy
  }

  /// Enters a length; one below zero counts as none.
  /// - Complexity: O(1); it allocates nothing once lengths of such a size have come.
  mutating func record(_ lateness: Interval) { tally.record(Swift.max(0, lateness.nanoseconds)) }
}
