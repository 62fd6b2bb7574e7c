import CurfewSimulation

/// The regularised incomplete gamma functions, as a power series and as a continued fraction.
///
/// The series converges fast below the mean and the fraction above it, so each tail is computed
/// directly, never as 1 minus the other tail.
enum IncompleteGamma {
  /// The maximum number of steps. Both functions need about six times the square root of the shape,
  /// plus 40. Only shapes from 200 million on reach the limit; counts of rare events are
  /// far smaller.
  private static var mostSteps: Int { 100_000 }

  /// P(a, x) by its series, for `a` above 0 and `x` from 0 to about a + 1.
  ///
  /// Source: NIST Digital Library of Mathematical Functions, 8.7.1.
  /// - Complexity: O(√a) steps.
  static func lower(_ a: Double, _ x: Double) -> Double {
    guard x > 0 else { return 0 }
    var (term, sum) = (1.0, 1.0)
    for step in 1...mostSteps {
      term *= x / (a + Double(step))
      sum += term
      if term < 1e-17 * sum { break }
    }
    return power(a, x) / a * sum
  }

  /// Q(a, x) = 1 - P(a, x) by its continued fraction, for `a` above 0 and `x` above about a + 1.
  ///
  /// Source: NIST Digital Library of Mathematical Functions, 8.9.2, evaluated in the same way
  /// as `IncompleteBeta`.
  /// - Complexity: O(√a) steps.
  static func upper(_ a: Double, _ x: Double) -> Double {
    let least = 1e-300
    func apart(_ value: Double) -> Double { abs(value) < least ? least : value }
    var b = x + 1 - a
    var c = 1 / least
    var d = 1 / apart(b)
    var product = d
    for step in 1...mostSteps {
      let n = Double(step)
      let numerator = -n * (n - a)
      b += 2
      d = 1 / apart(numerator * d + b)
      c = apart(b + numerator / c)
      product *= d * c
      if abs(d * c - 1) < 3e-16 { break }
    }
    return power(a, x) * product
  }

  /// x^a e^-x / Γ(a), for `a` and `x` above 0: a common factor of P and Q.
  ///
  /// Its logarithm is a ln (x / a) + a - x + ½ ln (a / 2π) - S(a), with Stirling's remainder S.
  static func power(_ a: Double, _ x: Double) -> Double {
    let excess = (x - a) / a
    // ln (x / a) - excess, which is small near 1.
    let bend =
      (abs(excess) < 0.4
        ? PortableMath.logOnePlus(excess) : PortableMath.log(x) - PortableMath.log(a)) - excess
    return PortableMath.exp(
      a * bend + 0.5 * PortableMath.log(a / (2 * .pi)) - StirlingRemainder.value(a))
  }
}
