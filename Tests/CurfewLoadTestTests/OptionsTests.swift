import CurfewEngine
import CurfewFiles
import Testing

@testable import CurfewLoadTest

@Suite struct OptionsTests {
  @Test(
    arguments: [
      ("0.01", 1, 100, "0.01"), ("1/100", 1, 100, "0.01"), ("1", 1, 1, "1"), ("2.50", 5, 2, "2.5"), ("2/6", 1, 3, "1/3"),
      ("10", 10, 1, "10"),
      ("0.000000001", 1, 1_000_000_000, "0.000000001"),
    ] as [(String, Int64, Int64, String)])
  func `a scale is a decimal or a fraction`(text: String, numerator: Int64, denominator: Int64, written: String) throws {
    var options = try options(apps: 1)
    try options.setScale(text)
    #expect(options.scaleNumerator == numerator && options.scaleDenominator == denominator)
    #expect(options.scaleText == written)
  }

  @Test(arguments: ["", "0", "0/1", "1/0", "-1", "1e3", "1/2/3", "0.", ".5", "a", "1.2.3", "0.0000000001", "10000000000", "1/10000000000"])
  func `anything else is not`(text: String) throws {
    var options = try options(apps: 1)
    #expect(throws: Refusal.self) { try options.setScale(text) }
  }

  @Test func `deadlines round up, instants round down`() throws {
    var options = try options(apps: 1)
    try options.setScale("1/3")
    let clock = PlanClock(options)
    #expect(clock.wall(Interval(nanoseconds: 10)) == 4)
    #expect(clock.engine(3) == Instant(nanoseconds: 9))
    try options.setScale("3/2")
    #expect(PlanClock(options).engine(10) == Instant(nanoseconds: 6))
    #expect(PlanClock(options).wall(Interval(nanoseconds: .max)) == PlanClock.forever)
    try options.setScale("0.01")
    #expect(PlanClock(options).engine(.max) == .distantFuture)
    // Never early: at the wall instant of a deadline, engine time has reached it.
    for deadline in 1...1_000 as ClosedRange<Int64> {
      let clock = PlanClock(options)
      #expect(clock.engine(clock.wall(Interval(nanoseconds: deadline))).nanoseconds >= deadline)
    }
  }
}
