import CurfewEngine
import TestRuns
import Testing

@Suite(.inTurn) struct InstantTests {
  @Test func `sums and differences stop at both ends of time instead of wrapping`() {
    let forever = Interval(nanoseconds: .max)
    let never = Interval(nanoseconds: .min)
    let first = Instant(nanoseconds: .min)
    #expect(Instant.distantFuture + .nanoseconds(1) == .distantFuture)
    #expect(Instant.distantFuture + forever == .distantFuture)
    #expect(first + .nanoseconds(-1) == first)
    #expect(first - .nanoseconds(1) == first)
    #expect(Instant.distantFuture - .nanoseconds(-1) == .distantFuture)
    #expect(Instant.distantFuture - first == forever)
    #expect(first - Instant.distantFuture == never)
    #expect(Instant.zero + .nanoseconds(7) - .nanoseconds(3) == Instant(nanoseconds: 4))
  }

  @Test func `lengths in seconds and milliseconds stop at the maximum`() {
    #expect(Interval.seconds(2) == .milliseconds(2000))
    #expect(Interval.seconds(.max) == Interval(nanoseconds: .max))
    #expect(Interval.milliseconds(.min) == Interval(nanoseconds: .min))
    #expect(Interval.seconds(9_223_372_036) < Interval.seconds(9_223_372_037))
  }

  @Test
  func `instants and lengths are printed in exact seconds, and a code as in crash reports`() {
    #expect(
      "\(Instant.zero) \(Instant.zero + .seconds(25)) \(Instant(nanoseconds: 8_000_000_001))"
        == "0s 25s 8.000000001s")
    #expect(
      "\(Interval.milliseconds(250)) \(Interval.milliseconds(-1_500)) \(Interval.nanoseconds(10))"
        == "0.25s -1.5s 0.00000001s")
    #expect(
      "\(Instant.distantFuture) \(Interval(nanoseconds: .min))"
        == "9223372036.854775807s -9223372036.854775808s")
    #expect(
      "\(TerminationCode(rawValue: 0x8bad_f00d)) \(TerminationCode(rawValue: 0xd))"
        == "0x8badf00d 0xd")
  }

  @Test func `the names of apps and tasks are in the order of their numbers`() {
    #expect(AppID(rawValue: 1) < AppID(rawValue: 2))
    #expect(TaskID.invalid < TaskID(rawValue: 1))
  }
}
