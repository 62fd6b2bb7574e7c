import CurfewSimulation

extension StudentT {
  /// The number that a quantity of this distribution is at most with probability `p`; minus
  /// infinity at 0 and infinity at 1.
  ///
  /// Of a `p` next to 1, `quantile(upperTail: 1 - p)` tells more digits.
  /// - Precondition: `p` is from 0 to 1.
  /// - Complexity: some ten times `cumulative`.
  package func quantile(_ p: Double) -> Double {
    precondition(p >= 0 && p <= 1, "The quantile of the probability \(p); it is from 0 to 1")
    return p < 0.5 ? -quantile(upperTail: p) : quantile(upperTail: 1 - p)
  }

  /// The number above which a quantity of this distribution is with probability `tail`; infinity
  /// at 0.
  /// - Precondition: `tail` is from 0 to 1.
  /// - Complexity: some ten times `cumulative`.
  package func quantile(upperTail tail: Double) -> Double {
    precondition(
      tail >= 0 && tail <= 1, "The quantile of the tail probability \(tail); it is from 0 to 1")
    guard tail <= 0.5 else { return -quantile(upperTail: 1 - tail) }
    if tail == 0.5 { return 0 }
    if tail == 0 { return .infinity }
    let z = -NormalCurve.quantile(tail)
    if isNearlyNormal { return denormalised(z) }
    return tail > 0.45 ? centralQuantile(0.5 - tail, z) : outerQuantile(tail, z)
  }

  /// The t for which 0…t has this probability, below 0.05. The tail would not do here: next to ½ it
  /// has no digits for a small t.
  private func centralQuantile(_ probability: Double, _ z: Double) -> Double {
    // A t is at least as far out as a normal quantity, and its density only falls: Newton comes
    // from below, and does not jump.
    RootSearch.fallingZero(from: 0, to: 1e300, start: z) { t in
      let place = Place(t, degreesOfFreedom)
      let found = place.isCentral ? central(place) : 0.5 - outer(place)
      return (probability - found, -density(t))
    }
  }

  /// The t with this tail, of at most 0.45; infinity where it is above 1e300.
  ///
  /// The search is for ln t with the logarithm of the tail. For few degrees of freedom this is
  /// almost a straight line, and for many almost a parabola; it is concave for all, so that Newton
  /// comes from above after its first step.
  private func outerQuantile(_ tail: Double, _ z: Double) -> Double {
    let (wanted, furthest) = (PortableMath.log(tail), 690.0)
    let start = PortableMath.log(z)
    guard upperTail(1e299) < tail else { return .infinity }
    let logT = RootSearch.fallingZero(from: start - 0.001, to: furthest, start: start) { logT in
      let t = PortableMath.exp(logT)
      let found = upperTail(t)
      // A tail of 0 is too far out: the search halves.
      guard found > 0 else { return (-.infinity, -1) }
      return (PortableMath.log(found) - wanted, -t * density(t) / found)
    }
    // One more step on t itself: an error of 1e-16 in ln t, which may be 690, is one of 1e-13 in t.
    let t = PortableMath.exp(logT)
    return t + (upperTail(t) - tail) / density(t)
  }
}
