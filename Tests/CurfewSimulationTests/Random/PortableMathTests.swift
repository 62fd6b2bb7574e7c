import TestRuns
import Testing

@testable import CurfewSimulation

/// All values were computed with 60 digits (mpmath 1.3), for the written `Double` and not for
/// the decimal number.
@Suite(.inTurn) struct PortableMathTests {
  /// ln x
  private static let logarithms: [(x: Double, value: Double)] = [
    (.leastNonzeroMagnitude, -744.440071921381262), (2.2250738585072014e-308, -708.396418532264106),
    (1e-100, -230.258509299404568),
    (1e-10, -23.0258509299404568), (0.1, -2.30258509299404563), (0.5, -0.693147180559945309),
    (0.7071067811865475, -0.346573590279972743), (0.75, -0.287682072451780927),
    (0.99, -0.0100503358535014502),
    (0.9999999999999999, -1.1102230246251566e-16), (1, 0),
    (1.0000000000000002, 2.22044604925031283e-16),
    (1.01, 0.00995033085316809164), (1.4142135623730951, 0.346573590279972723),
    (1.4142135623730954, 0.34657359027997288),
    (1.5, 0.405465108108164382), (2, 0.693147180559945309), (10, 2.30258509299404568),
    (10000000000, 23.0258509299404568),
    (1.7976931348623157e+308, 709.782712893383997),
  ]

  /// ln (1 + x)
  private static let logarithmsOfOnePlus: [(x: Double, value: Double)] = [
    (-0.9999999999999999, -36.7368005696771014), (-0.999, -6.90775527898213616),
    (-0.5, -0.693147180559945309),
    (-0.36, -0.446287102628419491), (-0.29, -0.342490308946775919), (-0.28, -0.328504066972036094),
    (-0.1, -0.105360515657826307),
    (-1e-05, -0.0000100000500003333367), (-1e-16, -1.00000000000000003e-16),
    (-1e-300, -1.00000000000000003e-300),
    (1e-10, 9.99999999950000036e-11), (0.1, 0.0953101798043248651), (0.4, 0.336472236621212946),
    (0.42, 0.350656871613169352),
    (1, 0.693147180559945309), (100, 4.61512051684125945),
  ]

  /// e^x
  private static let exponentials: [(x: Double, value: Double)] = [
    (-708, 3.30755300363840798e-308), (-700, 9.85967654375977086e-305),
    (-100, 3.72007597602083596e-44), (-10, 0.0000453999297624848515), (-1, 0.367879441171442322),
    (-0.5, 0.606530659712633424),
    (-0.1, 0.904837418035959568), (-1e-10, 0.9999999999), (0, 1), (1e-16, 1.0000000000000001),
    (0.34657359027997264, 1.41421356237309503), (0.35, 1.41906754859325722),
    (0.5, 1.64872127070012815), (1, 2.71828182845904524),
    (10, 22026.4657948067165), (100, 2.68811714181613545e+43), (700, 1.01423205473500451e+304),
    (709.78, 1.79282279439451562e+308),
  ]

  /// e^x - 1
  private static let exponentialsMinusOne: [(x: Double, value: Double)] = [
    (-100, -1), (-10, -0.999954600070237515), (-1, -0.632120558828557678),
    (-0.5, -0.393469340287366576),
    (-0.36, -0.302323673928968933), (-0.35, -0.29531191028128655), (-0.1, -0.0951625819640404319),
    (-1e-10, -9.99999999950000036e-11), (-1e-300, -1.00000000000000003e-300), (0, 0),
    (1e-16, 1.00000000000000003e-16),
    (0.1, 0.105170918075647631), (0.34, 0.404947590563593831), (0.36, 0.433329414560340239),
    (1, 1.71828182845904524),
    (2, 6.38905609893065023), (10, 22025.4657948067165), (100, 2.68811714181613545e+43),
  ]

  /// Γ(x)
  private static let gammas: [(x: Double, value: Double)] = [
    (1, 1), (1.0625, 0.967580067599524885), (1.25, 0.906402477055477078),
    (1.5, 0.886226925452758014), (2, 1),
    (2.5, 1.32934038817913702), (3, 2), (6, 120), (101, 9.33262154439441527e+157),
    (171, 7.25741561530799897e+306),
  ]

  /// The distance between the computed and the correct value, in units in the last place.
  private func units(_ found: Double, _ right: Double) -> Double { abs(found - right) / right.ulp }

  @Test func `logarithm and exponential are right to the last digits`() {
    for (x, value) in Self.logarithms { #expect(units(PortableMath.log(x), value) <= 2, "ln \(x)") }
    for (x, value) in Self.logarithmsOfOnePlus {
      #expect(units(PortableMath.logOnePlus(x), value) <= 2, "ln (1 + \(x))")
    }
    for (x, value) in Self.exponentials {
      #expect(units(PortableMath.exp(x), value) <= 2, "e^\(x)")
    }
    for (x, value) in Self.exponentialsMinusOne {
      #expect(units(PortableMath.expMinusOne(x), value) <= 5, "e^\(x) - 1")
    }
    for (x, value) in Self.gammas {
      #expect(abs(PortableMath.gamma(x) / value - 1) < 1e-12, "Γ(\(x))")
    }
  }

  @Test func `the ends of the range`() {
    #expect(PortableMath.log(0) == -.infinity && PortableMath.log(.infinity) == .infinity)
    #expect(PortableMath.log(-1).isNaN && PortableMath.log(.nan).isNaN)
    #expect(
      PortableMath.logOnePlus(-1) == -.infinity && PortableMath.logOnePlus(.infinity) == .infinity)
    #expect(
      PortableMath.exp(709.79) == .infinity && PortableMath.exp(.infinity) == .infinity
        && PortableMath.exp(1e300) == .infinity)
    #expect(
      PortableMath.exp(-746) == 0 && PortableMath.exp(-.infinity) == 0
        && PortableMath.exp(.nan).isNaN)
    #expect(
      PortableMath.expMinusOne(-.infinity) == -1 && PortableMath.expMinusOne(.infinity) == .infinity
    )
    #expect(
      PortableMath.power(0, 0.5) == 0 && PortableMath.power(.infinity, 2) == .infinity
        && PortableMath.power(1, 1e300) == 1)
    #expect(
      units(PortableMath.power(8, -2), 1.0 / 64) <= 8 && PortableMath.power(0, -1) == .infinity)
    #expect(PortableMath.gamma(172) == .infinity && PortableMath.gamma(.infinity) == .infinity)
  }

  /// A seed's meaning depends on these bits, so they must be the same on every platform. The same
  /// formulas in Python give this digest too.
  @Test func `the bits do not change`() {
    var digest: UInt64 = 0
    for step in 1...20_000 {
      let x = Double(step) / 20_001
      let values = [
        PortableMath.log(x), PortableMath.logOnePlus(-x), PortableMath.exp(40 * x - 20),
        PortableMath.expMinusOne(-x),
        NormalCurve.quantile(x), NormalCurve.cumulative(10 * x - 5),
      ]
      for value in values { digest = (digest ^ value.bitPattern) &* 0x0000_0100_0000_01b3 }
    }
    #expect(digest == 0x645d_4f94_d6dc_01ee)
  }
}
