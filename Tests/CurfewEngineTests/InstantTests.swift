import CurfewEngine
import Testing

@Suite struct InstantTests {
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

  @Test func `lengths in seconds and milliseconds stop at the longest there is`() {
    #expect(Interval.seconds(2) == .milliseconds(2000))
    #expect(Interval.seconds(.max) == Interval(nanoseconds: .max))
    #expect(Interval.milliseconds(.min) == Interval(nanoseconds: .min))
    #expect(Interval.seconds(9_223_372_036) < Interval.seconds(9_223_372_037))
  }

  @Test func `the names of apps and tasks are in the order of their numbers`() {
    #expect(AppID(rawValue: 1) < AppID(rawValue: 2))
    #expect(TaskID.invalid < TaskID(rawValue: 1))
  }
}
