/// The standard normal distribution and its inverse, with the same bits on every platform
/// (see `PortableMath`).
package enum NormalCurve {
  /// The number that a standard normal variable does not exceed with probability `p`; minus
  /// infinity at 0 and infinity at 1.
  ///
  /// Accurate to about 1 part in 10^16. Source: M. J. Wichura, "Algorithm AS 241: The Percentage
  /// Points of the Normal Distribution", Applied Statistics 37 (1988), 477-484, routine PPND16.
  /// Acklam's method was rejected: it is accurate to 9 digits only, and costs as much once
  /// a refinement step corrects that.
  package static func quantile(_ p: Double) -> Double {
    let q = p - 0.5
    if abs(q) <= 0.425 {
      let r = 0.180625 - q * q
      return q * ratio(r, centreNumerator, centreDenominator)
    }
    let tail = q < 0 ? p : 1 - p
    guard tail > 0 else { return q < 0 ? -.infinity : .infinity }
    let r = (-PortableMath.log(tail)).squareRoot()
    let z =
      r <= 5
      ? ratio(r - 1.6, middleNumerator, middleDenominator)
      : ratio(r - 5, farNumerator, farDenominator)
    return q < 0 ? -z : z
  }

  /// The probability that a standard normal variable is at most `z`, to about 1e-16; below -3 also
  /// to 12 significant digits, down to -37.5.
  ///
  /// Computed near zero by a series (G. Marsaglia, "Evaluating the Normal Distribution", Journal
  /// of Statistical Software 11(4), 2004), and in the tail by Laplace's continued fraction.
  /// - Complexity: O(1), about 50 divisions. No draw needs it.
  package static func cumulative(_ z: Double) -> Double {
    guard abs(z) < 3 else { return z < 0 ? tail(-z) : 1 - tail(z) }
    var (sum, term, divisor) = (z, z, 1.0)
    while true {
      divisor += 2
      term *= z * z / divisor
      guard sum + term != sum else { return 0.5 + sum * density(z) }
      sum += term
    }
  }

  /// The probability of exceeding `z`, for `z` of at least 3.
  private static func tail(_ z: Double) -> Double {
    guard z < 40 else { return 0 }
    var fraction = z
    for step in stride(from: 64.0, to: 0, by: -1) { fraction = z + step / fraction }
    return density(z) / fraction
  }

  private static func density(_ z: Double) -> Double {
    PortableMath.exp(-0.5 * z * z) * 0.398_942_280_401_432_7
  }

  // MARK: Coefficients of PPND16, the lowest power first

  private typealias Coefficients = (Double, Double, Double, Double, Double, Double, Double, Double)

  private static func ratio(_ r: Double, _ top: Coefficients, _ bottom: Coefficients) -> Double {
    polynomial(r, top) / polynomial(r, bottom)
  }

  private static func polynomial(_ r: Double, _ c: Coefficients) -> Double {
    ((((((c.7 * r + c.6) * r + c.5) * r + c.4) * r + c.3) * r + c.2) * r + c.1) * r + c.0
  }

  private static var centreNumerator: Coefficients {
    (
      3.387_132_872_796_366_608_0, 133.141_667_891_784_377_45, 1_971.590_950_306_551_442_7,
      13_731.693_765_509_461_125,
      45_921.953_931_549_871_457, 67_265.770_927_008_700_853, 33_430.575_583_588_128_105,
      2_509.080_928_730_122_672_7
    )
  }
  private static var centreDenominator: Coefficients {
    (
      1, 42.313_330_701_600_911_252, 687.187_007_492_057_908_30, 5_394.196_021_424_751_107_7,
      21_213.794_301_586_595_867, 39_307.895_800_092_710_610, 28_729.085_735_721_942_674,
      5_226.495_278_852_854_561_0
    )
  }
  private static var middleNumerator: Coefficients {
    (
      1.423_437_110_749_683_577_34, 4.630_337_846_156_545_295_90, 5.769_497_221_460_691_405_50,
      3.647_848_324_763_204_605_04,
      1.270_458_252_452_368_382_58, 0.241_780_725_177_450_611_770, 0.022_723_844_989_269_184_583_3,
      7.745_450_142_783_414_076_40e-4
    )
  }
  private static var middleDenominator: Coefficients {
    (
      1, 2.053_191_626_637_758_821_87, 1.676_384_830_183_803_849_40, 0.689_767_334_985_100_004_550,
      0.148_103_976_427_480_074_590, 0.015_198_666_563_616_457_196_6,
      5.475_938_084_995_344_946_00e-4, 1.050_750_071_644_416_843_24e-9
    )
  }
  private static var farNumerator: Coefficients {
    (
      6.657_904_643_501_103_777_20, 5.463_784_911_164_114_369_90, 1.784_826_539_917_291_335_80,
      0.296_560_571_828_504_891_230,
      0.026_532_189_526_576_123_093_0, 1.242_660_947_388_078_438_60e-3,
      2.711_555_568_743_487_578_15e-5, 2.010_334_399_292_288_132_65e-7
    )
  }
  private static var farDenominator: Coefficients {
    (
      1, 0.599_832_206_555_887_937_690, 0.136_929_880_922_735_805_310,
      0.014_875_361_290_850_614_852_5,
      7.868_691_311_456_132_591_00e-4, 1.846_318_317_510_054_681_80e-5,
      1.421_511_758_316_445_888_70e-7, 2.044_263_103_389_939_785_64e-15
    )
  }
}
