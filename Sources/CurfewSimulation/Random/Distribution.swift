public import CurfewEngine

/// How a quantity of at least 0 is distributed: a family with its parameters, and bounds.
///
/// The bounds clamp: what the family gives below `atLeast` is told as `atLeast`, and what it gives
/// above `atMost` as `atMost`. Nothing is drawn again, so the bounds themselves are likelier than
/// the family makes them. Cutting the family off instead would change every draw of the stream
/// whenever a bound moves.
///
/// ```swift
/// let think = Distribution(.logNormal(median: 2e9, sigma: 0.8), atMost: 60e9)  // nanoseconds
/// var stream = RandomStream(seed: 42, device: 7, app: 3, purpose: 1)
/// let pause = think.interval(&stream)
/// ```
///
/// ## One draw, one number Each draw takes one `unit()` u of the stream, and is `quantile(u)`.
/// A constant takes its number as well. So the n-th draw sees the n-th u, whatever the family
/// and its parameters are: two runs with different means see the same luck ("common random
/// numbers"), a longer mean makes each draw longer, and the difference between the runs is that
/// of the parameters. Polar and ziggurat methods, which are faster for a normal quantity, take now
/// one number and now more, and lose this.
public struct Distribution: Hashable, Sendable {
  /// The shape of a distribution, with its parameters. `flaw(in:atLeast:atMost:)` says which
  /// parameters are allowed.
  public enum Family: Hashable, Sendable {
    /// Always the same.
    case constant(Double)
    /// Every number of a range is as likely as every other.
    case uniform(least: Double, most: Double)
    /// The time until something comes that is as likely at each moment as at every other.
    case exponential(mean: Double)
    /// The logarithm is normal with the mean ln `median` and the standard deviation `sigma`; all
    /// of them are `median` where `sigma` is 0.
    case logNormal(median: Double, sigma: Double)
    /// P(X > x) is e^-(x / `scale`)^`shape`: for a `shape` above 1 what has lasted long ends soon,
    /// below 1 it goes on, and 1 is exponential.
    case weibull(scale: Double, shape: Double)
    /// P(X > x) is (`least` / x)^`shape`: few great ones carry most of the sum.
    case pareto(least: Double, shape: Double)
    /// One of the values that have been seen, each as likely as every other.
    case empirical(Observed)
  }

  /// The family, before the bounds.
  public let family: Family
  /// What is less is told as this; 0 where there is no lower bound.
  public let atLeast: Double
  /// What is greater is told as this; infinite where there is no upper bound.
  public let atMost: Double

  /// A distribution of this family, clamped to the bounds.
  /// - Precondition: `flaw(in:atLeast:atMost:)` finds none.
  /// - Complexity: O(1).
  public init(_ family: Family, atLeast: Double = 0, atMost: Double = .infinity) {
    if let flaw = Distribution.flaw(in: family, atLeast: atLeast, atMost: atMost) {
      preconditionFailure(flaw)
    }
    (self.family, self.atLeast, self.atMost) = (family, atLeast, atMost)
  }

  /// The log-normal distribution with this median, of which nine of ten are at most `p90`: `sigma`
  /// is ln (`p90` / `median`) / 1.2816.
  /// - Precondition: `median` is above 0 and finite; `p90` is at least `median` and finite;
  ///   and the bounds are as in `init(_:atLeast:atMost:)`.
  public static func logNormal(
    median: Double, p90: Double, atLeast: Double = 0, atMost: Double = .infinity
  ) -> Distribution {
    precondition(
      median > 0 && p90 >= median && p90 < .infinity,
      "A median of \(median) and a p90 of \(p90); 0 < median <= p90 < infinity")
    let sigma = (PortableMath.log(p90) - PortableMath.log(median)) / NormalCurve.quantile(0.9)
    return Distribution(.logNormal(median: median, sigma: sigma), atLeast: atLeast, atMost: atMost)
  }

  // MARK: Drawing

  /// A number of this distribution, by one number of the stream.
  ///
  /// It is infinite only where the family's number is greater than a `Double` can be, as with
  /// a Pareto `shape` of 0.01.
  /// - Complexity: O(1), some tens of nanoseconds; it allocates nothing.
  public func draw(_ stream: inout RandomStream) -> Double {
    clamped(family.quantile(stream.unit()))
  }

  /// A length of time of this distribution, taken as nanoseconds: rounded to the nearest,
  /// and saturated at the longest interval there is.
  /// - Complexity: O(1), some tens of nanoseconds; it allocates nothing.
  public func interval(_ stream: inout RandomStream) -> Interval {
    let length = draw(&stream)
    guard length < 0x1p63 else { return .nanoseconds(.max) }
    // By hand, because `rounded()` calls the C library where the processor is not known to have
    // an instruction for it.
    let whole = Int64(length)
    return .nanoseconds(length - Double(whole) < 0.5 ? whole : whole + 1)
  }

  // MARK: Asking

  /// The least number that a draw is at most with probability `p`. 0 asks for the lower end, and 1
  /// for the upper end, which may be infinite.
  /// - Precondition: `p` is from 0 to 1.
  /// - Complexity: O(1).
  public func quantile(_ p: Double) -> Double {
    precondition(p >= 0 && p <= 1, "A quantile of \(p); it is from 0 to 1")
    return clamped(family.quantile(p))
  }

  /// The probability that a draw is at most `x`, with the bounds: 0 below `atLeast`, and 1 from
  /// `atMost` on.
  /// - Precondition: `x` is a number, or infinite.
  /// - Complexity: O(1); O(log n) of n observed values.
  public func cumulative(_ x: Double) -> Double {
    precondition(!x.isNaN, "A probability for NaN; ask for a number")
    guard x >= atLeast else { return 0 }
    return x >= atMost ? 1 : family.cumulative(x)
  }

  /// The mean of the family without the bounds; infinite where the family has none (Pareto with
  /// a `shape` of at most 1), or where it is greater than a `Double` can be.
  /// - Complexity: O(1).
  public var mean: Double { family.mean }

  private func clamped(_ x: Double) -> Double { min(max(x, atLeast), atMost) }
}
