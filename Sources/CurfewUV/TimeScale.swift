public import CurfewEngine

/// The scale of engine time: wall time is engine time multiplied by an exact ratio.
///
/// With `0.01`, a grant of 30 s is over after 300 ms of wall time. Deadlines are rounded up
/// to wall time and the wall time is rounded down to engine time, so nothing is early at any
/// scale: `engine(atWall: wall(for: deadline)) >= deadline`.
public struct TimeScale: Hashable, Sendable {
  /// Wall nanoseconds for each `denominator` nanoseconds of engine time; the ratio is in
  /// lowest terms.
  package let numerator: Int64
  /// Engine nanoseconds for each `numerator` nanoseconds of wall time.
  package let denominator: Int64

  /// Wall time and engine time are equal.
  public static let one = TimeScale(reducing: 1, over: 1)

  /// The format of a scale, for error messages.
  package static let rule =
    "a time scale is a decimal number from 0.000001 to 1000000: 0.01, 1, 2.5"

  /// The maximum number of digits after the point. With up to seven digits before the point, no
  /// product below exceeds 64 bits.
  private static let fractionLimit = 12

  /// Creates the scale with the value of a decimal number such as `0.01`, `1`, `2.5`; nil for any
  /// other text, and for values below a millionth or above a million.
  ///
  /// The conversion is exact, without floating point. Signs and exponents are not accepted.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let whole = parts[0].drop { $0 == "0" }
    var fraction = parts.count == 2 ? parts[1] : ""
    while fraction.last == "0" { fraction.removeLast() }
    guard whole.count <= 7, fraction.count <= Self.fractionLimit else { return nil }
    var denominator: Int64 = 1
    for _ in fraction { denominator *= 10 }
    guard let numerator = Int64(String(whole + fraction).isEmpty ? "0" : String(whole + fraction))
    else { return nil }
    // With more than six digits in the fraction, the denominator is a multiple of a million, so
    // the division is exact; with fewer, every number but 0 is large enough.
    guard numerator > 0, numerator >= denominator / 1_000_000, numerator <= denominator * 1_000_000
    else { return nil }
    self.init(reducing: numerator, over: denominator)
  }

  private init(reducing numerator: Int64, over denominator: Int64) {
    var (divisor, rest) = (numerator, denominator)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  /// The first wall nanosecond since the start at which engine time is `instant` or later;
  /// `Int64.max`, which means never, if that is more than 292 years away.
  public func wall(for instant: Instant) -> Int64 {
    if instant == .distantFuture { return .max }
    guard instant > .zero else { return 0 }
    let product = instant.nanoseconds.magnitude.multipliedFullWidth(by: numerator.magnitude)
    return Self.quotient(product, by: denominator.magnitude, roundingUp: true)
  }

  /// The engine time `wall` nanoseconds after the start, rounded down; the distant future for
  /// `Int64.max` and beyond the range.
  package func engine(atWall wall: Int64) -> Instant {
    if wall == .max { return .distantFuture }
    guard wall > 0 else { return .zero }
    let product = wall.magnitude.multipliedFullWidth(by: denominator.magnitude)
    return Instant(nanoseconds: Self.quotient(product, by: numerator.magnitude, roundingUp: false))
  }

  /// The length of `wall` nanoseconds in engine time, rounded up; saturates.
  package func engineLength(ofWall wall: Int64) -> Interval {
    guard wall > 0 else { return .zero }
    let product = wall.magnitude.multipliedFullWidth(by: denominator.magnitude)
    return Interval(nanoseconds: Self.quotient(product, by: numerator.magnitude, roundingUp: true))
  }

  /// A division that saturates. `dividingFullWidth` traps if the quotient exceeds 64 bits, so
  /// the size is checked first.
  private static func quotient(
    _ product: (high: UInt64, low: UInt64), by divisor: UInt64, roundingUp: Bool
  ) -> Int64 {
    guard product.high < divisor else { return .max }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    guard quotient < Int64.max.magnitude else { return .max }
    return Int64(quotient) + (roundingUp && remainder > 0 ? 1 : 0)
  }
}

extension TimeScale: CustomStringConvertible {
  /// The decimal number, in the format that `init` reads: `0.01`, `2.5`.
  public var description: String {
    let whole = numerator / denominator
    var rest = numerator % denominator
    var fraction = ""
    while rest > 0 {
      rest *= 10
      fraction += "\(rest / denominator)"
      rest %= denominator
    }
    return fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)"
  }
}
