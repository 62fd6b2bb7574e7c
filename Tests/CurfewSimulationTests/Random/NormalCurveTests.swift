import TestRuns
import Testing

@testable import CurfewSimulation

/// All values were computed with 60 digits (mpmath 1.3), for the written `Double` and not for
/// the decimal number.
@Suite(.inTurn) struct NormalCurveTests {
  /// The value that a standard normal variable does not exceed with probability x.
  private static let quantiles: [(x: Double, value: Double)] = [
    (5.551115123125783e-17, -8.29236107581359554), (1e-300, -37.0470962993611992),
    (1e-100, -21.2734535609653243),
    (1e-16, -8.22208221613043562), (1e-10, -6.3613409024040562), (1e-05, -4.26489079392282461),
    (0.001, -3.09023230616781354),
    (0.01, -2.32634787404084109), (0.05, -1.64485362695147269), (0.074, -1.44663206715897851),
    (0.075, -1.43953147093845593),
    (0.076, -1.43250272082581162), (0.1, -1.28155156554460044), (0.25, -0.674489750196081743),
    (0.3, -0.524400512708040816),
    (0.49, -0.025068908258711058), (0.5, 0), (0.75, 0.674489750196081743),
    (0.9, 1.28155156554460059),
    (0.925, 1.43953147093845623), (0.975, 1.95996398454005386), (0.99, 2.32634787404084077),
    (0.999, 3.09023230616781328),
    (0.99999, 4.26489079392384077), (0.9999999999999999, 8.20953615160138686),
  ]

  /// The probability of being at most x.
  private static let probabilities: [(x: Double, value: Double)] = [
    (-37, 5.72557122252457682e-300), (-20, 2.7536241186062337e-89), (-10, 7.61985302416052607e-24),
    (-6, 9.86587645037698141e-10),
    (-4, 0.0000316712418331199213), (-3.5, 0.000232629079035525036), (-3, 0.00134989803163009453),
    (-2.999, 0.00135433653372710616), (-2.5, 0.00620966532577613517),
    (-1.96, 0.0249978951482204362), (-1, 0.158655253931457051),
    (-0.5, 0.308537538725986896), (-0.001, 0.499601057786088937), (0, 0.5),
    (0.25, 0.598706325682923724),
    (1, 0.841344746068542949), (1.5, 0.933192798731141934), (2.5, 0.993790334674223865),
    (3, 0.998650101968369905),
    (4, 0.99996832875816688), (6, 0.999999999013412355), (8, 0.999999999999999378),
  ]

  @Test func `quantiles are right to 16 digits`() {
    for (p, z) in Self.quantiles {
      #expect(abs(NormalCurve.quantile(p) - z) <= 4e-16 * max(1, abs(z)), "\(p)")
    }
    #expect(NormalCurve.quantile(0) == -.infinity && NormalCurve.quantile(1) == .infinity)
  }

  /// The three test values that the article on AS 241 gives.
  @Test func `quantiles match the article`() {
    #expect(abs(NormalCurve.quantile(0.25) - -0.674_489_750_196_081_7) < 1e-15)
    #expect(abs(NormalCurve.quantile(0.001) - -3.090_232_306_167_814) < 1e-14)
    #expect(abs(NormalCurve.quantile(1e-20) - -9.262_340_089_798_408) < 1e-14)
  }

  @Test func `probabilities are right to 15 decimals, and in the lower tail to 12 digits`() {
    for (z, p) in Self.probabilities {
      #expect(abs(NormalCurve.cumulative(z) - p) <= 3e-16, "\(z)")
      if z <= -3 { #expect(abs(NormalCurve.cumulative(z) / p - 1) < 1e-12, "\(z)") }
    }
    #expect(NormalCurve.cumulative(-.infinity) == 0 && NormalCurve.cumulative(.infinity) == 1)
    #expect(NormalCurve.cumulative(-50) == 0 && NormalCurve.cumulative(50) == 1)
  }

  @Test func `both functions rise everywhere, even where the formula changes`() {
    for place in [-3.0, -1.4395, -1.44, 0, 1.4395, 3] {
      var last = -1.0
      for step in -200...200 {
        let p = NormalCurve.cumulative(place + Double(step) * 1e-6)
        #expect(p > last)
        last = p
      }
    }
    for p in [0.075, 0.925, 1.388_794_386_496_402_1e-11] {
      var last = -Double.infinity
      for step in -200...200 {
        let z = NormalCurve.quantile(p * (1 + Double(step) * 1e-9))
        #expect(z > last)
        last = z
      }
    }
  }
}
