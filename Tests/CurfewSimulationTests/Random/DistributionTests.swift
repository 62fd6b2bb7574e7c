import CurfewEngine
import TestRuns
import Testing

@testable import CurfewSimulation

@Suite(.inTurn) struct DistributionTests {
  private func near(_ found: Double, _ right: Double, _ error: Double = 1e-13) -> Bool {
    abs(found - right) <= error * abs(right)
  }

  // MARK: Values known from elsewhere

  @Test func `quantiles match the textbook`() {
    let ln2 = 0.693_147_180_559_945_3
    #expect(Distribution(.constant(3)).quantile(0.2) == 3)
    #expect(Distribution(.uniform(least: 2, most: 6)).quantile(0.25) == 3)
    #expect(near(Distribution(.exponential(mean: 5)).quantile(0.5), 5 * ln2))
    #expect(near(Distribution(.weibull(scale: 5, shape: 2)).quantile(0.5), 5 * ln2.squareRoot()))
    #expect(near(Distribution(.pareto(least: 3, shape: 0.5)).quantile(0.75), 48))
    #expect(near(Distribution(.logNormal(median: 7, sigma: 2)).quantile(0.5), 7))
    // e^1.281551565544600 and e^-1.281551565544600, both by mpmath.
    #expect(
      near(Distribution(.logNormal(median: 1, sigma: 1)).quantile(0.9), 3.602_224_479_279_158))
    #expect(
      near(Distribution(.logNormal(median: 1, sigma: 1)).quantile(0.1), 0.277_606_241_852_009_8))
  }

  @Test func `a median and a p90 are printed as they were given`() {
    let distribution = Distribution.logNormal(median: 30, p90: 240, atMost: 3_600)
    #expect(near(distribution.quantile(0.5), 30) && near(distribution.quantile(0.9), 240))
    #expect(near(distribution.cumulative(30), 0.5) && near(distribution.cumulative(240), 0.9))
    #expect(distribution.atMost == 3_600)
    let narrow = Distribution.logNormal(median: 30, p90: 30)
    #expect(
      narrow.quantile(0.001) == 30 && narrow.quantile(1) == 30 && narrow.cumulative(29.9) == 0
        && narrow.cumulative(30) == 1)
  }

  @Test func `means match the textbook`() {
    #expect(Distribution(.constant(3)).mean == 3)
    #expect(Distribution(.uniform(least: 2, most: 6)).mean == 4)
    #expect(Distribution(.exponential(mean: 5)).mean == 5)
    #expect(near(Distribution(.logNormal(median: 2, sigma: 1)).mean, 2 * 1.648_721_270_700_128))
    #expect(near(Distribution(.weibull(scale: 2, shape: 2)).mean, 1.772_453_850_905_516))
    #expect(near(Distribution(.weibull(scale: 2, shape: 0.5)).mean, 4))
    #expect(near(Distribution(.pareto(least: 3, shape: 1.5)).mean, 9))
    #expect(Distribution(.pareto(least: 3, shape: 1)).mean == .infinity)
    #expect(Distribution(.empirical(.init([1, 2, 6]))).mean == 3)
    #expect(
      Distribution(.constant(3), atMost: 1).mean == 3,
      "The mean is the family's, without the bounds")
  }

  // MARK: Laws

  static let families: [Distribution.Family] = [
    .uniform(least: 0, most: 9), .uniform(least: 3, most: 3.5), .exponential(mean: 1e9),
    .exponential(mean: 1e-9),
    .logNormal(median: 5, sigma: 0.1), .logNormal(median: 1e12, sigma: 2),
    .weibull(scale: 4, shape: 0.5), .weibull(scale: 4, shape: 5),
    .pareto(least: 2, shape: 1.1), .pareto(least: 1e9, shape: 6),
  ]
  static let probabilities = [
    1e-12, 1e-6, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1 - 1e-6, 1 - 0x1p-40,
  ]

  @Test(arguments: families) func `quantile and cumulative invert each other`(
    family: Distribution.Family
  ) {
    let distribution = Distribution(family)
    var last = -1.0
    for p in Self.probabilities {
      let x = distribution.quantile(p)
      #expect(x >= last && x >= 0)
      // If the least value is not 0, x itself has no digits left for a small p.
      #expect(abs(distribution.cumulative(x) - p) <= 1e-12 * p + 2e-14, "\(p)")
      last = x
    }
    let ends = (distribution.quantile(0), distribution.quantile(1))
    #expect(ends.0 <= distribution.quantile(1e-300) && ends.1 >= last)
    #expect(
      distribution.cumulative(ends.1) == 1 && distribution.cumulative(.infinity) == 1
        && distribution.cumulative(-1) == 0)
    #expect(ends.0 == 0 || distribution.cumulative(ends.0 * 0.999_999) == 0)
  }

  @Test func `small probabilities keep their digits`() {
    #expect(near(Distribution(.exponential(mean: 1)).quantile(1e-15), 1e-15, 1e-14))
    #expect(near(Distribution(.exponential(mean: 1)).cumulative(1e-15), 1e-15, 1e-14))
    #expect(near(Distribution(.weibull(scale: 1, shape: 2)).cumulative(1e-8), 1e-16, 1e-14))
    let logNormal = Distribution(.logNormal(median: 1, sigma: 1))
    #expect(near(logNormal.cumulative(logNormal.quantile(1e-15)), 1e-15, 1e-11))
  }

  @Test func `the quantiles of observed values form steps`() {
    let distribution = Distribution(.empirical(.init([4, 1, 2, 2, 9])))
    #expect(
      [0, 0.1, 0.2, 0.21, 0.6, 0.61, 0.8, 0.81, 1].map(distribution.quantile) == [
        1, 1, 1, 2, 2, 4, 4, 9, 9,
      ])
    #expect(
      [0, 0.9, 1, 1.5, 2, 3, 4, 8.9, 9, 10].map(distribution.cumulative) == [
        0, 0, 0.2, 0.2, 0.6, 0.6, 0.8, 0.8, 1, 1,
      ])
    let tenths = Distribution(.empirical(.init((1...10).map(Double.init))))
    for tenth in 1...10 { #expect(tenths.quantile(Double(tenth) / 10) == Double(tenth)) }
  }

  @Test func `bounds clamp`() {
    let distribution = Distribution(.exponential(mean: 10), atLeast: 2, atMost: 20)
    #expect([0, 0.1, 0.99, 1].map(distribution.quantile) == [2, 2, 20, 20])
    #expect(distribution.quantile(0.5) == Distribution(.exponential(mean: 10)).quantile(0.5))
    #expect(distribution.cumulative(1.999) == 0 && distribution.cumulative(20) == 1)
    #expect(distribution.cumulative(2) == Distribution(.exponential(mean: 10)).cumulative(2))
    #expect(
      distribution.cumulative(19.999) == Distribution(.exponential(mean: 10)).cumulative(19.999))
    let point = Distribution(.pareto(least: 1, shape: 1), atLeast: 5, atMost: 5)
    #expect(
      point.quantile(0.01) == 5 && point.quantile(0.99) == 5 && point.cumulative(4.9) == 0
        && point.cumulative(5) == 1)
    #expect(Distribution(.constant(100), atMost: 7).quantile(0.5) == 7)
  }

  @Test func `with the same stream, a longer mean makes each draw longer`() {
    var (short, long) = (RandomStream(RandomPath(seed: 8)), RandomStream(RandomPath(seed: 8)))
    for _ in 0..<1_000 {
      let (x, y) = (
        Distribution(.exponential(mean: 2)).draw(&short),
        Distribution(.exponential(mean: 3)).draw(&long)
      )
      #expect(near(y, 1.5 * x))
    }
    // The family in between takes one number too, so both streams draw the same numbers again.
    _ = Distribution(.constant(1)).draw(&short)
    _ = Distribution(.logNormal(median: 1, sigma: 1)).draw(&long)
    #expect(short.next() == long.next())
  }

  // MARK: Intervals

  @Test func `an interval is rounded and saturates`() {
    var stream = RandomStream(RandomPath(seed: 8))
    func interval(_ value: Double) -> Interval { Distribution(.constant(value)).interval(&stream) }
    #expect(
      interval(0) == .zero && interval(0.4) == .zero && interval(1.5) == .nanoseconds(2)
        && interval(2.5) == .nanoseconds(3))
    #expect(interval(9.2e18) == .nanoseconds(9_200_000_000_000_000_000))
    #expect(interval(0x1p63) == .nanoseconds(.max) && interval(1e300) == .nanoseconds(.max))
    #expect(interval(0x1p63.nextDown) == .nanoseconds(.max - 1_023))
    #expect(
      Distribution(.pareto(least: 1e300, shape: 1e-3)).interval(&stream) == .nanoseconds(.max))
  }

  // MARK: Invalid values

  @Test func `an invalid value is reported with the rule`() {
    #expect(
      Distribution.flaw(in: .exponential(mean: 0)) == "'mean' is 0.0; it must be finite and above 0"
    )
    #expect(
      Distribution.flaw(in: .constant(.nan))
        == "'constant' is nan; it must be finite and at least 0")
    #expect(
      Distribution.flaw(in: .uniform(least: 3, most: 2))
        == "'most' is 2.0; it must be at least 'least', 3.0")
    #expect(
      Distribution.flaw(in: .constant(1), atLeast: 5, atMost: 4)
        == "'atMost' is 4.0; it must be at least 'atLeast', 5.0")
    let flawed: [Distribution.Family] = [
      .constant(-1), .constant(.infinity), .uniform(least: -1, most: 2),
      .uniform(least: 1, most: .infinity), .exponential(mean: .nan),
      .logNormal(median: 0, sigma: 1), .logNormal(median: 1, sigma: -1),
      .weibull(scale: 0, shape: 1), .weibull(scale: 1, shape: 0),
      .pareto(least: 0, shape: 1), .pareto(least: 1, shape: .infinity),
    ]
    for family in flawed { #expect(Distribution.flaw(in: family) != nil, "\(family)") }
    for family in Self.families { #expect(Distribution.flaw(in: family) == nil, "\(family)") }
    #expect(
      Distribution.flaw(in: .constant(1), atLeast: .nan) != nil
        && Distribution.flaw(in: .constant(1), atMost: .nan) != nil)
    #expect(Distribution.flaw(in: .constant(1), atLeast: .infinity) != nil)
    #expect(
      Distribution.Observed.flaw(in: [1, -2])
        == "The value -2.0, number 2, must be finite and at least 0")
    #expect(
      Distribution.Observed.flaw(in: []) == "There are 0 values; there must be from 1 to 1000000")
    #expect(Distribution.Observed.flaw(in: [0, 1e300]) == nil)
  }

  @Test func `an invalid value traps`() async {
    await #expect(processExitsWith: .failure) { _ = Distribution(.exponential(mean: -1)) }
    await #expect(processExitsWith: .failure) { _ = Distribution.logNormal(median: 2, p90: 1) }
    await #expect(processExitsWith: .failure) { _ = Distribution.Observed([]) }
    await #expect(processExitsWith: .failure) { _ = Distribution.Observed([1, .nan]) }
    await #expect(processExitsWith: .failure) {
      _ = Distribution.Observed([Double](repeating: 1, count: 1_000_001))
    }
    await #expect(processExitsWith: .failure) { _ = Distribution(.constant(1)).quantile(1.1) }
  }
}
