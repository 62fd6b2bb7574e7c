import Curfew
import CurfewEngine
import CurfewUV
import Foundation
import TestRuns
import Testing

extension RealTimeTests {
  @Suite(.inTurn) struct UVClockTests {
    private static let kinds: [UVClock.TimerKind] = [.best, .uvTimer]

    private func milliseconds(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

    @Test(arguments: kinds)
    func `another thread moves the deadline earlier`(kind: UVClock.TimerKind) throws {
      let clock = try UVClock(timer: kind)
      let ticks = TickCounter()
      clock.start { ticks.add() }
      clock.arm(milliseconds(3_600_000))
      usleep(20_000)
      #expect(TestThread { clock.arm(.zero + .milliseconds(50)) }.ends())
      #expect(ticks.reaches(1))
      #expect(clock.now() >= milliseconds(50))
      clock.stop()
      #expect(ticks.count == 1)
      #expect(clock.wakeUps == 1)
      #expect(clock.armings == 2)
    }

    @Test(arguments: kinds)
    func `a deadline moved later does not fire at the earlier one`(kind: UVClock.TimerKind) throws {
      let clock = try UVClock(timer: kind)
      let ticks = TickCounter()
      clock.start { ticks.add() }
      clock.arm(milliseconds(100))
      clock.arm(milliseconds(300))
      #expect(ticks.reaches(1))
      #expect(clock.now() >= milliseconds(300))
      clock.stop()
      #expect(clock.wakeUps == 1)
    }

    @Test(arguments: kinds)
    func `a clock that starts later goes on from there, and no deadline is early`(
      kind: UVClock.TimerKind
    ) throws {
      let start = Instant.zero + .seconds(3_600)
      let clock = try UVClock(startingAt: start, source: .boottime, timer: kind)
      let ticks = TickCounter()
      clock.start { ticks.add() }
      #expect(clock.startInstant == start && clock.now() >= start)
      #expect(clock.now() < start + .seconds(600))
      clock.arm(start + .milliseconds(50))
      #expect(ticks.reaches(1))
      #expect(clock.now() >= start + .milliseconds(50))
      // A deadline before the start has passed.
      clock.arm(.zero + .seconds(5))
      #expect(ticks.reaches(2))
      clock.stop()
      #expect(clock.wallInstant(of: .distantFuture) == nil)
    }

    @Test(arguments: kinds)
    func `a clock that is not armed never wakes up`(kind: UVClock.TimerKind) throws {
      let clock = try UVClock(timer: kind)
      let ticks = TickCounter()
      clock.start { ticks.add() }
      for never in [nil, Instant.distantFuture, Instant(nanoseconds: .max - 1)] {
        clock.arm(clock.now() + .milliseconds(200))
        clock.arm(never)
      }
      sleep(1)
      #expect(clock.wakeUps == 0)
      #expect(ticks.count == 0)
      clock.arm(clock.now() + .milliseconds(1))
      #expect(ticks.reaches(1))
      clock.stop()
      #expect(clock.wakeUps == 1)
    }

    @Test(arguments: kinds)
    func `a deadline that has passed ticks at once each time it is armed`(
      kind: UVClock.TimerKind
    ) throws {
      let clock = try UVClock(timer: kind)
      let ticks = TickCounter()
      clock.start { ticks.add() }
      for count in 1...20 {
        clock.arm(count.isMultiple(of: 2) ? .zero : Instant(nanoseconds: -5))
        #expect(ticks.reaches(count))
      }
      clock.stop()
      #expect(ticks.count == 20)
    }

    @Test(arguments: kinds)
    func `a clock armed before the start ticks after it`(kind: UVClock.TimerKind) throws {
      let clock = try UVClock(timer: kind)
      clock.arm(.zero)
      let ticks = TickCounter()
      clock.start { ticks.add() }
      #expect(ticks.reaches(1))
      clock.stop()
    }

    @Test func `engine time is the wall time since the start, at the clock's scale`() throws {
      let clock = try UVClock(scale: #require(TimeScale("0.001")))
      usleep(50_000)
      clock.start {}
      let wall = clock.wallNow()
      let engine = clock.now()
      let later = clock.wallNow()
      #expect(engine >= clock.scale.engine(atWall: wall))
      #expect(engine <= clock.scale.engine(atWall: later))
      usleep(20_000)
      #expect(clock.wallNow() >= later + 20_000_000)
      clock.stop()
    }

    @Test func `a clock reports its source and its precision`() throws {
      #expect(try UVClock().name == "monotonic")
      #expect(try UVClock(source: .boottime).name == "boottime")
      let fallback = try UVClock(timer: .uvTimer)
      #expect(fallback.timerKind == .uvTimer)
      #expect(fallback.resolution == .milliseconds(1))
      #expect(
        fallback.notice
          == "As requested, deadlines are kept by uv_timer, rounded up to whole milliseconds")
      #if os(Linux)
        for kind in [UVClock.TimerKind.best, .timerfd] {
          let clock = try UVClock(timer: kind)
          #expect(clock.timerKind == .timerfd)
          #expect(clock.resolution == .nanoseconds(1))
          #expect(clock.notice == nil)
        }
      #else
        let clock = try UVClock()
        #expect(clock.timerKind == .uvTimer)
        #expect(clock.notice != nil)
        #expect(throws: UVError.self) { try UVClock(timer: .timerfd) }
      #endif
    }

    @Test func `a clock is started once`() async {
      await #expect(processExitsWith: .failure) {
        let clock = try UVClock()
        clock.start {}
        clock.start {}
      }
    }
  }
}
