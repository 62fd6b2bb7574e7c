import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// Constants of Jennison and Turnbull (2000), tables 2.1 and 2.3, for a two-sided level of 0.05.
@Suite(.inTurn) struct SurvivingWalkTests {
  /// The probability of ever crossing boundaries at looks 1, 2, … that are equally far apart.
  private func everCrosses(_ boundaries: [Double]) -> Double {
    var walk = SurvivingWalk()
    for (index, boundary) in boundaries.enumerated() {
      let look = Double(index + 1)
      walk.goOn(to: look, boundary: boundary, next: index + 1 < boundaries.count ? look + 1 : nil)
    }
    return 1 - walk.inside
  }

  /// The constant with which boundaries of this shape are crossed with probability 0.05.
  private func constant(_ shape: (Double) -> [Double]) -> Double {
    var (low, high) = (1.0, 4.0)
    for _ in 0..<40 {
      let middle = 0.5 * (low + high)
      if everCrosses(shape(middle)) > 0.05 { low = middle } else { high = middle }
    }
    return low
  }

  @Test(arguments: [(1, 1.960), (2, 2.178), (3, 2.289), (4, 2.361), (5, 2.413), (10, 2.555)])
  func `a constant boundary has Pocock's constants`(looks: Int, expected: Double) {
    #expect(abs(constant { [Double](repeating: $0, count: looks) } - expected) < 0.000_6)
  }

  @Test(arguments: [(2, 1.977), (5, 2.040), (10, 2.087)])
  func `a boundary on the sum has O'Brien's and Fleming's constants`(looks: Int, expected: Double) {
    let found = constant { last in
      (1...looks).map { last * (Double(looks) / Double($0)).squareRoot() }
    }
    #expect(abs(found - expected) < 0.000_6)
  }

  @Test func `the probabilities of crossing and of staying inside add up to one`() {
    var (walk, crossed) = (SurvivingWalk(), 0.0)
    let looks = [1.0, 1.01, 2, 30, 31, 1_000]
    for (index, look) in looks.enumerated() {
      crossed += walk.crossing(2.2, at: look)
      walk.goOn(to: look, boundary: 2.2, next: index + 1 < looks.count ? looks[index + 1] : nil)
      #expect(abs(crossed + walk.inside - 1) < 1e-12, "\(look)")
    }
  }

  @Test func `a boundary is crossed with the probability for which it was computed`() {
    var walk = SurvivingWalk()
    walk.goOn(to: 1, boundary: 2.5, next: 2)
    for probability in [1e-12, 1e-5, 0.01, 0.3, 0.9] {
      let found = walk.crossing(walk.boundary(crossedWith: probability, at: 2), at: 2)
      #expect(abs(found / probability - 1) < 1e-10)
    }
    #expect(walk.boundary(crossedWith: 0, at: 2) == .infinity)
  }
}
