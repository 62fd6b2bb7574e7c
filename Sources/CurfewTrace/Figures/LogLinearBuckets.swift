/// Buckets for whole numbers of at least 0. Below 64 each number has a bucket of its own. From
/// there on each power of two has 32 buckets of equal width, so that a bucket's upper bound is less
/// than a 32nd more than any number in it. The latency histogram of a device has the same buckets.
enum LogLinearBuckets {
  /// A power of two has so many buckets, two to this.
  private static var subdivision: Int { 5 }
  /// Buckets of one power of two.
  static var group: Int { 1 << subdivision }
  /// All the buckets there are: 1,888.
  static var count: Int { bucket(of: .max) + 1 }

  /// The bucket of a number.
  static func bucket(of value: Int64) -> Int {
    guard value >> subdivision > 0 else { return Int(value) }
    let shift = Int64.bitWidth - 1 - value.leadingZeroBitCount - subdivision
    return (shift << subdivision) + Int(value >> shift)
  }

  /// The least number of a bucket.
  static func lowerBound(of bucket: Int) -> Int64 {
    guard bucket >> (subdivision + 1) > 0 else { return Int64(bucket) }
    let shift = (bucket >> subdivision) - 1
    return Int64(bucket - shift << subdivision) << shift
  }

  /// The greatest number of a bucket.
  static func upperBound(of bucket: Int) -> Int64 {
    guard bucket >> (subdivision + 1) > 0 else { return Int64(bucket) }
    return lowerBound(of: bucket) + ((1 << ((bucket >> subdivision) - 1)) - 1)
  }
}
