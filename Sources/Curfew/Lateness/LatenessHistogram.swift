internal import CurfewEngine

/// How often something was how late: durations in buckets, of which there is a fixed number.
///
/// Below 64 ns each length has a bucket of its own, and from there on each power of two has 32 of equal width: what a bucket is told by, its upper bound, is less than
/// a 32nd more than any length in it, up to the longest that nanoseconds can tell. `max`, `count` and the sum behind `mean` are exact.
public struct LatenessHistogram: Hashable, Sendable {
  /// How many were recorded.
  public private(set) var count = 0
  private var longest: Int64 = 0
  /// Saturates.
  private var sum: Int64 = 0
  /// By bucket; none where there is no room yet, because nothing has been recorded.
  private var counts: [Int] = []

  /// Nothing recorded.
  public init() {}

  /// The longest; zero where nothing was recorded.
  public var max: Duration { .nanoseconds(longest) }

  /// The mean; zero where nothing was recorded.
  public var mean: Duration { .nanoseconds(count == 0 ? 0 : sum / Int64(count)) }

  /// A length that so many of a hundred are not above; zero where nothing was recorded.
  /// - Precondition: `percent` is from 0 to 100.
  /// - Complexity: O(buckets): some two thousand.
  public func percentile(_ percent: Double) -> Duration {
    precondition((0...100).contains(percent), "A percentile of \(percent); it is from 0 to 100")
    // What is a whole number but for the binary fraction is that number: 99.9 of 1,000 are 999.
    let rank = Swift.max(1, Int((percent * Double(count) / 100 * (1 - 1e-12)).rounded(.up)))
    var seen = 0
    for bucket in counts.indices {
      seen += counts[bucket]
      if seen >= rank { return .nanoseconds(min(LatenessHistogram.upperBound(of: bucket), longest)) }
    }
    return max
  }

  /// Lengths that are told as one.
  public struct Bucket: Hashable, Sendable {
    /// The greatest length that it holds.
    public let upperBound: Duration
    /// How many it holds.
    public let count: Int
  }

  /// Those that hold something, the shortest lengths first.
  /// - Complexity: O(buckets): some two thousand.
  public var buckets: [Bucket] {
    counts.indices.compactMap { bucket in
      counts[bucket] == 0 ? nil : Bucket(upperBound: .nanoseconds(LatenessHistogram.upperBound(of: bucket)), count: counts[bucket])
    }
  }

  /// What has been recorded since this was `earlier`. Its `max` is exact where it is a new one, and else as exact as a bucket.
  /// - Precondition: This was `earlier` once.
  /// - Complexity: O(buckets): some two thousand.
  public func since(_ earlier: LatenessHistogram) -> LatenessHistogram {
    precondition(earlier.count <= count, "\(count) recorded, and \(earlier.count) of them earlier")
    guard count > earlier.count else { return LatenessHistogram() }
    var difference = self
    difference.count -= earlier.count
    difference.sum -= earlier.sum
    for bucket in earlier.counts.indices { difference.counts[bucket] -= earlier.counts[bucket] }
    if longest == earlier.longest {
      let last = difference.counts.lastIndex { $0 > 0 } ?? 0
      difference.longest = min(LatenessHistogram.upperBound(of: last), longest)
    }
    return difference
  }

  // MARK: Recording

  /// Nothing recorded, and room for everything.
  static var roomy: LatenessHistogram {
    var histogram = LatenessHistogram()
    histogram.counts = Array(repeating: 0, count: bucketCount)
    return histogram
  }

  /// The same in storage of its own, so that recording goes on without a copy; without any where nothing is recorded.
  var copy: LatenessHistogram {
    var copy = self
    copy.counts = count == 0 ? [] : counts.withUnsafeBufferPointer { Array($0) }
    return copy
  }

  /// Where it lies, for tests.
  var storage: UInt { counts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

  /// Enters a length; one below zero counts as none.
  /// - Complexity: O(1); it allocates nothing where there is room.
  mutating func record(_ lateness: Interval) {
    let length = Swift.max(0, lateness.nanoseconds)
    if counts.isEmpty { counts = Array(repeating: 0, count: LatenessHistogram.bucketCount) }
    counts[LatenessHistogram.bucket(of: length)] += 1
    count += 1
    longest = Swift.max(longest, length)
    let (total, overflow) = sum.addingReportingOverflow(length)
    sum = overflow ? .max : total
  }

  // MARK: Buckets

  /// A power of two has so many buckets, two to this.
  private static var subdivision: Int { 5 }
  static var bucketCount: Int { bucket(of: .max) + 1 }

  private static func bucket(of length: Int64) -> Int {
    guard length >> subdivision > 0 else { return Int(length) }
    let shift = Int64.bitWidth - 1 - length.leadingZeroBitCount - subdivision
    return (shift << subdivision) + Int(length >> shift)
  }

  private static func upperBound(of bucket: Int) -> Int64 {
    guard bucket >> (subdivision + 1) > 0 else { return Int64(bucket) }
    let shift = (bucket >> subdivision) - 1
    let first = Int64(bucket - shift << subdivision)
    return (first << shift) + ((1 << shift) - 1)
  }
}
