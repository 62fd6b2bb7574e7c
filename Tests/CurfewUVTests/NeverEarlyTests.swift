import CurfewEngine
import CurfewUV
import Foundation
import TestRuns
import TestSupport
import Testing

extension RealTimeTests {
  @Suite(.inTurn) struct NeverEarlyTests {
    /// Deadlines within `span` of wall time, some of them equal, some a nanosecond apart.
    private func deadlines(_ count: Int, within span: Int64, _ scale: TimeScale) -> [Instant] {
      var random = SeededGenerator(seed: 17)
      let last = scale.engine(atWall: span).nanoseconds
      var chosen = (0..<count / 2).map { _ in Int64.random(in: 0...last, using: &random) }
      chosen += chosen.map { $0 + Int64.random(in: 0...2, using: &random) }
      return chosen.sorted().map { Instant(nanoseconds: $0) }
    }

    private func expectInTime(_ list: AlarmedList, _ deadlines: [Instant]) {
      #expect(list.run(), "Not all fired")
      #expect(list.firings.map(\.deadline) == deadlines)
      let scale = list.clock.scale
      for firing in list.firings {
        let due = firing.deadline.nanoseconds.multipliedFullWidth(by: scale.numerator)
        let passed = firing.wall.multipliedFullWidth(by: scale.denominator)
        #expect((passed.high, passed.low) >= (due.high, due.low), "\(firing) at \(scale)")
      }
      // The clock may not rely on the list's own reading of the time.
      #expect(list.emptyTicks == 0)
      #expect(list.clock.wakeUps <= deadlines.count)
      #expect(list.clock.armings <= deadlines.count + 1)
    }

    @Test(
      arguments: ["1", "0.01", "2.5", "0.000001", "1000000", "0.333333333333"],
      UVClock.Source.allCases)
    func `a thousand deadlines fire once each, in order, and none early`(
      scale: String, source: UVClock.Source
    ) throws {
      let scale = try #require(TimeScale(scale))
      let deadlines = deadlines(1_000, within: 300_000_000, scale)
      expectInTime(AlarmedList(try UVClock(source: source, scale: scale), deadlines), deadlines)
    }

    @Test(arguments: ["1", "0.01", "2.5"], UVClock.Source.allCases)
    func `libuv's own timer is not early either`(scale: String, source: UVClock.Source) throws {
      let scale = try #require(TimeScale(scale))
      let deadlines = deadlines(400, within: 300_000_000, scale)
      expectInTime(
        AlarmedList(try UVClock(source: source, timer: .uvTimer, scale: scale), deadlines),
        deadlines)
    }

    @Test func `a clock that another's tick sets to later ticks then, and only then`() throws {
      let loop = try UVLoop()
      let (first, second) = (try UVClock(loop), try UVClock(loop))
      let blocker = try UVClock(loop)
      let later = Instant.zero + .milliseconds(200)
      let (early, late) = (TickCounter(), TickCounter())
      for (clock, other) in [(first, second), (second, first)] {
        clock.start {
          guard clock.now() < later else { return late.add() }
          early.add()
          other.arm(later)
        }
      }
      // Both timers fire before the loop goes on, so it finds both of them at once.
      blocker.start { usleep(60_000) }
      for clock in [first, second] { clock.arm(.zero + .milliseconds(30)) }
      blocker.arm(.zero)
      #expect(late.reaches(1))
      #expect(early.count <= 1)
      for clock in [first, second, blocker] { clock.stop() }
      loop.close()
    }

    @Test func `the armed wall instant is the first at which the deadline is due`() throws {
      let clock = try UVClock(scale: #require(TimeScale("0.37")))
      for deadline in [1, 999, 30_000_000_001, 1 << 60].map({ Instant(nanoseconds: $0) }) {
        let wall = try #require(clock.wallInstant(of: deadline)) - clock.origin
        #expect(clock.scale.engine(atWall: wall) >= deadline)
        #expect(clock.scale.engine(atWall: wall - 1) < deadline)
      }
      #expect(clock.wallInstant(of: .distantFuture) == nil)
      #expect(
        try UVClock(scale: #require(TimeScale("1000000"))).wallInstant(
          of: Instant(nanoseconds: .max / 2)) == nil)
      #expect(try UVClock().wallInstant(of: Instant(nanoseconds: .max - 1)) == nil)
    }
  }
}
