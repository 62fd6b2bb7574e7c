/// A distribution of whole numbers of at least 0, counted in buckets.
///
/// Each number below 64 has its own bucket. Above, each power of two has 32 buckets of equal width.
/// Each number is reported as the upper bound of its bucket, which exceeds it by less than 1/32.
/// `count`, `sum`, `least` and `greatest` are exact.
///
/// Merging only adds whole numbers. Any order and any grouping of merges gives the same tally, bit
/// for bit, so a run on many threads reports the same as a run on one.
///
/// An empty tally has no storage. Any other tally holds the buckets from the power of two of its
/// least number to the power of two of its greatest number: times from 1 ms to 10 h in nanoseconds
/// take 6.4 kB.
public struct Tally: Hashable, Sendable {
  /// The number of recorded numbers.
  public private(set) var count = 0
  /// The least number; zero if none was recorded.
  public private(set) var least: Int64 = 0
  /// The greatest number; zero if none was recorded.
  public private(set) var greatest: Int64 = 0
  private var sumHigh: UInt64 = 0
  private var sumLow: UInt64 = 0
  /// The first bucket in `counts`: the first of its power of two.
  private var firstBucket = 0
  /// The counts by bucket, for the whole powers of two from `least` to `greatest`. Equal tallies
  /// therefore have equal storage, however they were made.
  private var counts: [Int] = []
  /// The number of buckets for which a tally takes memory with its first number, 2 kB.
  private static let usualRoom = 256

  /// Creates an empty tally.
  package init() {}

  /// The sum of all numbers in two words: `high` · 2^64 + `low`. It cannot overflow: there are
  /// fewer than 2^63 numbers, each below 2^63.
  public var sum: (high: UInt64, low: UInt64) { (sumHigh, sumLow) }

  /// The mean, as exact as a `Double`; zero if nothing was recorded.
  public var mean: Double {
    count == 0 ? 0 : (Double(sumHigh) * 0x1p64 + Double(sumLow)) / Double(count)
  }

  /// The mean, rounded down to a whole number.
  package var wholeMean: Int64 {
    count == 0 ? 0 : Int64(UInt64(count).dividingFullWidth((sumHigh, sumLow)).quotient)
  }

  /// A copy with its own storage, so that recording continues without copying.
  package var copy: Tally {
    var copy = self
    copy.counts = counts.withUnsafeBufferPointer { Array($0) }
    return copy
  }

  /// The address of the storage, for tests.
  var storage: UInt { counts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

  // MARK: Recording

  /// Records a number.
  /// - Precondition: The number is at least 0.
  /// - Complexity: O(1); O(buckets), at most 1,888, if the number is in a power of two below
  ///   or above all numbers so far.
  package mutating func record(_ value: Int64) {
    precondition(value >= 0, "The number \(value) is negative")
    let bucket = LogLinearBuckets.bucket(of: value)
    let place = bucket - firstBucket
    if place < 0 || place >= counts.count {
      // Most tallies grow to several powers of two; this one then grows in place.
      if counts.isEmpty { counts.reserveCapacity(Tally.usualRoom) }
      makeRoom(from: bucket, to: bucket)
    }
    counts[bucket - firstBucket] += 1
    add(count: 1, high: 0, low: UInt64(value), least: value, greatest: value)
  }

  /// Records all numbers of `other`, as if each had been recorded here.
  /// - Precondition: At most `Int.max` numbers are recorded in all.
  /// - Complexity: O(buckets): at most 1,888.
  public mutating func merge(_ other: Tally) {
    guard other.count > 0 else { return }
    makeRoom(from: other.firstBucket, to: other.firstBucket + other.counts.count - 1)
    let shift = other.firstBucket - firstBucket
    counts.withUnsafeMutableBufferPointer { counts in
      other.counts.withUnsafeBufferPointer { others in
        for place in others.indices { counts[place + shift] += others[place] }
      }
    }
    add(
      count: other.count, high: other.sumHigh, low: other.sumLow, least: other.least,
      greatest: other.greatest)
  }

  /// The numbers that were recorded after `earlier`. In the result, `least` is accurate only to the
  /// width of a bucket. So is `greatest`, unless it has grown since `earlier`.
  /// - Precondition: `earlier` is a former state of this tally.
  /// - Complexity: O(buckets): at most 1,888.
  package func since(_ earlier: Tally) -> Tally {
    precondition(earlier.count <= count, "Earlier \(earlier.count) numbers, now only \(count)")
    guard earlier.count > 0 else { return self }
    var counts = counts
    for place in earlier.counts.indices {
      counts[place + earlier.firstBucket - firstBucket] -= earlier.counts[place]
    }
    guard let first = counts.firstIndex(where: { $0 > 0 }),
      let last = counts.lastIndex(where: { $0 > 0 })
    else { return Tally() }
    var difference = Tally()
    difference.makeRoom(from: firstBucket + first, to: firstBucket + last)
    for place in difference.counts.indices {
      difference.counts[place] = counts[place + difference.firstBucket - firstBucket]
    }
    difference.count = count - earlier.count
    difference.least = max(least, LogLinearBuckets.lowerBound(of: firstBucket + first))
    difference.greatest = min(
      greatest,
      greatest > earlier.greatest ? greatest : LogLinearBuckets.upperBound(of: firstBucket + last))
    let (low, borrow) = sumLow.subtractingReportingOverflow(earlier.sumLow)
    (difference.sumHigh, difference.sumLow) = (sumHigh - earlier.sumHigh - (borrow ? 1 : 0), low)
    return difference
  }

  private mutating func add(
    count more: Int, high: UInt64, low: UInt64, least: Int64, greatest: Int64
  ) {
    self.least = count == 0 ? least : min(self.least, least)
    self.greatest = max(self.greatest, greatest)
    count += more
    let (sum, carry) = sumLow.addingReportingOverflow(low)
    sumLow = sum
    sumHigh += high + (carry ? 1 : 0)
  }

  /// Makes room for the powers of two that contain these buckets, and for no others.
  private mutating func makeRoom(from low: Int, to high: Int) {
    let group = LogLinearBuckets.group
    var (start, end) = (low / group * group, (high / group + 1) * group)
    guard !counts.isEmpty else {
      firstBucket = start
      counts.append(contentsOf: repeatElement(0, count: end - start))
      return
    }
    (start, end) = (min(start, firstBucket), max(end, firstBucket + counts.count))
    if end > firstBucket + counts.count {
      counts.append(contentsOf: repeatElement(0, count: end - firstBucket - counts.count))
    }
    if start < firstBucket {
      counts.insert(contentsOf: repeatElement(0, count: firstBucket - start), at: 0)
    }
    firstBucket = start
  }
}

// MARK: Reading

extension Tally {
  /// A bucket. All its numbers are reported as one value.
  public struct Bucket: Hashable, Sendable {
    /// The least number of the bucket.
    public let lowerBound: Int64
    /// The greatest number of the bucket.
    public let upperBound: Int64
    /// The count of numbers in the bucket.
    public let count: Int
  }

  /// The buckets that are not empty, in ascending order.
  /// - Complexity: O(buckets): at most 1,888.
  public var buckets: [Bucket] {
    counts.indices.compactMap { place in
      let bucket = firstBucket + place
      guard counts[place] > 0 else { return nil }
      return Bucket(
        lowerBound: LogLinearBuckets.lowerBound(of: bucket),
        upperBound: LogLinearBuckets.upperBound(of: bucket), count: counts[place])
    }
  }

  /// The number that `percent` of the recorded numbers do not exceed: the upper bound of a bucket,
  /// at most `greatest`. Exactly `least` for 0, exactly `greatest` for 100, and zero if nothing
  /// was recorded.
  /// - Precondition: `percent` is from 0 to 100.
  /// - Complexity: O(buckets): at most 1,888.
  public func percentile(_ percent: Double) -> Int64 {
    precondition(percent >= 0 && percent <= 100, "The percentile \(percent) is not from 0 to 100")
    // Corrects the rounding of binary fractions: 99.9 % of 1,000 is exactly 999.
    let rank = (percent * Double(count) / 100 * (1 - 1e-12)).rounded(.up)
    if rank < 1 || count == 0 { return least }
    if percent == 100 { return greatest }
    var seen = 0
    for place in counts.indices {
      seen += counts[place]
      if Double(seen) >= rank {
        return min(LogLinearBuckets.upperBound(of: firstBucket + place), greatest)
      }
    }
    return greatest
  }
}
