import CurfewSimulation

/// The events of one variant over its repetitions, with bounds of their expected number.
///
/// The bounds are Garwood's, which are exact for a Poisson count. If the expectation equals
/// the lower bound, a count at least as high as the observed one has the given probability.
/// If it equals the upper bound, a count at least as low has that probability. Both are quantiles
/// of gamma distributions.
///
/// Events that come in clusters vary more than a Poisson count. The dispersion is the variance
/// over the repetitions divided by the mean. With a dispersion φ, the count is treated as φ times
/// a Poisson count of n / φ. No bound becomes narrower than without this correction.
///
/// Sources: F. Garwood, "Fiducial Limits for the Poisson Distribution", Biometrika 28 (1936),
/// 437-442. P. McCullagh, J. A. Nelder, "Generalized Linear Models", 2nd ed. (1989), §6.2.3, for
/// the variance φ times the mean.
package struct EventCount: Sendable, Hashable {
  /// The expectation at which no event occurs with probability `level`: -ln(`level`).
  package static func mostOfNone(level: Double) -> Double { -PortableMath.log(level) }

  /// The counts, in the order of repetitions.
  package let counts: [Double]

  /// Rounds each count to a whole number: counts are computed from rounded rates.
  package init(_ counts: some Sequence<Double>) { self.counts = counts.map { $0.rounded() } }

  /// The number of all events.
  package var total: Double { counts.reduce(0, +) }

  /// The sample variance over the repetitions (with n - 1) divided by the mean; nil without events,
  /// and for fewer than two repetitions.
  package var dispersion: Double? {
    guard counts.count > 1, total > 0 else { return nil }
    let mean = total / Double(counts.count)
    let squares = counts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return squares / Double(counts.count - 1) / mean
  }

  /// The bounds of the expected number of events in all repetitions together.
  ///
  /// - Parameters:
  ///   - tail: The probability with which each bound may miss, above 0 and at most 0.5. Without
  ///     events the lower bound is 0 and never misses.
  ///   - dispersion: The variance divided by the mean; a value below 1 counts as 1.
  package func bounds(tail: Double, dispersion: Double = 1) -> ClosedRange<Double> {
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
