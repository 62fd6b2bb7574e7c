import TestRuns
import Testing

@testable import CurfewSimulation

/// Tests whether draws follow `cumulative`. `DistributionTests` checks the formulas of `cumulative`
/// and `quantile` against known values.
@Suite(.inTurn) struct DistributionFitTests {
  static let continuous: [Distribution] = [
    Distribution(.uniform(least: 3, most: 8)), Distribution(.exponential(mean: 2e9)),
    Distribution(.logNormal(median: 5, sigma: 1.3)),
    .logNormal(median: 2, p90: 9), Distribution(.weibull(scale: 4, shape: 0.6)),
    Distribution(.weibull(scale: 1e9, shape: 3)),
    Distribution(.pareto(least: 2, shape: 1.2)), Distribution(.pareto(least: 1e6, shape: 0.4)),
  ]

  @Test(arguments: continuous) func `draws fit the distribution`(distribution: Distribution) {
    for seed in 1...2 as ClosedRange<UInt64> {
      var stream = RandomStream(seed: seed, device: 0, app: 0, purpose: 9)
      let failure = StatisticalCheck.unevenness(
        (0..<100_000).map { _ in distribution.cumulative(distribution.draw(&stream)) })
      #expect(failure == nil, "seed \(seed)")
    }
  }

  @Test func `draws of a slightly different distribution do not fit`() {
    for (drawn, taken) in [
      (Distribution(.exponential(mean: 1)), Distribution(.exponential(mean: 1.03))),
      (
        Distribution(.logNormal(median: 5, sigma: 1)),
        Distribution(.logNormal(median: 5, sigma: 1.04))
      ),
      (Distribution(.weibull(scale: 1, shape: 2)), Distribution(.weibull(scale: 1, shape: 2.05))),
    ] {
      var stream = RandomStream(seed: 1, device: 0, app: 0, purpose: 9)
      #expect(
        StatisticalCheck.unevenness(
          (0..<100_000).map { _ in taken.cumulative(drawn.draw(&stream)) }) != nil)
    }
  }

  @Test func `observed values are drawn as often as they were observed`() {
    let distribution = Distribution(.empirical(.init([9, 1, 4, 4, 0, 4, 7.5, 1, 100, 12])))
    let (values, shares) = (
      [0, 1, 4, 7.5, 9, 12, 100] as [Double], [0.1, 0.2, 0.3, 0.1, 0.1, 0.1, 0.1]
    )
    for seed in 1...3 as ClosedRange<UInt64> {
      var stream = RandomStream(seed: seed, device: 0, app: 0, purpose: 9)
      var counts = [Int](repeating: 0, count: values.count)
      for _ in 0..<50_000 {
        let value = distribution.draw(&stream)
        // A value that is not in the list would trap here.
        counts[values.firstIndex(of: value)!] += 1
      }
      #expect(StatisticalCheck.misfit(counts, shares) == nil, "seed \(seed)")
    }
  }

  @Test func `values beyond a bound are set to the bound`() {
    let distribution = Distribution(.exponential(mean: 10), atLeast: 2, atMost: 20)
    let free = Distribution(.exponential(mean: 10))
    let (below, above) = (free.cumulative(2), 1 - free.cumulative(20))
    for seed in 1...3 as ClosedRange<UInt64> {
      var stream = RandomStream(seed: seed, device: 0, app: 0, purpose: 9)
      var (counts, least, greatest) = ([0, 0, 0], Double.infinity, 0.0)
      for _ in 0..<50_000 {
        let value = distribution.draw(&stream)
        counts[value <= 2 ? 0 : value >= 20 ? 2 : 1] += 1
        (least, greatest) = (min(least, value), max(greatest, value))
      }
      #expect(least == 2 && greatest == 20)
      #expect(
        StatisticalCheck.misfit(counts, [below, 1 - below - above, above]) == nil, "seed \(seed)")
    }
  }

  @Test func `the mean of many draws is close to the distribution's mean`() {
    for distribution in Self.continuous where distribution.mean < .infinity {
      // A Pareto variable with the shape 1.2 has a mean but no variance, so sample means converge
      // too slowly to be compared.
      if case .pareto = distribution.family { continue }
      var stream = RandomStream(seed: 3, device: 0, app: 0, purpose: 9)
      let draws = (0..<50_000).map { _ in distribution.draw(&stream) }
      let mean = draws.reduce(0, +) / 50_000
      let variance = draws.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 50_000
      #expect(
        abs(mean - distribution.mean) < 4 * (variance / 50_000).squareRoot(),
        "\(distribution.family)")
    }
  }
}
