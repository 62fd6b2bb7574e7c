/// Times added up, of any number of devices and apps: exact, in nanoseconds of 128 bits, where 64
/// would be full after 292 years of one app.
public struct TotalTime: Hashable, Comparable, Sendable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// No time.
  public init() {}

  /// So many nanoseconds.
  /// - Precondition: They are not negative.
  public init(nanoseconds: Int64) { low = UInt64(nanoseconds) }

  /// In seconds, as exact as a `Double` is.
  public var seconds: Double { (Double(high) * 0x1p64 + Double(low)) / 1e9 }

  /// In nanoseconds; the greatest number where there are more.
  public var nanoseconds: Int64 { high == 0 ? Int64(clamping: low) : .max }

  /// Adds nanoseconds.
  /// - Precondition: They are not negative.
  public static func += (sum: inout TotalTime, nanoseconds: Int64) {
    sum += TotalTime(nanoseconds: nanoseconds)
  }

  /// Adds a time.
  public static func += (sum: inout TotalTime, other: TotalTime) {
    let (low, carry) = sum.low.addingReportingOverflow(other.low)
    sum.low = low
    sum.high += other.high + (carry ? 1 : 0)
  }

  /// The shorter one first.
  public static func < (a: TotalTime, b: TotalTime) -> Bool { (a.high, a.low) < (b.high, b.low) }

  /// Each part of it, in nanoseconds, rounded down; the greatest number where there are more.
  public func divided(by count: Int) -> Int64 {
    let divisor = UInt64(max(1, count))
    let (whole, rest) = high.quotientAndRemainder(dividingBy: divisor)
    return whole > 0 ? .max : Int64(clamping: divisor.dividingFullWidth((rest, low)).quotient)
  }

  /// Whole seconds, and the nanoseconds beyond them.
  var parts: (seconds: UInt64, nanoseconds: UInt64) {
    let unit: UInt64 = 1_000_000_000
    let (whole, rest) = high.quotientAndRemainder(dividingBy: unit)
    let (seconds, nanoseconds) = unit.dividingFullWidth((rest, low))
    // 2^94 ns are beyond any fleet: 600 billion years.
    return (whole > 0 ? .max : seconds, nanoseconds)
  }

  /// In seconds with as many decimals as it has: `346000.25`.
  package var text: String {
    let (seconds, nanoseconds) = parts
    guard nanoseconds > 0 else { return "\(seconds)" }
    var decimals = String(String(1_000_000_000 + nanoseconds).dropFirst())
    while decimals.last == "0" { decimals.removeLast() }
    return "\(seconds).\(decimals)"
  }
}
