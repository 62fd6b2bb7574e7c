import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// All values were computed with 30 digits (mpmath 1.3).
@Suite(.inTurn) struct GammaDistributionTests {
  /// The value below which a variable of this shape lies with probability p.
  private static let low: [(shape: Double, p: Double, value: Double)] = [
    (0.25, 0.025, 2.63660129562999681e-7), (0.5, 0.0125, 0.000122728503979558723),
    (1, 0.025, 0.0253178079842898768),
    (2.5, 1e-6, 0.00644808010324854818), (10, 0.025, 4.79538869613243368),
    (19, 0.0125, 10.5924399117053112),
    (1e4, 0.025, 9804.95246726018315),
  ]

  /// The value above which such a variable lies with probability p.
  private static let high: [(shape: Double, p: Double, value: Double)] = [
    (1, 0.025, 3.68887945411393625), (1.5, 0.0125, 5.43065133673875834),
    (3, 1e-9, 26.6722865586501136),
    (11, 0.025, 18.3903560420177786), (20, 0.0125, 31.3323953008437004),
    (10_001, 0.025, 10_197.951624661473),
    (1.25, 0.45, 1.05994828941383528), (7.75, 0.5, 7.4193365635285085),
  ]

  private func near(_ found: Double, _ right: Double, _ error: Double = 1e-11) -> Bool {
    abs(found - right) <= error * abs(right)
  }

  @Test func `quantiles are right to 11 digits`() {
    for (shape, p, value) in Self.low {
      #expect(near(GammaDistribution(shape: shape).quantile(p), value), "\(shape), \(p)")
      #expect(near(GammaDistribution(shape: shape).cumulative(value), p), "\(shape), \(p)")
    }
    for (shape, tail, value) in Self.high {
      #expect(
        near(GammaDistribution(shape: shape).quantile(upperTail: tail), value), "\(shape), \(tail)")
      #expect(near(GammaDistribution(shape: shape).upperTail(value), tail), "\(shape), \(tail)")
    }
  }

  @Test func `the distribution with shape 1 is the exponential distribution`() {
    let exponential = GammaDistribution(shape: 1)
    for x in [0.01, 0.5, 1.9, 2.1, 30] {
      let tail = 1 / StandardExponent.power(x)
      #expect(
        near(exponential.upperTail(x), tail, 1e-13)
          && near(exponential.cumulative(x), 1 - tail, 1e-13), "\(x)")
    }
    #expect(exponential.cumulative(0) == 0 && exponential.upperTail(-1) == 1)
  }

  @Test func `an invalid shape or probability is refused`() async {
    await #expect(processExitsWith: .failure) { _ = GammaDistribution(shape: 0) }
    await #expect(processExitsWith: .failure) { _ = GammaDistribution(shape: 1).quantile(0) }
    await #expect(processExitsWith: .failure) {
      _ = GammaDistribution(shape: 1).quantile(upperTail: 0.6)
    }
  }
}

/// e to a power, computed by its series independently of the tested code.
private enum StandardExponent {
  static func power(_ x: Double) -> Double {
    (1...200).reduce((sum: 1.0, term: 1.0)) {
      ($0.sum + $0.term * x / Double($1), $0.term * x / Double($1))
    }.sum
  }
}
