import CurfewSimulation

extension StudentT {
  /// The number that the variable does not exceed with probability `p`: minus infinity at 0,
  /// and infinity at 1.
  ///
  /// For a `p` near 1, `quantile(upperTail:)` of the tail itself is more accurate.
  /// - Precondition: `p` is from 0 to 1.
  /// - Complexity: about ten times `cumulative`.
  package func quantile(_ p: Double) -> Double {
    precondition(p >= 0 && p <= 1, "The quantile of the probability \(p); it must be from 0 to 1")
    return p < 0.5 ? -quantile(upperTail: p) : quantile(upperTail: 1 - p)
  }

  /// The number that the variable exceeds with probability `tail`; infinity at 0.
  /// - Precondition: `tail` is from 0 to 1.
  /// - Complexity: about ten times `cumulative`.
  package func quantile(upperTail tail: Double) -> Double {
    precondition(
      tail >= 0 && tail <= 1, "The quantile of the tail probability \(tail); it must be from 0 to 1"
    )
    guard tail <= 0.5 else { return -quantile(upperTail: 1 - tail) }
    if tail == 0.5 { return 0 }
    if tail == 0 { return .infinity }
    let z = -NormalCurve.quantile(tail)
    if isNearlyNormal { return denormalised(z) }
    return tail > 0.45 ? centralQuantile(0.5 - tail, z) : outerQuantile(tail, z)
  }

  /// The t for which the range 0…t has this probability, which is below 0.05. The tail cannot be
  /// used here: near ½ it has no digits for a small t.
  private func centralQuantile(_ probability: Double, _ z: Double) -> Double {
    // A quantile of t is at least as large as the normal quantile, and the density only falls. So
    // Newton's method approaches from below and does not overshoot.
    RootSearch.fallingZero(from: 0, to: 1e300, start: z) { t in
      let place = Place(t, degreesOfFreedom)
      let found = place.isCentral ? central(place) : 0.5 - outer(place)
      return (probability - found, -density(t))
    }
  }

  /// The t with this tail, which is at most 0.45; infinity if t is above 1e300.
  ///
  /// The search finds ln t from the logarithm of the tail. For few degrees of freedom, that
  /// logarithm is almost a straight line; for many, it is almost a parabola. It is always concave,
  /// so Newton's method approaches from above after its first step.
  private func outerQuantile(_ tail: Double, _ z: Double) -> Double {
    let (wanted, furthest) = (PortableMath.log(tail), 690.0)
    let start = PortableMath.log(z)
    guard upperTail(1e299) < tail else { return .infinity }
    let logT = RootSearch.fallingZero(from: start - 0.001, to: furthest, start: start) { logT in
      let t = PortableMath.exp(logT)
      let found = upperTail(t)
      // A tail of 0 is too far out, so the search halves the bracket.
      guard found > 0 else { return (-.infinity, -1) }
      return (PortableMath.log(found) - wanted, -t * density(t) / found)
    }
    // One more step is made on t itself: a relative error of 1e-16 in ln t, which may be 690,
    // is an error of 1e-13 in t.
    let t = PortableMath.exp(logT)
    return t + (upperTail(t) - tail) / density(t)
  }
}
