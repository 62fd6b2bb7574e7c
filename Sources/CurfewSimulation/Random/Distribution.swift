public import CurfewEngine

/// The distribution of a nonnegative variable: a family with its parameters, and bounds.
///
/// The bounds clamp: a value below `atLeast` becomes `atLeast`, and one above `atMost` becomes
/// `atMost`. Values are not redrawn, so the bounds are likelier than in the family. Truncating
/// the family instead would change every draw of the stream whenever a bound moves.
///
/// ```swift
/// let think = Distribution(.logNormal(median: 2e9, sigma: 0.8), atMost: 60e9)  // nanoseconds
/// var stream = RandomStream(seed: 42, device: 7, app: 3, purpose: 1)
/// let pause = think.interval(&stream)
/// ```
///
/// ## One draw, one number
///
/// Each draw takes one `unit()` u from the stream and returns `quantile(u)`; a constant takes one
/// number too. The n-th draw therefore uses the n-th u, whatever the family and its parameters are.
/// Two runs with different means use the same luck ("common random numbers"): a longer mean makes
/// each draw longer, and the difference between the runs is due to the parameters alone. Polar
/// and ziggurat methods, which are faster for a normal variable, take a varying count of numbers
/// and lose this property.
public struct Distribution: Hashable, Sendable {
  /// The shape of a distribution, with its parameters. `flaw(in:atLeast:atMost:)` says which
  /// parameters are allowed.
  public enum Family: Hashable, Sendable {
    /// The same value in every draw.
    case constant(Double)
    /// All numbers of a range, equally likely.
    case uniform(least: Double, most: Double)
    /// The time until an event that is equally likely at each moment.
    case exponential(mean: Double)
    /// A variable whose logarithm is normal with the mean ln `median` and the standard deviation
    /// `sigma`. If `sigma` is 0, every draw is `median`.
    case logNormal(median: Double, sigma: Double)
    /// P(X > x) is e^-(x / `scale`)^`shape`. With a `shape` above 1, the longer a quantity has
    /// lasted, the sooner it ends; below 1, the later it ends; 1 is exponential.
    case weibull(scale: Double, shape: Double)
    /// P(X > x) is (`least` / x)^`shape`: a few large values carry most of the sum.
    case pareto(least: Double, shape: Double)
    /// One of the observed values, equally likely.
    case empirical(Observed)
  }

  /// The family, before the bounds.
  public let family: Family
  /// The lower bound, which replaces smaller values; 0 for none.
  public let atLeast: Double
  /// The upper bound, which replaces larger values; infinite for none.
  public let atMost: Double

  /// A distribution of this family, clamped to the bounds.
  /// - Precondition: `flaw(in:atLeast:atMost:)` returns nil.
  /// - Complexity: O(1).
  public init(_ family: Family, atLeast: Double = 0, atMost: Double = .infinity) {
    if let flaw = Distribution.flaw(in: family, atLeast: atLeast, atMost: atMost) {
      preconditionFailure(flaw)
    }
    (self.family, self.atLeast, self.atMost) = (family, atLeast, atMost)
  }

  /// The log-normal distribution with this median and 90th percentile: `sigma` is ln (`p90` /
  /// `median`) / 1.2816.
  /// - Precondition: `median` is above 0 and finite, `p90` is at least `median` and finite,
  ///   and the bounds are as in `init(_:atLeast:atMost:)`.
  public static func logNormal(
    median: Double, p90: Double, atLeast: Double = 0, atMost: Double = .infinity
  ) -> Distribution {
    precondition(
      median > 0 && p90 >= median && p90 < .infinity,
      "The median is \(median), p90 is \(p90); required: 0 < median <= p90 < infinity")
    let sigma = (PortableMath.log(p90) - PortableMath.log(median)) / NormalCurve.quantile(0.9)
    return Distribution(.logNormal(median: median, sigma: sigma), atLeast: atLeast, atMost: atMost)
  }

  // MARK: Drawing

  /// Draws a value, using one number of the stream.
  ///
  /// The value is infinite only if the family's value exceeds the range of `Double`, for example
  /// with a Pareto `shape` of 0.01.
  /// - Complexity: O(1), some tens of nanoseconds; it allocates nothing.
  public func draw(_ stream: inout RandomStream) -> Double {
    clamped(family.quantile(stream.unit()))
  }

  /// Draws a duration in nanoseconds, rounded to the nearest and saturated at the longest interval.
  /// - Complexity: O(1), some tens of nanoseconds; it allocates nothing.
  public func interval(_ stream: inout RandomStream) -> Interval {
    let length = draw(&stream)
    guard length < 0x1p63 else { return .nanoseconds(.max) }
    // Rounded by hand, because `rounded()` calls the C library if the target processor may lack
    // an instruction for it.
    let whole = Int64(length)
    return .nanoseconds(length - Double(whole) < 0.5 ? whole : whole + 1)
  }

  // MARK: Queries

  /// The least number that a draw does not exceed with probability `p`: the lower end for 0,
  /// and the upper end, which may be infinite, for 1.
  /// - Precondition: `p` is from 0 to 1.
  /// - Complexity: O(1).
  package func quantile(_ p: Double) -> Double {
    precondition(p >= 0 && p <= 1, "The probability \(p) is not from 0 to 1")
    return clamped(family.quantile(p))
  }

  /// The probability that a draw is at most `x`, including the bounds: 0 below `atLeast`, and 1
  /// from `atMost` on.
  /// - Precondition: `x` is a number, or infinite.
  /// - Complexity: O(1); O(log n) for n observed values.
  package func cumulative(_ x: Double) -> Double {
    precondition(!x.isNaN, "The number is NaN")
    guard x >= atLeast else { return 0 }
    return x >= atMost ? 1 : family.cumulative(x)
  }

  /// The mean of the family without the bounds. Infinite if the family has none (Pareto with
  /// a `shape` of at most 1), or if it exceeds the range of `Double`.
  /// - Complexity: O(1).
  public var mean: Double { family.mean }

  private func clamped(_ x: Double) -> Double { min(max(x, atLeast), atMost) }
}
