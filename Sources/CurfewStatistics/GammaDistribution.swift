import CurfewSimulation

/// The gamma distribution with scale 1: the time until the n-th event of a Poisson process
/// of rate 1. The shape n need not be whole.
///
/// Twice such a variable has a chi-square distribution with 2n degrees of freedom. Quantiles are
/// accurate to 11 digits.
struct GammaDistribution: Sendable, Hashable {
  /// The shape, above 0.
  let shape: Double

  /// The distribution of this shape.
  /// - Precondition: `shape` is at least 1e-6, below which quantiles leave the range of `Double`.
  init(shape: Double) {
    precondition(
      shape >= 1e-6 && shape < .infinity,
      "A gamma distribution with the shape \(shape); give at least 1e-6")
    self.shape = shape
  }

  /// The probability of being at most `x`.
  /// - Complexity: O(√shape).
  func cumulative(_ x: Double) -> Double {
    guard x > 0 else { return 0 }
    return x < shape + 1 ? IncompleteGamma.lower(shape, x) : 1 - IncompleteGamma.upper(shape, x)
  }

  /// The probability of being above `x`.
  /// - Complexity: O(√shape).
  func upperTail(_ x: Double) -> Double {
    guard x > 0 else { return 1 }
    return x < shape + 1 ? 1 - IncompleteGamma.lower(shape, x) : IncompleteGamma.upper(shape, x)
  }

  /// The number that the variable does not exceed with probability `p`; 0 if it is below 1e-300.
  /// - Precondition: `p` is above 0 and at most 0.5.
  /// - Complexity: about ten times `cumulative`.
  func quantile(_ p: Double) -> Double {
    precondition(
      p > 0 && p <= 0.5, "The quantile of the probability \(p); it must be above 0 and at most 0.5")
    // In ln x the logarithm of a small probability is almost a straight line of slope `shape`.
    let (least, most) = (-690.0, PortableMath.log(shape + 10))
    guard cumulative(1e-299) < p else { return 0 }
    let wanted = PortableMath.log(p)
    let logX = RootSearch.fallingZero(
      from: least, to: most, start: min(most, max(least, PortableMath.log(shape)))
    ) { logX in
      let x = PortableMath.exp(logX)
      let found = cumulative(x)
      guard found > 0 else { return (.infinity, -1) }
      return (wanted - PortableMath.log(found), -IncompleteGamma.power(shape, x) / found)
    }
    return PortableMath.exp(logX)
  }

  /// The number that the variable exceeds with probability `tail`.
  /// - Precondition: `tail` is above 0 and at most 0.5.
  /// - Complexity: about ten times `upperTail`.
  func quantile(upperTail tail: Double) -> Double {
    precondition(
      tail > 0 && tail <= 0.5,
      "The quantile of the tail probability \(tail); it must be above 0 and at most 0.5")
    let wanted = PortableMath.log(tail)
    // The tail falls at least as fast as e^(-x/2) from twice the shape on.
    let most = 4 * shape - 4 * wanted + 10
    return RootSearch.fallingZero(from: 0, to: most, start: shape) { x in
      let found = upperTail(x)
      guard found > 0 else { return (-.infinity, -1) }
      return (
        PortableMath.log(found) - wanted, x > 0 ? -IncompleteGamma.power(shape, x) / x / found : -1
      )
    }
  }
}
