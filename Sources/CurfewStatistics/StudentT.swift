import CurfewSimulation

/// Student's t distribution, bit-identical on every platform (see `PortableMath`).
///
/// The mean of n normal variables with expectation 0, divided by its estimated standard error,
/// follows this distribution with n - 1 degrees of freedom.
///
/// Probabilities and quantiles are accurate to 12 significant digits, even for a tail of 1e-150.
package struct StudentT: Sendable, Hashable {
  /// A number above 0, not necessarily whole; infinite for the normal distribution.
  package let degreesOfFreedom: Double

  /// The distribution with this number of degrees of freedom.
  /// - Precondition: `degreesOfFreedom` is at least 0.001, below which quantiles leave the range
  ///   of `Double`; infinity is allowed.
  package init(degreesOfFreedom: Double) {
    precondition(
      degreesOfFreedom >= 0.001,
      "A t distribution with \(degreesOfFreedom) degrees of freedom; give at least 0.001")
    self.degreesOfFreedom = degreesOfFreedom
  }

  /// The probability of being at most `t`.
  /// - Complexity: O(1), a few microseconds.
  package func cumulative(_ t: Double) -> Double {
    t < 0 ? upperTail(-t) : 1 - upperTail(t)
  }

  /// The probability of being above `t`.
  /// - Complexity: O(1), a few microseconds.
  package func upperTail(_ t: Double) -> Double {
    guard t >= 0 else { return 1 - upperTail(-t) }
    guard t < .infinity else { return 0 }
    if isNearlyNormal { return NormalCurve.cumulative(-normalised(t)) }
    let place = Place(t, degreesOfFreedom)
    return place.isCentral ? 0.5 - central(place) : outer(place)
  }

  /// The probability density at `t`, above 0 and finite.
  package func density(_ t: Double) -> Double {
    let freedom = degreesOfFreedom
    let top = StirlingRemainder.logHalfStep(freedom / 2) - 0.5 * PortableMath.log(freedom * .pi)
    let place = Place(abs(t), freedom)
    // The factor is (1 + t²/ν)^(-(ν + 1)/2); logX is minus the logarithm of its base.
    return PortableMath.exp(top + (freedom + 1) / 2 * place.logX)
  }

  // MARK: By the incomplete beta function

  /// A distance t from the middle, as arguments of the incomplete beta function.
  struct Place {
    /// ν / (ν + t²) and its logarithm.
    let x, logX: Double
    /// The square root of 1 - x, t / √(ν + t²), without a subtraction.
    let rootY: Double
    /// Whether the continued fraction converges fast for the probability from 0 to t rather than
    /// for the tail.
    let isCentral: Bool

    init(_ t: Double, _ freedom: Double) {
      // t² alone would overflow from 1e154 on.
      let ratio = t > 1e150 ? Double.infinity : t * t / freedom
      x = 1 / (1 + ratio)
      logX =
        ratio < .infinity
        ? -PortableMath.logOnePlus(ratio) : PortableMath.log(freedom) - 2 * PortableMath.log(t)
      rootY = ratio < .infinity ? t / (freedom + t * t).squareRoot() : 1
      let a = freedom / 2
      isCentral = x > (a + 1) / (a + 2.5)
    }
  }

  /// The probability of a t from 0 to this place: ½ I_y(½, ν/2).
  func central(_ place: Place) -> Double {
    let a = degreesOfFreedom / 2
    return place.rootY * PortableMath.exp(a * place.logX - logBeta)
      * IncompleteBeta.fraction(0.5, a, place.rootY * place.rootY)
  }

  /// The probability of a t beyond this place: ½ I_x(ν/2, ½).
  func outer(_ place: Place) -> Double {
    let a = degreesOfFreedom / 2
    return place.rootY * PortableMath.exp(a * place.logX - logBeta) / (2 * a)
      * IncompleteBeta.fraction(a, 0.5, place.x)
  }

  /// ln B(ν/2, ½).
  private var logBeta: Double {
    let halfLogPi = 0.572_364_942_924_700_1
    return halfLogPi - StirlingRemainder.logHalfStep(degreesOfFreedom / 2)
  }
}
