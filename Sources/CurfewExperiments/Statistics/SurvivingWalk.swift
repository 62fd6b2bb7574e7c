import CurfewSimulation

/// A sum of normal numbers with mean zero that is looked at now and then, and ends where it lies
/// beyond a boundary: how likely it gets there.
///
/// Between looks at n₁ and n₂ numbers the sum gains a normal quantity with the variance n₂ - n₁.
/// So the density of the sums that are still inside at a look is an integral over those inside at
/// the look before; this recursion is evaluated look after look.
///
/// Source: P. Armitage, C. K. McPherson, B. C. Rowe, "Repeated Significance Tests on Accumulating
/// Data", Journal of the Royal Statistical Society A 132 (1969), 235-244; C. Jennison, B. W.
/// Turnbull, "Group Sequential Methods with Applications to Clinical Trials" (2000), chapter 19.
/// They integrate by Simpson's rule; Gauss and Legendre's needs fewer places for more digits.
/// Boundaries have two equal sides, so only sums above zero are kept.
struct SurvivingWalk: Sendable {
  /// No normal quantity is further out than this, in standard deviations: that has the probability
  /// 2e-19. Boundaries beyond cut nothing off.
  private static var furthest: Double { 9 }

  /// The variance of the sum at the last look; 0 before the first.
  private(set) var variance = 0.0
  /// Sums above zero that are still inside at the last look, and the probability that each stands
  /// for. The same holds of their negatives. Before the first look there is one sum, which is zero:
  /// with ½ for each side.
  private var sums = [0.0]
  private var shares = [0.5]

  /// The probability that a walk gets to `variance` without having ended, and lies there more than
  /// `boundary` standard deviations from zero.
  /// - Precondition: `variance` is above that of the last look, and `boundary` is at least 0.
  /// - Complexity: O(places), some microseconds each.
  func crossing(_ boundary: Double, at variance: Double) -> Double {
    let (step, reach) = (step(to: variance), boundary * variance.squareRoot())
    var sum = 0.0
    for (from, share) in zip(sums, shares) {
      sum +=
        share
        * (NormalCurve.cumulative((from - reach) / step)
          + NormalCurve.cumulative((-from - reach) / step))
    }
    return 2 * sum
  }

  /// The boundary, in standard deviations, that is crossed at `variance` with this probability;
  /// infinity where that is 0, or too small to matter.
  /// - Precondition: `probability` is below that of getting there.
  /// - Complexity: some ten times `crossing`.
  func boundary(crossedWith probability: Double, at variance: Double) -> Double {
    guard probability > 1e-300 else { return .infinity }
    let all = crossing(0, at: variance)
    precondition(
      probability < all,
      "A boundary crossed with the probability \(probability); only \(all) get there")
    // A tail like a bell curve's is almost a parabola in its logarithm, and concave: Newton comes
    // from above after its first step.
    let wanted = PortableMath.log(probability)
    let start = -NormalCurve.quantile(probability / 2)
    return RootSearch.fallingZero(from: 0, to: 40, start: start) { boundary in
      let found = crossing(boundary, at: variance)
      guard found > 0 else { return (-.infinity, -1) }
      let slope =
        -2 * variance.squareRoot() * density(boundary * variance.squareRoot(), step(to: variance))
        / found
      return (PortableMath.log(found) - wanted, slope)
    }
  }

  /// Goes on to the look at `variance`: what lies beyond `boundary` standard deviations there
  /// has ended.
  ///
  /// - Parameter next: The variance at the look after this one, if there is one: the smaller
  ///   the step to it, the finer the places.
  /// - Complexity: O(places before · places after). There are 16 places for each two standard
  ///   deviations of the smaller step.
  mutating func goOn(to variance: Double, boundary: Double, next: Double?) {
    let step = step(to: variance)
    let scale = min(step, next.map { ($0 - variance).squareRoot() } ?? step)
    let reach = min(boundary, Self.furthest) * variance.squareRoot()
    let rule = GaussLegendre(from: 0, to: reach, panels: max(1, Int(reach / (2 * scale)) + 1))
    shares = zip(rule.places, rule.weights).map { place, weight in weight * density(place, step) }
    sums = rule.places
    self.variance = variance
  }

  /// The probability of still being inside, after the last look.
  var inside: Double { 2 * shares.reduce(0, +) }

  /// The density of the sum at the next look, which is a step with the standard deviation
  /// `step` away.
  private func density(_ place: Double, _ step: Double) -> Double {
    var sum = 0.0
    for (from, share) in zip(sums, shares) {
      let (near, far) = ((place - from) / step, (place + from) / step)
      sum += share * (PortableMath.exp(-0.5 * near * near) + PortableMath.exp(-0.5 * far * far))
    }
    return sum * 0.398_942_280_401_432_7 / step
  }

  /// The standard deviation of what the sum gains up to the next look.
  private func step(to variance: Double) -> Double {
    precondition(
      variance > self.variance,
      "A look at the variance \(variance) after one at \(self.variance); it only grows")
    return (variance - self.variance).squareRoot()
  }
}
