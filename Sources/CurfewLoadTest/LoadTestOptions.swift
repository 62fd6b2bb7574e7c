public import CurfewFiles

/// What a load test is asked to do. Lengths are wall time; everything else about time is the policy's, scaled.
public struct LoadTestOptions: Sendable {
  /// The policy that the device runs.
  public var policy: PolicyFile
  /// How many apps the device has.
  public var apps = 10_000
  /// Wall time is engine time times this: at 1/100 a grant of 30 s lasts 300 ms.
  public var scaleNumerator: Int64 = 1
  /// See `scaleNumerator`.
  public var scaleDenominator: Int64 = 100
  /// How long the measured segments last together.
  public var lengthNanoseconds: Int64 = 10_000_000_000
  /// How much later than due the loop may wake up, in wall nanoseconds.
  public var leewayNanoseconds: Int64 = 0
  /// Into how many segments that is divided; medians are taken over them.
  public var segments = 5
  /// How many visits to the background are planned a second, where the apps suffice for it and their visits fit.
  ///
  /// The default gives each of 10,000 apps two visits in a run of 10 s, and something more than 2,000 expirations a second. More apps than that
  /// are there and dormant for most of the run; fewer come back sooner.
  public var visitsPerSecond = 2_000
  /// Everything random comes from it.
  public var seed: UInt64 = 1
  /// What must hold of the result.
  public var thresholds: [Threshold] = []

  /// The defaults, under this policy.
  public init(policy: PolicyFile) { self.policy = policy }

  /// How long one segment lasts.
  public var segmentNanoseconds: Int64 { lengthNanoseconds / Int64(max(1, segments)) }

  /// The scale as a person writes it: `0.01`, or `1/3` where no decimal is exact.
  public var scaleText: String { ScaleText.write(numerator: scaleNumerator, denominator: scaleDenominator) }

  /// Sets the scale that `text` means, a decimal or a fraction: `0.01`, `1`, `1/100`.
  public mutating func setScale(_ text: String) throws(Refusal) {
    (scaleNumerator, scaleDenominator) = try ScaleText.read(text)
  }
}

/// Time scales as texts.
enum ScaleText {
  static let rule = "a time scale is a number or a fraction above 0: 0.01, 1, 1/100"
  /// Numerators and denominators stay under this, so that scaled instants fit.
  static let greatest: Int64 = 1_000_000_000

  static func read(_ text: String) throws(Refusal) -> (Int64, Int64) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let pair: (Int64, Int64)? =
      switch parts.count {
      case 1: decimal(parts[0])
      case 2: zip(whole(parts[0]), whole(parts[1]))
      default: nil
      }
    guard let (numerator, denominator) = pair, numerator > 0, denominator > 0 else {
      throw Refusal("'\(text)' is not a time scale; \(rule)")
    }
    guard numerator <= greatest, denominator <= greatest else {
      throw Refusal("the time scale '\(text)' is too fine or too large; a thousand millionth is the finest")
    }
    let divisor = greatestCommonDivisor(numerator, denominator)
    return (numerator / divisor, denominator / divisor)
  }

  static func write(numerator: Int64, denominator: Int64) -> String {
    var (power, digits) = (Int64(1), 0)
    while power % denominator != 0, digits < 9 { (power, digits) = (power * 10, digits + 1) }
    guard power % denominator == 0 else { return "\(numerator)/\(denominator)" }
    let (whole, rest) = (numerator * (power / denominator)).quotientAndRemainder(dividingBy: power)
    guard digits > 0 else { return "\(whole)" }
    let fraction = String(rest)
    return "\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  private static func decimal(_ text: Substring) -> (Int64, Int64)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let digits = whole(Substring(parts.joined())) else { return nil }
    guard parts.count == 2 else { return (digits, 1) }
    guard !parts[0].isEmpty, !parts[1].isEmpty, parts[1].count <= 9 else { return nil }
    return (digits, (0..<parts[1].count).reduce(1) { power, _ in power * 10 })
  }

  private static func whole(_ text: Substring) -> Int64? {
    text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
  }

  private static func zip(_ a: Int64?, _ b: Int64?) -> (Int64, Int64)? {
    guard let a, let b else { return nil }
    return (a, b)
  }

  private static func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
