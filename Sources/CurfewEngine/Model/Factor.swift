/// A factor for lengths of time, in whole millionths, so that `1.2` in a file is exact.
///
/// A binary fraction cannot represent 1.2, and traces must be the same on every machine.
public struct Factor: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The factor in millionths: 1,000,000 is one.
  public var millionths: UInt32

  /// Creates a factor of this many millionths.
  public init(millionths: UInt32) { self.millionths = millionths }

  /// Creates a whole factor.
  /// - Precondition: `whole` is at most `greatestWhole`.
  public init(_ whole: UInt32) {
    precondition(
      whole <= Factor.greatestWhole, "A factor of \(whole) is more than \(Factor.greatestWhole)")
    millionths = whole * Factor.unit
  }

  /// The factor that changes nothing.
  public static let one = Factor(1)
  /// The factor that doubles.
  public static let two = Factor(2)

  /// One, in millionths.
  package static let unit: UInt32 = 1_000_000
  /// The greatest whole factor: 4,294.
  public static let greatestWhole = UInt32.max / unit

  /// The product of both factors, at most `most`. Fractions of a millionth are dropped.
  func times(_ other: Factor, atMost most: Factor) -> Factor {
    let product = UInt64(millionths) * UInt64(other.millionths) / UInt64(Factor.unit)
    return Factor(millionths: UInt32(min(product, UInt64(most.millionths))))
  }

  /// Whether `a` is less than `b`.
  public static func < (a: Factor, b: Factor) -> Bool { a.millionths < b.millionths }
}

extension Interval {
  /// The length multiplied by `factor`, rounded up to a nanosecond, so that nothing comes
  /// early. Saturates.
  ///
  /// - Precondition: The length is not negative.
  func times(_ factor: Factor) -> Interval {
    let (high, low) = nanoseconds.multipliedFullWidth(by: Int64(factor.millionths))
    let unit = Int64(Factor.unit)
    guard high < unit / 2 else { return Interval(nanoseconds: .max) }
    let (quotient, rest) = unit.dividingFullWidth((high, low))
    return Interval(nanoseconds: rest == 0 || quotient == .max ? quotient : quotient + 1)
  }
}
