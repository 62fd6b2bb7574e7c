import CurfewSimulation

/// The error of Stirling's formula for the logarithm of the gamma function, and a ratio of two
/// gamma functions computed from it.
///
/// When two values of ln Γ are subtracted, their large terms cancel. With the remainder, these
/// terms cancel in the formula itself, so no digits are lost, however large the argument is.
/// `PortableMath.gamma` ends at 172, which corresponds to a t distribution with 343 degrees
/// of freedom.
enum StirlingRemainder {
  /// S(x) = ln Γ(x) - ((x - ½) ln x - x + ½ ln 2π), for `x` above 0, accurate to about 1e-15.
  ///
  /// From 16 on it is computed by the asymptotic series; below, by S(x) = S(x + 1) + (x + ½) ln
  /// (1 + 1/x) - 1, which follows from Γ(x + 1) = x Γ(x). Source: F. W. J. Olver and others (ed.),
  /// NIST Digital Library of Mathematical Functions, 5.11.1.
  /// - Complexity: O(1), at most 16 logarithms.
  static func value(_ x: Double) -> Double {
    var (x, sum) = (x, 0.0)
    while x < 16 {
      sum += (x + 0.5) * PortableMath.logOnePlus(1 / x) - 1
      x += 1
    }
    return sum + PortableMath.stirlingSeries(x)
  }

  /// ln (Γ(x + ½) / Γ(x)), for `x` above 0, accurate to about 1e-15. For large `x` it is half
  /// of ln x.
  static func logHalfStep(_ x: Double) -> Double {
    x * PortableMath.logOnePlus(0.5 / x) - 0.5 + 0.5 * PortableMath.log(x) + value(x + 0.5)
      - value(x)
  }
}
