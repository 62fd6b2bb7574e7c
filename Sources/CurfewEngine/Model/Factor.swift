/// A number to multiply lengths of time by, in whole millionths: what files write as `1.2`
/// is exactly that.
///
/// A binary fraction would not be: 1.2 is none, and traces have to be the same on every machine.
public struct Factor: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// A million for one.
  public var millionths: UInt32

  /// A factor of so many millionths.
  public init(millionths: UInt32) { self.millionths = millionths }

  /// A whole factor.
  /// - Precondition: It is `greatestWhole` at most.
  public init(_ whole: UInt32) {
    precondition(
      whole <= Factor.greatestWhole, "A factor of \(whole) is more than \(Factor.greatestWhole)")
    millionths = whole * Factor.unit
  }

  /// What leaves everything as it is.
  public static let one = Factor(1)
  /// What doubles.
  public static let two = Factor(2)

  /// One, in millionths.
  package static let unit: UInt32 = 1_000_000
  /// The greatest whole number that there may be: 4,294.
  public static let greatestWhole = UInt32.max / unit

  /// Both after each other, `most` at most. What is less than a millionth is dropped.
  func times(_ other: Factor, atMost most: Factor) -> Factor {
    let product = UInt64(millionths) * UInt64(other.millionths) / UInt64(Factor.unit)
    return Factor(millionths: UInt32(min(product, UInt64(most.millionths))))
  }

  /// Whether `a` is less than `b`.
  public static func < (a: Factor, b: Factor) -> Bool { a.millionths < b.millionths }
}

extension Interval {
  /// So many times as long, for a length that is not negative; saturates. What is less than
  /// a nanosecond counts as one: nothing comes before its time.
  func times(_ factor: Factor) -> Interval {
    let (high, low) = nanoseconds.multipliedFullWidth(by: Int64(factor.millionths))
    let unit = Int64(Factor.unit)
    guard high < unit / 2 else { return Interval(nanoseconds: .max) }
    let (quotient, rest) = unit.dividingFullWidth((high, low))
    return Interval(nanoseconds: rest == 0 || quotient == .max ? quotient : quotient + 1)
  }
}
