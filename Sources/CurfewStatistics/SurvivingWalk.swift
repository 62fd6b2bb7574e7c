import CurfewSimulation

/// The probability that a sum of normal variables with mean zero crosses a boundary at one
/// of several looks. The sum ends at the first look at which it lies beyond the boundary.
///
/// Between looks at n₁ and n₂ numbers, the sum changes by a normal variable with the variance n₂ -
/// n₁. So the density of the sums that are still inside at a look is an integral over the sums
/// inside at the look before. This recursion is evaluated look by look.
///
/// Source: P. Armitage, C. K. McPherson, B. C. Rowe, "Repeated Significance Tests on Accumulating
/// Data", Journal of the Royal Statistical Society A 132 (1969), 235-244; C. Jennison, B. W.
/// Turnbull, "Group Sequential Methods with Applications to Clinical Trials" (2000), chapter 19.
/// They use Simpson's rule; Gauss–Legendre quadrature gives more digits with fewer places.
/// Boundaries are symmetric, so only sums above zero are kept.
struct SurvivingWalk: Sendable {
  /// The greatest distance that is integrated, in standard deviations. A normal variable lies
  /// further out with probability 2e-19, so a boundary beyond this distance has no effect.
  private static var furthest: Double { 9 }

  /// The variance of the sum at the last look; 0 before the first.
  private(set) var variance = 0.0
  /// The sums above zero that are still inside at the last look; `shares` has the probability that
  /// each represents. Their negatives have the same probabilities. Before the first look the
  /// only sum is 0; its probability counts half here, half among the negatives.
  private var sums = [0.0]
  private var shares = [0.5]

  /// The probability that a walk reaches `variance` without having ended, and lies more than
  /// `boundary` standard deviations from zero there.
  /// - Precondition: `variance` is above that of the last look, and `boundary` is at least 0.
  /// - Complexity: O(places), a few microseconds each.
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
  /// infinity if the probability is 0, or too small to matter.
  /// - Precondition: `probability` is below the probability of reaching `variance`.
  /// - Complexity: about ten times `crossing`.
  func boundary(crossedWith probability: Double, at variance: Double) -> Double {
    guard probability > 1e-300 else { return .infinity }
    let all = crossing(0, at: variance)
    precondition(
      probability < all,
      "The crossing probability \(probability) is not below \(all), the probability of reaching the variance"
    )
    // The density falls off like a normal curve, so the logarithm of its tail is concave and
    // almost a parabola. Newton's method therefore approaches from above after its first step.
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

  /// Advances to the look at `variance`. Sums beyond `boundary` standard deviations end there.
  ///
  /// - Parameter next: The variance at the look after this one, if there is one. A smaller step
  ///   to that look needs more closely spaced places.
  /// - Complexity: O(places before · places after). There are 16 places for every two standard
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

  /// The probability that the sum is still inside after the last look.
  var inside: Double { 2 * shares.reduce(0, +) }

  /// The density of the sum at the next look, after a step with the standard deviation `step`.
  private func density(_ place: Double, _ step: Double) -> Double {
    var sum = 0.0
    for (from, share) in zip(sums, shares) {
      let (near, far) = ((place - from) / step, (place + from) / step)
      sum += share * (PortableMath.exp(-0.5 * near * near) + PortableMath.exp(-0.5 * far * far))
    }
    return sum * 0.398_942_280_401_432_7 / step
  }

  /// The standard deviation of the sum's change up to the look at `variance`.
  private func step(to variance: Double) -> Double {
    precondition(
      variance > self.variance,
      "The look at the variance \(variance) must come after the look at \(self.variance)")
    return (variance - self.variance).squareRoot()
  }
}
