public import CurfewEngine

/// How long engine time takes on the wall: wall time is engine time times an exact ratio.
///
/// With `0.01` a grant of 30 s is over after 300 ms. Deadlines become wall time by rounding
/// up and the wall becomes engine time by rounding down, so nothing is early at any
/// scale: `engine(atWall: wall(for: deadline)) >= deadline`.
public struct TimeScale: Hashable, Sendable {
  /// Wall nanoseconds for each `denominator` nanoseconds of engine time; the ratio is in
  /// lowest terms.
  package let numerator: Int64
  /// Engine nanoseconds for each `numerator` nanoseconds of wall time.
  package let denominator: Int64

  /// Engine time is wall time.
  public static let one = TimeScale(reducing: 1, over: 1)

  /// What texts a scale is written in, for whoever has to say so.
  package static let rule =
    "a time scale is a decimal number from 0.000001 to 1000000: 0.01, 1, 2.5"

  /// Digits after the point. With seven before it no product below leaves 64 bits.
  private static let fractionLimit = 12

  /// The scale that a decimal number says: `0.01`, `1`, `2.5`; nil for everything else and for what
  /// lies beyond a millionth or a million.
  ///
  /// Exact: no floating point comes near it. Signs and exponents are not read.
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
    // A fraction of more than six digits makes the denominator a multiple of a million, one of less
    // makes every number but 0 large enough.
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

  /// The first wall nanosecond since the start at which it is `instant` or later; `Int64.max`,
  /// which is never, where that is more than 292 years away.
  public func wall(for instant: Instant) -> Int64 {
    if instant == .distantFuture { return .max }
    guard instant > .zero else { return 0 }
    let product = instant.nanoseconds.magnitude.multipliedFullWidth(by: numerator.magnitude)
    return Self.quotient(product, by: denominator.magnitude, roundingUp: true)
  }

  /// The engine time `wall` nanoseconds after the start, the started nanosecond not counted;
  /// the distant future for `Int64.max`, and where it is beyond it.
  package func engine(atWall wall: Int64) -> Instant {
    if wall == .max { return .distantFuture }
    guard wall > 0 else { return .zero }
    let product = wall.magnitude.multipliedFullWidth(by: denominator.magnitude)
    return Instant(nanoseconds: Self.quotient(product, by: numerator.magnitude, roundingUp: false))
  }

  /// How long `wall` nanoseconds are in engine time, the last one begun counted as
  /// whole; saturates.
  package func engineLength(ofWall wall: Int64) -> Interval {
    guard wall > 0 else { return .zero }
    let product = wall.magnitude.multipliedFullWidth(by: denominator.magnitude)
    return Interval(nanoseconds: Self.quotient(product, by: numerator.magnitude, roundingUp: true))
  }

  /// A division that saturates. `dividingFullWidth` traps where the quotient has no 64 bits, so
  /// that is asked first.
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
  /// The decimal number, as it is read: `0.01`, `2.5`.
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
