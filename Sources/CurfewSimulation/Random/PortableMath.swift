/// Logarithm and exponential computed by additions, multiplications and divisions alone.
///
/// The C libraries disagree: glibc, musl and Darwin differ in the last bit, and one bit moves a
/// draw, an event, and then a whole simulation. IEEE 754 fixes the results of the four operations,
/// so these functions give the same bits on every platform. They take about twice as long as
/// glibc's: some 20 ns more for a draw.
///
/// Errors are at most 2 units in the last place for `log`, `logOnePlus` and `exp`, and 5 for
/// `expMinusOne`. Tests compare with values computed with 60 digits.
package enum PortableMath {
  /// ln 2 in two parts. The first ends with 21 zero bits, so its multiples up to 2,097,152
  /// are exact.
  private static var ln2High: Double { 0x1.62e42fee00000p-1 }
  private static var ln2Low: Double { 0x1.a39ef35793c76p-33 }

  /// The natural logarithm; minus infinity at 0.
  package static func log(_ x: Double) -> Double {
    guard x > 0, x < .infinity else { return x == 0 ? -.infinity : x == .infinity ? x : .nan }
    // x = significand · 2^exponent with a significand from √½ to √2. Subnormal numbers are scaled
    // into the normal range first.
    let bits = x < .leastNormalMagnitude ? (x * 0x1p54).bitPattern : x.bitPattern
    let steps = Int64(bitPattern: bits &- 0x3fe6_a09e_667f_3bcd) >> 52  // Powers of two from √½ on.
    let significand = Double(bitPattern: bits &- UInt64(bitPattern: steps << 52))
    let exponent = Double(steps) - (x < .leastNormalMagnitude ? 54 : 0)
    return exponent * ln2High + (exponent * ln2Low + logNearOne(significand - 1))
  }

  /// The natural logarithm of 1 + `x`, accurate to the last digits even if `x` is small; minus
  /// infinity at -1.
  package static func logOnePlus(_ x: Double) -> Double {
    if x > -0.29 && x < 0.41 { return logNearOne(x) }
    let sum = 1 + x
    guard sum > 0, sum < .infinity else { return log(sum) }
    // Adds the rounding error of the sum, times the slope of the logarithm.
    return log(sum) + (x - (sum - 1)) / sum
  }

  /// ln (1 + f) for |f| < 0.42: with s = f / (2 + f), it is 2 artanh s = 2 (s + s³/3 + s⁵/5 + …).
  /// Its first term, 2 s, is computed as f - s f, so a rounding of s does not enter it.
  private static func logNearOne(_ f: Double) -> Double {
    let s = f / (2 + f)
    let z = s * s
    // s² is at most 0.0302, so the first omitted term is below 2^-60 of the sum. Even and odd terms
    // are summed separately, so that the processor can do both at once.
    let w = z * z
    let even =
      ((((2.0 / 23 * w + 2.0 / 19) * w + 2.0 / 15) * w + 2.0 / 11) * w + 2.0 / 7) * w + 2.0 / 3
    let odd = (((2.0 / 21 * w + 2.0 / 17) * w + 2.0 / 13) * w + 2.0 / 9) * w + 2.0 / 5
    let rest = even + odd * z
    return f - s * (f - rest * z)
  }

  /// e to the power `x`; infinity from 709.79 on, and zero below -745.2.
  package static func exp(_ x: Double) -> Double {
    guard x < 709.8 else { return x.isNaN ? x : .infinity }
    guard x > -745.2 else { return 0 }
    // Rounds x / ln 2 to a whole number: doubles from 2^52 on have no fraction. `rounded()` would
    // call the C library here.
    let k = (x * 0x1.71547652b82fep+0 + 0x1.8p52) - 0x1.8p52
    let r = (x - k * ln2High) - k * ln2Low
    // In two steps, because 2^k alone may overflow or underflow.
    let half = Int(k) / 2
    return (1 + expSeries(r)) * powerOfTwo(half) * powerOfTwo(Int(k) - half)
  }

  /// e to the power `x`, minus 1, accurate to the last digits even if `x` is small.
  package static func expMinusOne(_ x: Double) -> Double {
    x > -0.35 && x < 0.35 ? expSeries(x) : exp(x) - 1
  }

  /// x to the power `y`, for `x` above 0, or for `x` = 0 and `y` above 0.
  ///
  /// The error grows with |y ln x|, up to some hundred units in the last place. This product is at
  /// most 745 if the result is a number.
  package static func power(_ x: Double, _ y: Double) -> Double { exp(y * log(x)) }

  /// e^r - 1 for |r| of at most 0.35, by Taylor's series. The first omitted term is below 2^-56
  /// of the sum.
  private static func expSeries(_ r: Double) -> Double {
    let w = r * r
    let even =
      ((((1.0 / 6_227_020_800 * w + 1.0 / 39_916_800) * w + 1.0 / 362_880) * w + 1.0 / 5_040) * w
        + 1.0 / 120) * w + 1.0 / 6
    let odd =
      (((1.0 / 479_001_600 * w + 1.0 / 3_628_800) * w + 1.0 / 40_320) * w + 1.0 / 720) * w + 1.0
      / 24
    let rest = even + odd * r
    return r + r * r * (0.5 + r * rest)
  }

  /// 2 to the power `k`, for `k` from -1,022 to 1,023.
  private static func powerOfTwo(_ k: Int) -> Double { Double(bitPattern: UInt64(1_023 + k) << 52) }

  /// The gamma function for `x` of at least 1, infinite from about 171.6 on; accurate to 12 digits.
  ///
  /// It uses Stirling's series for ln Γ at x + n of at least 16, and descends
  /// by `Γ(x) = Γ(x + 1) / x`.
  package static func gamma(_ x: Double) -> Double {
    guard x < 172 else { return .infinity }
    var (x, divisor) = (x, 1.0)
    while x < 16 {
      divisor *= x
      x += 1
    }
    let halfLogTwoPi = 0.918_938_533_204_672_7
    return exp((x - 0.5) * log(x) - x + halfLogTwoPi + stirlingSeries(x)) / divisor
  }

  /// The remainder of Stirling's formula for ln Γ(x), for `x` of at least 16. The first omitted
  /// term, 1/156 · x^-13, is below 2e-18.
  package static func stirlingSeries(_ x: Double) -> Double {
    let w = 1 / (x * x)
    var series = -691.0 / 360_360
    series = series * w + 1.0 / 1_188
    series = series * w - 1.0 / 1_680
    series = series * w + 1.0 / 1_260
    series = series * w - 1.0 / 360
    series = series * w + 1.0 / 12
    return series / x
  }
}

/// The natural logarithm, for programs that count the instructions of random lives.
@_spi(Benchmarks) public func portableLog(_ x: Double) -> Double { PortableMath.log(x) }
