/// The exact sum of times over any number of devices and apps, in nanoseconds, with 128 bits. 64
/// bits would overflow after 292 years of a single app.
public struct TotalTime: Hashable, Comparable, Sendable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// Zero time.
  public init() {}

  /// Creates a time of this many nanoseconds.
  /// - Precondition: The number is not negative.
  public init(nanoseconds: Int64) { low = UInt64(nanoseconds) }

  /// The time in seconds, as exact as a `Double`.
  public var seconds: Double { (Double(high) * 0x1p64 + Double(low)) / 1e9 }

  /// The time in nanoseconds, at most `Int64.max`.
  public var nanoseconds: Int64 { high == 0 ? Int64(clamping: low) : .max }

  /// Adds nanoseconds.
  /// - Precondition: The number is not negative.
  public static func += (sum: inout TotalTime, nanoseconds: Int64) {
    sum += TotalTime(nanoseconds: nanoseconds)
  }

  /// Adds a time.
  public static func += (sum: inout TotalTime, other: TotalTime) {
    let (low, carry) = sum.low.addingReportingOverflow(other.low)
    sum.low = low
    sum.high += other.high + (carry ? 1 : 0)
  }

  /// Orders by length, the shorter time first.
  public static func < (a: TotalTime, b: TotalTime) -> Bool { (a.high, a.low) < (b.high, b.low) }

  /// The time divided into `count` equal parts, in nanoseconds, rounded down, at most `Int64.max`.
  public func divided(by count: Int) -> Int64 {
    let divisor = UInt64(max(1, count))
    let (whole, rest) = high.quotientAndRemainder(dividingBy: divisor)
    return whole > 0 ? .max : Int64(clamping: divisor.dividingFullWidth((rest, low)).quotient)
  }

  /// The whole seconds, and the remaining nanoseconds.
  var parts: (seconds: UInt64, nanoseconds: UInt64) {
    let unit: UInt64 = 1_000_000_000
    let (whole, rest) = high.quotientAndRemainder(dividingBy: unit)
    let (seconds, nanoseconds) = unit.dividingFullWidth((rest, low))
    // No fleet reaches 2^94 ns, 600 billion years.
    return (whole > 0 ? .max : seconds, nanoseconds)
  }

  /// The time in seconds with all its decimals: `346000.25`.
  package var text: String {
    let (seconds, nanoseconds) = parts
    guard nanoseconds > 0 else { return "\(seconds)" }
    var decimals = String(String(1_000_000_000 + nanoseconds).dropFirst())
    while decimals.last == "0" { decimals.removeLast() }
    return "\(seconds).\(decimals)"
  }
}
