import CurfewSimulation

/// The looks of an experiment and the level of each: a group sequential design.
///
/// Looking after 5, 10, 20 and 40 repetitions and stopping at the first p-value below 0.05 finds
/// a difference in one of seven experiments in which there is none. A plan gives each look its own,
/// smaller level, so that all looks together find a difference in only about the fraction `level`
/// of such experiments.
///
/// `spending` limits how much of `level` is used up at each look. `SurvivingWalk` finds
/// the boundary that uses up exactly this part, for normal data with a known variance. The look's
/// nominal level is the level of a single two-sided test with this boundary. A t test with n - 1
/// degrees of freedom then uses that level. This is the significance level approach (C. Jennison,
/// B. W. Turnbull, "Group Sequential Methods with Applications to Clinical Trials" (2000), §4.4).
///
/// For normal differences the level is nearly exact: 0.053 was measured for a level of 0.05 with
/// looks at 5, 10, 20 and 40, and `pocock`; 0.050 with `oBrienFleming`. With symmetric differences
/// that have heavy tails, the rate of false findings is at most the level. With skewed differences
/// it is higher, and an early first look makes it worse: 0.137 for exponential differences minus
/// their mean. A first look after 10 or more repetitions helps, and so does a larger fleet, whose
/// sums are closer to normal.
///
/// Two alternatives were not chosen: to divide the level by the number of looks, which ignores
/// how much data the looks share; and to use intervals that hold at all numbers of repetitions
/// simultaneously, which are wider. The decision note compares them.
package struct SequentialPlan: Sendable, Hashable {
  /// The maximum number of looks. Beyond about ten, additional looks hardly stop a sweep earlier.
  static var mostLooks: Int { 64 }
  /// The smallest factor from one look to the next: smaller steps need ever finer integrals.
  static var leastStep: Double { 1.01 }

  /// The numbers of repetitions at which the results are looked at, in increasing order. The last
  /// is the maximum number of repetitions.
  package let looks: [Int]
  /// The two-sided level of all looks together.
  package let level: Double
  /// The function by which the level is spent.
  package let spending: AlphaSpending
  /// The two-sided level of the test and the interval at each look.
  package let nominalLevels: [Double]

  /// A plan with these looks.
  ///
  /// Choose the looks before seeing any result. A plan that was fitted to results has no
  /// valid level.
  /// - Parameters:
  ///   - looks: Numbers of repetitions, at most 64 of them: the first at least 2, and each at least
  ///     1 % greater than the one before.
  ///   - level: The level, above 0 and at most 0.5. For several comparisons,
  ///     pass `Family.levelOfEach`.
  ///   - spending: The function by which the level is spent.
  /// - Complexity: below a millisecond for four looks with a factor of 2 between them, and about
  ///   a quarter of a second for 64 looks 1 % apart.
  package init(looks: [Int], level: Double, spending: AlphaSpending = .pocock) {
    Self.check(looks)
    precondition(
      level > 0 && level <= 0.5,
      "A plan with the level \(level); it must be above 0 and at most 0.5, such as 0.05")
    (self.looks, self.level, self.spending) = (looks, level, spending)
    self.nominalLevels = Self.nominalLevels(looks, level, spending)
  }

  /// A plan with a first look at `least` repetitions, and each further look at `factor` times as
  /// many, up to `most`.
  ///
  /// A look within half a step of `most` (a factor of √`factor`) is left out, because it would
  /// hardly stop a sweep earlier but would use part of the level. So 5 and 50 with a factor of 2
  /// give 5, 10, 20, 50; and 5 and 80 give 5, 10, 20, 40, 80.
  /// - Precondition: `least` is at least 2, `most` at least `least`, and `factor` at least 1.1.
  package init(
    atLeast least: Int, atMost most: Int, factor: Double = 2, level: Double,
    spending: AlphaSpending = .pocock
  ) {
    self.init(
      looks: Self.looks(atLeast: least, atMost: most, factor: factor), level: level,
      spending: spending)
  }

  static func looks(atLeast least: Int, atMost most: Int, factor: Double) -> [Int] {
    precondition(
      least >= 2 && most >= least,
      "Looks at \(least) to \(most) repetitions; give at least 2, and an upper limit that is not below the lower"
    )
    precondition(
      factor >= 1.1 && factor < .infinity,
      "Looks at \(factor) times as many repetitions; give a factor of at least 1.1")
    var looks = [least]
    var next = Double(least) * factor
    while next * factor.squareRoot() <= Double(most) {
      // A factor near 1 may give the same whole number again.
      if Int(next) > looks[looks.count - 1] { looks.append(Int(next)) }
      next *= factor
    }
    if most > looks[looks.count - 1] { looks.append(most) }
    return looks
  }

  private static func check(_ looks: [Int]) {
    precondition(
      !looks.isEmpty && looks.count <= mostLooks,
      "A plan with \(looks.count) looks; give 1 to \(mostLooks)")
    precondition(
      looks[0] >= 2, "A first look at \(looks[0]) repetitions; an interval needs at least 2")
    for (before, look) in zip(looks, looks.dropFirst()) {
      precondition(
        Double(look) >= Double(before) * leastStep,
        "A look at \(look) repetitions after one at \(before); the next must be at least 1 % more")
    }
  }

  private static func nominalLevels(_ looks: [Int], _ level: Double, _ spending: AlphaSpending)
    -> [Double]
  {
    var walk = SurvivingWalk()
    var (spent, levels) = (0.0, [Double]())
    for (index, look) in looks.enumerated() {
      let share = Double(look) / Double(looks[looks.count - 1])
      let allowed = spending.spent(at: share, of: level)
      let boundary = walk.boundary(crossedWith: allowed - spent, at: share)
      levels.append(boundary < .infinity ? 2 * NormalCurve.cumulative(-boundary) : 0)
      spent = allowed
      guard index + 1 < looks.count else { break }
      walk.goOn(
        to: share, boundary: boundary,
        next: Double(looks[index + 1]) / Double(looks[looks.count - 1]))
    }
    return levels
  }
}
