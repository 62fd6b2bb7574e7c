import CurfewEngine

/// Wall time and engine time, as far as a plan has to do with both: wall = engine × numerator / denominator.
///
/// A deadline becomes wall time by rounding up, so that nothing is early; an instant that has come becomes engine time by rounding down, so that
/// nothing is believed to be due before it is.
struct PlanClock: Hashable, Sendable {
  let numerator: Int64
  let denominator: Int64

  init(_ options: LoadTestOptions) {
    (numerator, denominator) = (options.scaleNumerator, options.scaleDenominator)
    precondition(numerator > 0 && denominator > 0, "A time scale of \(numerator)/\(denominator)")
  }

  /// Longer than any run, and short enough that a few of them can be added up.
  static let forever: Int64 = 1 << 58

  /// The wall time that a length of engine time takes, rounded up; no more than `forever`.
  func wall(_ interval: Interval) -> Int64 {
    let (product, overflow) = interval.nanoseconds.multipliedReportingOverflow(by: numerator)
    guard !overflow else { return PlanClock.forever }
    let (quotient, remainder) = product.quotientAndRemainder(dividingBy: denominator)
    return min(remainder > 0 ? quotient + 1 : quotient, PlanClock.forever)
  }

  /// Where engine time stands when so much wall time has gone by, rounded down; saturates.
  func engine(_ wallNanoseconds: Int64) -> Instant {
    let (product, overflow) = wallNanoseconds.multipliedReportingOverflow(by: denominator)
    return overflow ? .distantFuture : Instant(nanoseconds: product / numerator)
  }
}
