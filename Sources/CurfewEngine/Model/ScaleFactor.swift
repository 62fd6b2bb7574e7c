/// A factor for lengths of time, in whole millionths, so that `1.2` in a file is exact.
///
/// A binary fraction cannot represent 1.2, and traces must be the same on every machine.
public struct ScaleFactor: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The factor in millionths: 1,000,000 is one.
  public var millionths: UInt32

  /// Creates a factor of this many millionths.
  public init(millionths: UInt32) { self.millionths = millionths }

  /// Creates a whole factor.
  /// - Precondition: `whole` is at most `greatestWhole`.
  public init(_ whole: UInt32) {
    precondition(
      whole <= ScaleFactor.greatestWhole,
      "A factor of \(whole) is more than \(ScaleFactor.greatestWhole)")
    millionths = whole * ScaleFactor.unit
  }

  /// The factor that changes nothing.
  public static let one = ScaleFactor(1)
  /// The factor that doubles.
  public static let two = ScaleFactor(2)

  /// One, in millionths.
  package static let unit: UInt32 = 1_000_000
  /// The greatest whole factor: 4,294.
  package static let greatestWhole = UInt32.max / unit

  /// The product of both factors, at most `most`. Fractions of a millionth are dropped.
  func times(_ other: ScaleFactor, atMost most: ScaleFactor) -> ScaleFactor {
    let product = UInt64(millionths) * UInt64(other.millionths) / UInt64(ScaleFactor.unit)
    return ScaleFactor(millionths: UInt32(min(product, UInt64(most.millionths))))
  }

  /// Whether `a` is less than `b`.
  public static func < (a: ScaleFactor, b: ScaleFactor) -> Bool { a.millionths < b.millionths }
}

extension Interval {
  /// The length multiplied by `factor`, rounded up to a nanosecond, so that nothing comes
  /// early. Saturates.
  ///
  /// - Precondition: The length is not negative.
  func times(_ factor: ScaleFactor) -> Interval {
    let (high, low) = nanoseconds.multipliedFullWidth(by: Int64(factor.millionths))
    let unit = Int64(ScaleFactor.unit)
    guard high < unit / 2 else { return Interval(nanoseconds: .max) }
    let (quotient, rest) = unit.dividingFullWidth((high, low))
    return Interval(nanoseconds: rest == 0 || quotient == .max ? quotient : quotient + 1)
  }
}
