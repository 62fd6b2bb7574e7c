import TestRuns
import Testing

@testable import CurfewEngine

/// Fetch times under policies that do not double the interval after bad results (rule W3).
@Suite(.inTurn) struct SpacingTests {
  private static let app = AppID(rawValue: 0)

  /// An app in the background that asks for the shortest interval from 100 s on and always
  /// returns `result`.
  private static func host(_ schedule: WakeSchedule, _ result: WakeResult = .noData) -> TestHost {
    let policy = Policy.ios13.with { $0.wakes[.fetch]?.schedule = schedule }
    var host = TestHost(policy, apps: [Manifest(backgroundModes: .fetch)])
    host.reaction = { action in
      if case .wakeBegan(let app, let wake) = action {
        [.completeWake(app, WakeChoice(id: wake.id), result)]
      } else {
        []
      }
    }
    host.tell(.launch(app), at: 0)
    host.tell(.home(nil), at: 100)
    host.tell(.launch(app), at: 100)
    host.tell(.setInterval(app, .fetch, .zero), at: 100)
    host.tell(.home(nil), at: 100)
    _ = host.takeLines()
    return host
  }

  /// The times of fetches.
  private static func fetches(_ lines: [String]) -> [String] {
    lines.filter { $0.hasSuffix("wake fetch") }.map { String($0.prefix { $0 != " " }) }
  }

  @Test func `W3 a factor of 1 point 2 is exact, and a part of a nanosecond is rounded up`() {
    // Intervals of 1000, 1200, 1440 and 1728 s, from 100 s on.
    var host = SpacingTests.host(
      WakeSchedule(
        minimumInterval: .seconds(1000), greatestBackoff: 1000,
        backoffFactor: ScaleFactor(millionths: 1_200_000)))
    host.run(to: 6000)
    #expect(SpacingTests.fetches(host.takeLines()) == ["1100s", "2300s", "3740s", "5468s"])
    // The first interval is 1000 s and 3 ns. The third is 1.44 times as long: 1440 s and 4.32 ns.
    host = SpacingTests.host(
      WakeSchedule(
        minimumInterval: .nanoseconds(1_000_000_000_003), greatestBackoff: 1000,
        backoffFactor: ScaleFactor(millionths: 1_200_000)))
    host.run(to: 4000)
    #expect(
      SpacingTests.fetches(host.takeLines()) == [
        "1100000000003ns", "2300000000007ns", "3740000000012ns",
      ])
  }

  @Test func `W3 the factor stops at its greatest value, and new data resets it`() {
    // Intervals of 1000, 1500 and 2000 s, and no longer ones.
    let schedule = WakeSchedule(
      minimumInterval: .seconds(1000), greatestBackoff: 2,
      backoffFactor: ScaleFactor(millionths: 1_500_000))
    var host = SpacingTests.host(schedule)
    host.run(to: 7000)
    #expect(SpacingTests.fetches(host.takeLines()) == ["1100s", "2600s", "4600s", "6600s"])
    host.tell(.deliver(SpacingTests.app, .fetch), at: 7000)
    host.reaction = { _ in [] }
    host.tell(.deliver(SpacingTests.app, .fetch), at: 7001)
    host.tell(.completeWake(SpacingTests.app, WakeChoice(), .newData), at: 7002)
    _ = host.takeLines()
    host.run(to: 7600)
    #expect(SpacingTests.fetches(host.takeLines()) == ["7600s"])
  }

  @Test
  func
    `W3 each run without use lengthens the interval, whatever its result, and use resets it`()
  {
    let schedule = WakeSchedule(
      minimumInterval: .seconds(1000), greatestBackoff: 1000,
      backoffFactor: ScaleFactor(millionths: 1_200_000), backoffGrowth: .runs,
      backoffReset: .use)
    var host = SpacingTests.host(schedule, .newData)
    // A delivered fetch is not one of the system's own.
    host.tell(.deliver(SpacingTests.app, .fetch), at: 200)
    host.run(to: 5000)
    #expect(SpacingTests.fetches(host.takeLines()) == ["200s", "1100s", "2300s", "3740s"])
    // The interval after the last fetch would end at 4740 s, which is past, so it counts from
    // the use.
    host.tell(.launch(SpacingTests.app), at: 5000)
    host.tell(.home(nil), at: 5010)
    host.run(to: 8300)
    #expect(SpacingTests.fetches(host.takeLines()) == ["6000s", "7200s"])
  }

  /// Used at 0 s, 100 s and 40,000 s, so uses are expected at 86,400 s, 86,500 s and 126,400 s.
  private static func predicting(_ schedule: WakeSchedule) -> TestHost {
    var host = SpacingTests.host(schedule)
    host.tell(.launch(app), at: 40_000)
    host.tell(.home(nil), at: 40_010)
    return host
  }

  @Test
  func
    `W3 fetches precede predicted uses instead of following the interval, which returns when none is left`()
  {
    var host = SpacingTests.predicting(
      WakeSchedule(minimumInterval: .seconds(900), leadToUse: .seconds(300)))
    host.run(to: 130_000)
    // Starts are 300 s before each use. After the fetch for the first use the next may come at
    // 87,000 s, too late for the second. From 126,100 s on no use is predicted, and the interval
    // is 900 s.
    #expect(
      SpacingTests.fetches(host.takeLines()) == [
        "86100s", "126100s", "127000s", "127900s", "128800s", "129700s",
      ])
  }

  @Test
  func
    `W3 a fetch takes the last opportunity before the lead, or the first one if that is too soon`()
  {
    // The lead begins at 86,400 s − 300 s = 86,100 s, and the last multiple of 900 s before it is
    // 85,500 s. The next fetch may come 14,400 s later, at 99,900 s, too late for the use at
    // 86,500 s. The last multiple of 900 s before 126,100 s is 126,000 s.
    var host = SpacingTests.predicting(
      WakeSchedule(
        minimumInterval: .seconds(14_400), alignment: .seconds(900), leadToUse: .seconds(300)))
    host.run(to: 130_000)
    #expect(SpacingTests.fetches(host.takeLines()) == ["85500s", "126000s"])
  }

  @Test func `W3 a use is served once, however much longer the lead is than the interval`() {
    // 86,400 s − 1000 s = 85,400 s is a multiple of the alignment; so is 86,500 s − 1000 s =
    // 85,500 s. No other fetch comes until the second use.
    var host = SpacingTests.host(
      WakeSchedule(
        minimumInterval: .seconds(50), alignment: .seconds(100), leadToUse: .seconds(1000)))
    host.run(to: 86_650)
    #expect(SpacingTests.fetches(host.takeLines()) == ["85400s", "85500s", "86500s", "86600s"])
  }

  @Test func `W3 the ninth use replaces the first`() {
    var host = SpacingTests.host(
      WakeSchedule(minimumInterval: .seconds(900), leadToUse: .seconds(300)))
    for second in 0..<7 as Range<Int64> {
      host.tell(.launch(SpacingTests.app), at: 50_000 + 1000 * second)
      host.tell(.home(nil), at: 50_001 + 1000 * second)
    }
    _ = host.takeLines()
    // The use at 0 s is forgotten, so the next fetch comes before 86,500 s, predicted from 100 s.
    host.run(to: 86_300)
    #expect(SpacingTests.fetches(host.takeLines()) == ["86200s"])
    // The next expected use is predicted from 50,000 s.
    host.run(to: 136_100)
    #expect(SpacingTests.fetches(host.takeLines()) == ["136100s"])
  }

  @Test func `W3 an engine whose policy predicts nothing records no use`() {
    let host = SpacingTests.host(WakeSchedule(minimumInterval: .seconds(900), backoffReset: .use))
    #expect(host.engine.schedules.openings.count == 0)
    let other = SpacingTests.host(
      WakeSchedule(minimumInterval: .seconds(900), leadToUse: .seconds(1)))
    #expect(other.engine.schedules.openings.count == 2)
  }

  @Test func `a product saturates, and is exact if it fits`() {
    let factor = ScaleFactor(millionths: 1_200_000)
    #expect(Interval.nanoseconds(.max).times(.one) == .nanoseconds(.max))
    #expect(Interval.nanoseconds(.max).times(factor) == .nanoseconds(.max))
    #expect(Interval.nanoseconds(.max / 6 * 5).times(factor) == .nanoseconds(.max / 6 * 6))
    #expect(
      Interval.nanoseconds(1).times(factor) == .nanoseconds(2)
        && Interval.zero.times(factor) == .zero)
    #expect(factor.times(factor, atMost: ScaleFactor(1000)) == ScaleFactor(millionths: 1_440_000))
    #expect(
      ScaleFactor(4000).times(ScaleFactor(4000), atMost: ScaleFactor(4294)) == ScaleFactor(4294))
    #expect(
      ScaleFactor(millionths: 1_000_001).times(ScaleFactor(millionths: 1_000_001), atMost: .two)
        == ScaleFactor(millionths: 1_000_002))
  }
}
