import CurfewExperiments
import TestRuns
import Testing

@testable import CurfewStatistics

@Suite(.inTurn) struct VerdictTests {
  private let some = PairedDifferences([1, 2])

  private func verdict(_ interval: ClosedRange<Double>?, margin: Double? = nil) -> Verdict {
    Verdict(on: some, interval: interval, margin: margin)
  }

  @Test func `each row of the table gives its verdict`() {
    #expect(verdict(0.5...3) == .differs(.more) && verdict(-3 ... -0.5) == .differs(.less))
    #expect(
      verdict(0.5...3, margin: 2) == .differs(.more)
        && verdict(-3 ... -2.5, margin: 2) == .differs(.less))
    #expect(
      verdict(0.5...1, margin: 2) == .differsWithinMargin(.more)
        && verdict(-1 ... -0.5, margin: 2) == .differsWithinMargin(.less))
    #expect(verdict(-1...1, margin: 2) == .sameWithinMargin)
    #expect(verdict(-1...1) == .inconclusive && verdict(-1...3, margin: 2) == .inconclusive)
    #expect(verdict(nil) == .inconclusive && verdict(nil, margin: 2) == .inconclusive)
  }

  @Test func `an interval that ends at zero contains it, and one that ends at the margin matters`()
  {
    #expect(verdict(0...1) == .inconclusive && verdict(-1...0) == .inconclusive)
    #expect(
      verdict(-1...2, margin: 2) == .inconclusive && verdict(-2...1, margin: 2) == .inconclusive)
    #expect(verdict(1...2, margin: 2) == .differs(.more))
  }

  @Test func `only zeros are identical`() {
    let zeros = PairedDifferences([0, 0, -0.0])
    #expect(Verdict(on: zeros, interval: zeros.interval(level: 0.05), margin: nil) == .identical)
    #expect(Verdict(on: zeros, interval: zeros.interval(level: 0.05), margin: 1) == .identical)
    let ones = PairedDifferences([1, 1, 1, 1, 1, 1])
    #expect(Verdict(on: ones, interval: ones.interval(level: 0.05), margin: nil) == .differs(.more))
    let cancelling = PairedDifferences([1, -1])
    #expect(
      Verdict(on: cancelling, interval: cancelling.interval(level: 0.05), margin: nil)
        == .inconclusive)
    for few in [PairedDifferences([0]), PairedDifferences([0, 0])] {
      #expect(Verdict(on: few, interval: few.interval(level: 0.05), margin: nil) == .inconclusive)
    }
    #expect(Verdict(on: PairedDifferences(), interval: nil, margin: nil) == .inconclusive)
  }

  @Test func `a verdict reports a difference if and only if the interval excludes zero`() {
    for low in stride(from: -3.0, through: 3, by: 0.5) {
      for width in [0, 0.25, 1, 4] {
        for margin in [nil, 0.3, 2] {
          let interval = low...(low + width)
          let found = verdict(interval, margin: margin)
          #expect((found.direction != nil) == !interval.contains(0), "\(interval)")
          #expect(found.isDecided == (found != .inconclusive))
        }
      }
    }
  }

  @Test func `the comparisons of a family share its level`() {
    #expect(
      Family(comparisons: 1).levelOfEach == 0.05
        && Family(comparisons: 10, level: 0.1).levelOfEach == 0.01)
  }

  @Test func `a margin of zero and an empty family are refused`() async {
    await #expect(processExitsWith: .failure) {
      _ = Verdict(on: PairedDifferences([1, 2]), interval: nil, margin: 0)
    }
    await #expect(processExitsWith: .failure) { _ = Family(comparisons: 0) }
  }
}
