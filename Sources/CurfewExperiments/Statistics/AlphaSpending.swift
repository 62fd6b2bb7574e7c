import CurfewSimulation

/// How much of the level may have been spent at a share of the greatest number of repetitions.
///
/// The level is the probability of ever calling a difference that is not there. Spending says how
/// much of it may happen up to each look. With it, the looks need not be equally far apart.
///
/// Source: K. K. G. Lan, D. L. DeMets, "Discrete Sequential Boundaries for Clinical Trials",
/// Biometrika 70 (1983), 659-663.
package enum AlphaSpending: Sendable, Hashable, CaseIterable {
  /// Like Pocock's boundary: α ln (1 + (e - 1) τ). About the same nominal level at every look.
  ///
  /// The default of a plan. Each repetition is a whole fleet's time, and an experiment should
  /// stop early where a difference is plain. With looks at 5, 10, 20 and 40 and a difference
  /// of 1.2 standard deviations it stopped after 12 repetitions in the mean, where `oBrienFleming`
  /// took 21. The cost is paid at the last look: a power of 0.85 where one look would have 0.90.
  /// Lopsided differences mislead its early looks more.
  case pocock

  /// Like O'Brien and Fleming's boundary: 4 (1 - Φ(z(1 - α/4) / √τ)), which is their one-sided
  /// function of α/2 for each side.
  ///
  /// Hardly anything is spent early: the last look has nearly the whole level. Take it where
  /// the differences looked for are small, or lopsided, and going to the end is no loss.
  case oBrienFleming

  /// What may have been spent of `level` at the share `fraction` of the repetitions: 0 at 0,
  /// and `level` from 1 on.
  /// - Precondition: `fraction` is at least 0, and `level` above 0 and at most 0.5.
  /// - Complexity: O(1).
  package func spent(at fraction: Double, of level: Double) -> Double {
    precondition(fraction >= 0, "Spending at the share \(fraction); it is at least 0")
    precondition(
      level > 0 && level <= 0.5, "Spending of the level \(level); it is above 0 and at most 0.5")
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
