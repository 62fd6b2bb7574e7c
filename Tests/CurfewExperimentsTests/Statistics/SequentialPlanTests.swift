import CurfewSimulation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

@Suite(.inTurn) struct SequentialPlanTests {
  private func boundaries(_ plan: SequentialPlan) -> [Double] {
    plan.nominalLevels.map { -NormalCurve.quantile($0 / 2) }
  }

  // MARK: Boundaries

  @Test(arguments: AlphaSpending.allCases) func `one look has the whole level`(
    spending: AlphaSpending
  ) {
    for level in [0.05, 0.001, 0.05 / 12] {
      let found = SequentialPlan(looks: [20], level: level, spending: spending).nominalLevels
      #expect(found.count == 1 && abs(found[0] / level - 1) < 1e-12)
    }
  }

  /// Three decimals, as in the literature on these spending functions.
  @Test func `five equal looks have the boundaries of Lan and DeMets`() {
    let found = boundaries(
      SequentialPlan(looks: [10, 20, 30, 40, 50], level: 0.05, spending: .oBrienFleming))
    for (z, expected) in zip(found, [4.877, 3.357, 2.680, 2.290, 2.031]) {
      #expect(abs(z - expected) < 0.000_6)
    }
    let likePocock = boundaries(
      SequentialPlan(looks: [10, 20, 30, 40, 50], level: 0.05, spending: .pocock))
    for (z, expected) in zip(likePocock, [2.438, 2.427, 2.410, 2.397, 2.386]) {
      #expect(abs(z - expected) < 0.000_6)
    }
  }

  @Test func `only the shares of the last look matter`() {
    let (few, many) = (
      SequentialPlan(looks: [5, 10, 20], level: 0.05),
      SequentialPlan(looks: [500, 1_000, 2_000], level: 0.05)
    )
    #expect(few.nominalLevels == many.nominalLevels)
  }

  @Test(arguments: AlphaSpending.allCases)
  func `the spent level rises from zero to the whole level`(
    spending: AlphaSpending
  ) {
    var last = 0.0
    for step in 0...100 {
      let spent = spending.spent(at: Double(step) / 100, of: 0.01)
      #expect(step == 0 ? spent == 0 : spent >= last)
      last = spent
    }
    #expect(last == 0.01 && spending.spent(at: 1.5, of: 0.01) == 0.01)
    #expect(abs(spending.spent(at: 1 - 1e-12, of: 0.01) - 0.01) < 1e-12)
  }

  // MARK: Looks

  @Test func `looks grow by the factor, and a look next to the last is left out`() {
    #expect(SequentialPlan.looks(atLeast: 5, atMost: 80, factor: 2) == [5, 10, 20, 40, 80])
    #expect(SequentialPlan.looks(atLeast: 5, atMost: 50, factor: 2) == [5, 10, 20, 50])
    #expect(SequentialPlan.looks(atLeast: 5, atMost: 60, factor: 2) == [5, 10, 20, 40, 60])
    #expect(SequentialPlan.looks(atLeast: 5, atMost: 20, factor: 1.5) == [5, 7, 11, 20])
    #expect(SequentialPlan.looks(atLeast: 2, atMost: 4, factor: 1.1) == [2, 3, 4])
    #expect(SequentialPlan.looks(atLeast: 30, atMost: 30, factor: 2) == [30])
    #expect(SequentialPlan.looks(atLeast: 5, atMost: 6, factor: 2) == [5, 6])
  }

  @Test func `invalid plans are refused`() async {
    await #expect(processExitsWith: .failure) { _ = SequentialPlan(looks: [], level: 0.05) }
    await #expect(processExitsWith: .failure) { _ = SequentialPlan(looks: [1, 5], level: 0.05) }
    await #expect(processExitsWith: .failure) { _ = SequentialPlan(looks: [5, 5], level: 0.05) }
    await #expect(processExitsWith: .failure) { _ = SequentialPlan(looks: [5, 10], level: 0.95) }
    await #expect(processExitsWith: .failure) {
      _ = SequentialPlan(looks: [5, 10], level: 0.05).interval(
        of: PairedDifferences([1, 2, 3]), at: 0)
    }
  }

  // MARK: The answer at a look

  @Test func `an interval has the look's level`() {
    let plan = SequentialPlan(looks: [4, 8], level: 0.05)
    let differences = PairedDifferences([1, 2, 4, 3])
    #expect(
      plan.interval(of: differences, at: 0) == differences.interval(level: plan.nominalLevels[0]))
    #expect(plan.verdict(on: PairedDifferences([5, 5.1, 5, 4.9]), at: 0) == .differs(.more))
  }

  @Test func `a look that has spent no error has no bounds`() {
    let plan = SequentialPlan(looks: [2, 1_000_000], level: 0.05, spending: .oBrienFleming)
    #expect(plan.nominalLevels[0] == 0)
    #expect(plan.interval(of: PairedDifferences([1, 2]), at: 0) == -.infinity ... .infinity)
    #expect(plan.verdict(on: PairedDifferences([1, 2]), at: 0, margin: 100) == .inconclusive)
    #expect(
      plan.verdict(on: PairedDifferences([0, 0]), at: 0) == .inconclusive,
      "Two equal repetitions prove nothing")
  }
}
