/// How often each size of a quantity came: whole numbers of at least 0, in buckets.
///
/// Below 64 each number has a bucket of its own. From there on each power of two has 32 buckets
/// of equal width, so a bucket's upper bound, by which its numbers are told, is less than a 32nd
/// more than any of them. `count`, `sum`, `least` and `greatest` are exact.
///
/// Merging adds whole numbers only. Any order and any grouping of merges gives the same tally, bit
/// by bit: a run on many threads tells what a run on one tells.
///
/// An empty tally has no storage. One that has something holds the buckets from the power of two
/// of its least number to that of its greatest: times from 1 ms to 10 h in nanoseconds take 6.4 kB.
public struct Tally: Hashable, Sendable {
  /// How many were recorded.
  public private(set) var count = 0
  /// The least; zero where nothing was recorded.
  public private(set) var least: Int64 = 0
  /// The greatest; zero where nothing was recorded.
  public private(set) var greatest: Int64 = 0
  private var sumHigh: UInt64 = 0
  private var sumLow: UInt64 = 0
  /// The bucket that `counts` begins with: the first of its power of two.
  private var firstBucket = 0
  /// By bucket, whole powers of two, just those from `least` to `greatest`. So equal tallies have
  /// equal storage, whatever way they came about.
  private var counts: [Int] = []

  /// Nothing recorded.
  public init() {}

  /// All of them together, as two words: `high` · 2^64 + `low`. It cannot overflow: fewer than 2^63
  /// numbers, each below 2^63.
  public var sum: (high: UInt64, low: UInt64) { (sumHigh, sumLow) }

  /// The mean, as exact as a `Double` is; zero where nothing was recorded.
  public var mean: Double {
    count == 0 ? 0 : (Double(sumHigh) * 0x1p64 + Double(sumLow)) / Double(count)
  }

  /// The mean, rounded down to a whole number.
  package var wholeMean: Int64 {
    count == 0 ? 0 : Int64(UInt64(count).dividingFullWidth((sumHigh, sumLow)).quotient)
  }

  /// The same in storage of its own, so that recording goes on without a copy.
  package var copy: Tally {
    var copy = self
    copy.counts = counts.withUnsafeBufferPointer { Array($0) }
    return copy
  }

  /// The place of its storage, for tests.
  var storage: UInt { counts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

  // MARK: Recording

  /// Enters a number.
  /// - Precondition: It is at least 0.
  /// - Complexity: O(1); O(buckets), some two thousand at most, where it is less or greater by
  ///   a power of two than all before.
  public mutating func record(_ value: Int64) {
    precondition(value >= 0, "The number \(value); it must be at least 0")
    let bucket = LogLinearBuckets.bucket(of: value)
    let place = bucket - firstBucket
    if place < 0 || place >= counts.count { makeRoom(from: bucket, to: bucket) }
    counts[bucket - firstBucket] += 1
    add(count: 1, high: 0, low: UInt64(value), least: value, greatest: value)
  }

  /// Enters all that `other` has, as if each number had been recorded here.
  /// - Precondition: At most `Int.max` numbers are recorded in all.
  /// - Complexity: O(buckets): some two thousand at most.
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

  /// The numbers that were recorded since this was `earlier`. Its `least`, and its `greatest`
  /// unless that is new, are as exact as a bucket.
  /// - Precondition: This was `earlier` once.
  /// - Complexity: O(buckets): some two thousand at most.
  package func since(_ earlier: Tally) -> Tally {
    precondition(earlier.count <= count, "\(count) recorded, and \(earlier.count) of them earlier")
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

  /// Makes room for these buckets and the others of their powers of two, and for no more.
  private mutating func makeRoom(from low: Int, to high: Int) {
    let group = LogLinearBuckets.group
    var (start, end) = (low / group * group, (high / group + 1) * group)
    guard !counts.isEmpty else {
      (firstBucket, counts) = (start, Array(repeating: 0, count: end - start))
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
  /// Numbers that are told as one.
  public struct Bucket: Hashable, Sendable {
    /// The least number that it can hold.
    public let lowerBound: Int64
    /// The greatest number that it can hold.
    public let upperBound: Int64
    /// How many it holds.
    public let count: Int
  }

  /// Those that hold something, the least numbers first.
  /// - Complexity: O(buckets): some two thousand at most.
  public var buckets: [Bucket] {
    counts.indices.compactMap { place in
      let bucket = firstBucket + place
      guard counts[place] > 0 else { return nil }
      return Bucket(
        lowerBound: LogLinearBuckets.lowerBound(of: bucket),
        upperBound: LogLinearBuckets.upperBound(of: bucket), count: counts[place])
    }
  }

  /// A number that so many of a hundred are not above: the upper bound of a bucket, and never more
  /// than `greatest`. Exactly `least` for 0, exactly `greatest` for 100, and zero where nothing
  /// was recorded.
  /// - Precondition: `percent` is from 0 to 100.
  /// - Complexity: O(buckets): some two thousand at most.
  public func percentile(_ percent: Double) -> Int64 {
    precondition(percent >= 0 && percent <= 100, "A percentile of \(percent); it is from 0 to 100")
    // What is a whole number but for the binary fraction is that number: 99.9 of 1,000 are 999.
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
