import CurfewSimulation

/// A spending function: the part of the level that may be used by the time a given share of the
/// maximum number of repetitions is complete.
///
/// The level is the probability of ever reporting a difference that does not exist.
/// A spending function limits how much of the level is used by each look. The looks need not be
/// equally spaced.
///
/// Source: K. K. G. Lan, D. L. DeMets, "Discrete Sequential Boundaries for Clinical Trials",
/// Biometrika 70 (1983), 659-663.
package enum AlphaSpending: Sendable, Hashable, CaseIterable {
  /// Like Pocock's boundary: α ln (1 + (e - 1) τ). Every look has about the same nominal level.
  ///
  /// The default of a plan. Each repetition costs the time of a whole fleet, so an experiment
  /// should stop early if a difference is clear. With looks at 5, 10, 20 and 40 and a difference of
  /// 1.2 standard deviations, a plan stopped after 12 repetitions on average, compared with 21 for
  /// `oBrienFleming`. The price is a weaker last look, whose power is 0.85, compared with 0.90 for
  /// a single look. Skewed differences mislead the early looks more than those of `oBrienFleming`.
  case pocock

  /// Like O'Brien and Fleming's boundary: 4 (1 - Φ(z(1 - α/4) / √τ)), which is their one-sided
  /// function of α/2 for each side.
  ///
  /// Hardly any of the level is spent early: the last look has nearly all of it. Use this function
  /// if the expected differences are small or skewed, and running to the end costs little.
  case oBrienFleming

  /// Returns how much of `level` may be spent at the share `fraction` of the repetitions: 0 at 0,
  /// and `level` from 1 on.
  /// - Precondition: `fraction` is at least 0, and `level` above 0 and at most 0.5.
  /// - Complexity: O(1).
  package func spent(at fraction: Double, of level: Double) -> Double {
    precondition(
      fraction >= 0, "The share of the repetitions is \(fraction); it must be at least 0")
    precondition(
      level > 0 && level <= 0.5,
      "The level is \(level); it must be above 0 and at most 0.5")
    guard fraction > 0 else { return 0 }
    guard fraction < 1 else { return level }
    switch self {
    case .pocock:
      let eMinusOne = 1.718_281_828_459_045_2
      return level * PortableMath.logOnePlus(eMinusOne * fraction)
    case .oBrienFleming:
      return 4 * NormalCurve.cumulative(NormalCurve.quantile(level / 4) / fraction.squareRoot())
    }
  }
}
