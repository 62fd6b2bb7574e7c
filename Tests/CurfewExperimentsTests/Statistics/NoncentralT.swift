import CurfewSimulation

@testable import CurfewExperiments
@testable import CurfewStatistics

/// The noncentral t distribution: (Z + shift) / S, where Z is standard normal and S² an independent
/// chi-square variable divided by its degrees of freedom.
///
/// The t statistic follows this distribution if there is a true difference; the shift is that
/// difference in standard errors.
///
/// Probabilities are integrals of normal probabilities over S. The usual series (R. V. Lenth,
/// "Algorithm AS 243", Applied Statistics 38 (1989), 185-189) is not used, because its first term
/// vanishes for shifts above 37. Results are accurate to about 1e-12.
struct NoncentralT: Sendable, Hashable {
  /// A whole number, at least 1.
  let degreesOfFreedom: Double
  /// At least 0.
  let shift: Double

  /// Beyond this many standard deviations, a normal variable has no weight.
  private static var furthest: Double { 9 }

  /// The probability of being above `limit` or below -`limit`.
  /// - Precondition: `limit` is at least 0.
  /// - Complexity: O(1), about a thousand normal probabilities.
  func outside(_ limit: Double) -> Double {
    // S is near 1, with a standard deviation of about 1 / √2ν.
    let spread = 1 / (2 * degreesOfFreedom).squareRoot()
    let (low, high) = (max(0, 1 - 12 * spread), 1 + 12 * spread)
    // If S is below `sure`, the statistic is always outside; if S is above `never`, it never is.
    // The transition may be steep, so it has separate panels.
    let sure = min(max((shift - Self.furthest) / limit, low), high)
    let never = min(max((shift + Self.furthest) / limit, low), high)
    let certain = GaussLegendre(from: low, to: sure, panels: 16).integral(density)
    let open = GaussLegendre(from: sure, to: never, panels: 16).integral { s in
      density(s)
        * (NormalCurve.cumulative(shift - limit * s) + NormalCurve.cumulative(-shift - limit * s))
    }
    return min(1, certain + open)
  }

  /// The density of S at `s`, above 0: ln of it is ln 2 + ½ ln (ν/4π) - S(ν/2) + ν/2 (1 - s² + 2 ln
  /// s) - ln s, with Stirling's remainder S.
  private func density(_ s: Double) -> Double {
    let excess = s * s - 1
    // 1 - s² + 2 ln s, which is small near 1. Near 0, 1 + excess would have lost the digits of s.
    let bend = (s < 0.7 ? 2 * PortableMath.log(s) : PortableMath.logOnePlus(excess)) - excess
    let front =
      0.5 * PortableMath.log(degreesOfFreedom / .pi) - StirlingRemainder.value(degreesOfFreedom / 2)
    return PortableMath.exp(front + degreesOfFreedom / 2 * bend) / s
  }
}
