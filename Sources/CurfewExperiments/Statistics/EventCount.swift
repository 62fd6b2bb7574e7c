import CurfewSimulation

/// Events of one variant over its repetitions, and the bounds of their expected number.
///
/// The bounds are Garwood's, which are exact for a Poisson count: the lower one is the expectation
/// with which so many events or more come up with the given probability, the upper one that with
/// which so few or fewer do. Both are quantiles of gamma distributions.
///
/// Events that come in clusters vary more than a Poisson count. The dispersion is how many times
/// the variance over repetitions is the mean. With a dispersion φ the count is taken for φ times a
/// Poisson count of n / φ, and no bound becomes narrower than without.
///
/// Sources: F. Garwood, "Fiducial Limits for the Poisson Distribution", Biometrika 28 (1936),
/// 437-442. P. McCullagh, J. A. Nelder, "Generalized Linear Models", 2nd ed. (1989), §6.2.3, for
/// the variance φ times the mean.
package struct EventCount: Sendable, Hashable {
  /// The expectation with which no event at all comes up with probability `level`: -ln(`level`).
  static func mostOfNone(level: Double) -> Double { -PortableMath.log(level) }

  /// In each repetition, in their order.
  let counts: [Double]

  /// Counts that are whole but for the rounding of the rates that they were computed from.
  init(_ counts: some Sequence<Double>) { self.counts = counts.map { $0.rounded() } }

  /// All events together.
  package var total: Double { counts.reduce(0, +) }

  /// The variance over the repetitions divided by the mean, n - 1 below the sum; nil without
  /// events, and of fewer than two repetitions.
  var dispersion: Double? {
    guard counts.count > 1, total > 0 else { return nil }
    let mean = total / Double(counts.count)
    let squares = counts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return squares / Double(counts.count - 1) / mean
  }

  /// The bounds of the expected number of events in all repetitions together.
  ///
  /// - Parameters:
  ///   - tail: With what probability each bound may miss, above 0 and at most 0.5. The lower bound
  ///     of no event is 0 and never misses.
  ///   - dispersion: By how much the variance exceeds the mean; what is below 1 counts as 1.
  func bounds(tail: Double, dispersion: Double = 1) -> ClosedRange<Double> {
    func lower(_ events: Double) -> Double {
      events > 0 ? GammaDistribution(shape: events).quantile(tail) : 0
    }
    func upper(_ events: Double) -> Double {
      GammaDistribution(shape: events + 1).quantile(upperTail: tail)
    }
    let (total, factor) = (total, max(1, dispersion))
    let (low, high) = (lower(total), upper(total))
    guard factor > 1 else { return low...high }
    return min(low, factor * lower(total / factor))...max(high, factor * upper(total / factor))
  }
}
