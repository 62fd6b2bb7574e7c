/// Buckets for whole numbers of at least 0. Each number below 64 has its own bucket. Above, each
/// power of two has 32 buckets of equal width, so a bucket's upper bound is less than 1/32 above
/// any number in it. The latency histogram of a device has the same buckets.
enum LogLinearBuckets {
  /// The binary logarithm of the number of buckets for each power of two.
  private static var subdivision: Int { 5 }
  /// The number of buckets for each power of two.
  static var group: Int { 1 << subdivision }
  /// The number of all buckets: 1,888.
  static var count: Int { bucket(of: .max) + 1 }

  /// The bucket of a number.
  static func bucket(of value: Int64) -> Int {
    guard value >> subdivision > 0 else { return Int(value) }
    let shift = Int64.bitWidth - 1 - value.leadingZeroBitCount - subdivision
    return (shift << subdivision) + Int(value >> shift)
  }

  /// The least number in a bucket.
  static func lowerBound(of bucket: Int) -> Int64 {
    guard bucket >> (subdivision + 1) > 0 else { return Int64(bucket) }
    let shift = (bucket >> subdivision) - 1
    return Int64(bucket - shift << subdivision) << shift
  }

  /// The greatest number in a bucket.
  static func upperBound(of bucket: Int) -> Int64 {
    guard bucket >> (subdivision + 1) > 0 else { return Int64(bucket) }
    return lowerBound(of: bucket) + ((1 << ((bucket >> subdivision) - 1)) - 1)
  }
}
