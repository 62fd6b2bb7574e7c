import TestRuns
import Testing

@Suite(.inTurn) struct PairedTestPowerTests {
  /// Integrals computed to 30 digits (mpmath 1.3). Both tails count.
  private static let powers:
    [(repetitions: Int, difference: Double, level: Double, power: Double)] = [
      (20, 0.5, 0.05, 0.5645044184390202), (2, 0.5, 0.05, 0.06194860668713359),
      (2, 3, 0.01, 0.05313215921440423),
      (5, 1, 0.05, 0.4013899173717951), (5, 0, 0.05, 0.05), (40, 0.5, 0.0001, 0.1522712294669699),
      (100, 0.1, 0.05, 0.1676995471924708),
      (1000, 0.1, 0.05, 0.8847890988907137), (1000, 0.2, 0.001, 0.9987229895641466),
      (10, 20, 0.05, 1),
    ]

  private func power(_ difference: Double, _ repetitions: Int, _ level: Double = 0.05) -> Double {
    PairedTestPower.power(
      ofDifference: difference, standardDeviation: 1, repetitions: repetitions, level: level)
  }

  @Test func `the power is right to 10 digits`() {
    for (repetitions, difference, level, expected) in Self.powers {
      #expect(
        abs(power(difference, repetitions, level) / expected - 1) < 1e-10,
        "\(repetitions), \(difference), \(level)")
    }
  }

  /// `power.t.test(n = 20, delta = 0.5, sd = 1, type = "paired")` counts one tail only, which
  /// is 2e-5 less here.
  @Test func `the power agrees with R`() {
    #expect(abs(power(0.5, 20) - 0.564_482_9) < 3e-5)
  }

  @Test func `without a difference the power is the level`() {
    for repetitions in [2, 3, 10, 3_000, 1_000_000] {
      for level in [0.05, 0.001, 1e-9] {
        #expect(abs(power(0, repetitions, level) / level - 1) < 1e-9, "\(repetitions), \(level)")
      }
    }
  }

  @Test func `only the difference in standard deviations matters`() {
    let found = PairedTestPower.power(
      ofDifference: -1e9, standardDeviation: 2e9, repetitions: 20, level: 0.05)
    #expect(found == power(0.5, 20))
  }
}
