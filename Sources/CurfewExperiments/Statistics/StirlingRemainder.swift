import CurfewSimulation

/// What Stirling's formula leaves out of the logarithm of the gamma function, and a ratio of two
/// gamma functions made of it.
///
/// The great terms of ln Γ cancel where two of them are subtracted. Written with the remainder,
/// they cancel on paper, and no digit is lost, however great the argument is. `PortableMath.gamma`
/// ends at 172, which is a t distribution with 343 degrees of freedom.
enum StirlingRemainder {
  /// S(x) = ln Γ(x) - ((x - ½) ln x - x + ½ ln 2π), of `x` above 0; good to about 1e-15.
  ///
  /// From 16 on by the asymptotic series. Below, S(x) = S(x + 1) + (x + ½) ln (1 + 1/x) - 1,
  /// which is Γ(x + 1) = x Γ(x). Source: F. W. J. Olver and others (ed.), NIST Digital Library
  /// of Mathematical Functions, 5.11.1.
  /// - Complexity: O(1), at most 16 logarithms.
  static func value(_ x: Double) -> Double {
    var (x, sum) = (x, 0.0)
    while x < 16 {
      sum += (x + 0.5) * PortableMath.logOnePlus(1 / x) - 1
      x += 1
    }
    return sum + PortableMath.stirlingSeries(x)
  }

  /// ln (Γ(x + ½) / Γ(x)), of `x` above 0; good to about 1e-15, and half of ln x for great `x`.
  static func logHalfStep(_ x: Double) -> Double {
    x * PortableMath.logOnePlus(0.5 / x) - 0.5 + 0.5 * PortableMath.log(x) + value(x + 0.5)
      - value(x)
  }
}
