/// The continued fraction of the incomplete beta function.
enum IncompleteBeta {
  /// The maximum number of steps. The greatest parameter in use is 1,000, which needs about 60.
  private static var mostSteps: Int { 2_000 }

  /// The factor F in I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) · F, where I is the regularised
  /// incomplete beta function.
  ///
  /// - Parameters:
  ///   - a: Above 0.
  ///   - b: Above 0.
  ///   - x: From 0 to (a + 1) / (a + b + 2). Beyond that, the fraction converges slowly: use 1 -
  ///     I_(1-x)(b, a) instead.
  /// - Complexity: O(√max(a, b)) steps.
  ///
  /// Source: NIST Digital Library of Mathematical Functions, 8.17.22, evaluated forwards by Lentz's
  /// method as modified by Thompson and Barnett (W. Press and others, "Numerical Recipes", 3rd ed.
  /// 2007, §5.2 and §6.4).
  static func fraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
    // The replacement for a partial denominator of zero.
    let least = 1e-300
    func apart(_ value: Double) -> Double { abs(value) < least ? least : value }
    var c = 1.0
    var d = 1 / apart(1 - (a + b) * x / (a + 1))
    var product = d
    for step in 1...mostSteps {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / apart(1 + even * d)
      c = apart(1 + even / c)
      product *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / apart(1 + odd * d)
      c = apart(1 + odd / c)
      product *= d * c
      if abs(d * c - 1) < 3e-16 { break }
    }
    return product
  }
}
