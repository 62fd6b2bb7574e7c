import CurfewSimulation

/// Treats the distribution with many degrees of freedom as a slightly stretched
/// normal distribution.
///
/// Source: G. W. Hill, "Algorithm 395: Student's t-Distribution", Communications of the ACM 13
/// (1970), 617-619. The continued fraction of the incomplete beta function was not chosen here: its
/// number of steps grows without limit.
extension StudentT {
  /// Whether Hill's expansion is accurate to 13 digits at a tail of 1e-15.
  var isNearlyNormal: Bool { degreesOfFreedom > 2_000 }

  /// Whether t and the normal z are equal to the last digit.
  private var isNormal: Bool { degreesOfFreedom > 1e17 }

  /// The z whose normal tail has the probability of the tail above `t`, for `t` of at least 0.
  func normalised(_ t: Double) -> Double {
    if isNormal { return t }
    // Beyond 1e150 the tail is 0: (1e150)^-2000.
    guard t < 1e150 else { return .infinity }
    let square = (degreesOfFreedom - 0.5) * PortableMath.logOnePlus(t * t / degreesOfFreedom)
    return square.squareRoot() * stretch(square)
  }

  /// The t whose tail has the probability of the normal tail above `z`, for `z` of at least 0:
  /// the inverse of `normalised`.
  func denormalised(_ z: Double) -> Double {
    if isNormal { return z }
    // The factor differs from 1 by about z² / (48 ν²): each round gains at least six digits.
    var root = z
    for _ in 0..<4 { root = z / stretch(root * root) }
    return (degreesOfFreedom * PortableMath.expMinusOne(root * root / (degreesOfFreedom - 0.5)))
      .squareRoot()
  }

  /// Hill's factor on the square root of `square`, which is (ν - ½) ln (1 + t²/ν).
  private func stretch(_ square: Double) -> Double {
    let shifted = degreesOfFreedom - 0.5
    let b = 48 * shifted * shifted
    let top = ((-0.4 * square - 3.3) * square - 24) * square - 85.5
    return (top / (0.8 * square * square + 100 + b) + square + 3) / b + 1
  }
}
