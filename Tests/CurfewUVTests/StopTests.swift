import CurfewEngine
import CurfewUV
import Foundation
import TestRuns
import Testing

extension RealTimeTests {
  @Suite(.inTurn) struct StopTests {
    private static let kinds: [UVClock.TimerKind] = [.best, .uvTimer]

    @Test(arguments: kinds)
    func `stop waits for the tick that is running, and none comes after it`(kind: UVClock.TimerKind)
      throws
    {
      let clock = try UVClock(timer: kind)
      let (begun, ended) = (TickCounter(), TickCounter())
      clock.start { [weak clock] in
        begun.add()
        usleep(50_000)
        clock?.arm(.zero)
        ended.add()
      }
      clock.arm(.zero)
      #expect(begun.reaches(2))
      clock.stop()
      let count = ended.count
      #expect(begun.count == count)
      clock.arm(.zero)
      usleep(100_000)
      #expect(begun.count == count)
    }

    @Test(arguments: kinds)
    func `a tick stops its own clock`(kind: UVClock.TimerKind) throws {
      let ticks = TickCounter()
      let clock = try UVClock(timer: kind)
      clock.start { [weak clock] in
        clock?.stop()
        clock?.stop()
        clock?.arm(.zero)
        ticks.add()
      }
      clock.arm(.zero)
      #expect(ticks.reaches(1))
      clock.stop()
      usleep(20_000)
      #expect(ticks.count == 1)
    }

    @Test(arguments: kinds)
    func `a tick releases the last reference to its clock`(kind: UVClock.TimerKind) throws {
      let gone = TickCounter()
      final class Holder: @unchecked Sendable {
        var clock: UVClock?
        let gone: TickCounter
        init(_ gone: TickCounter) { self.gone = gone }
        deinit { gone.add() }
      }
      var holder: Holder? = Holder(gone)
      try {
        let clock = try UVClock(timer: kind)
        holder?.clock = clock
        clock.start { [holder] in holder?.clock = nil }
        clock.arm(.zero)
      }()
      holder = nil
      #expect(gone.reaches(1))
    }

    @Test(arguments: kinds)
    func `a tick that stops another clock on the same loop ends it`(kind: UVClock.TimerKind) throws
    {
      let loop = try UVLoop()
      let (first, second) = (try UVClock(loop, timer: kind), try UVClock(loop, timer: kind))
      let (stopped, ticks) = (TickCounter(), TickCounter())
      second.start {
        ticks.add()
        usleep(1_000)
        second.arm(.zero)
      }
      first.start {
        second.stop()
        stopped.add()
      }
      second.arm(.zero)
      #expect(ticks.reaches(3))
      first.arm(.zero)
      #expect(stopped.reaches(1))
      let count = ticks.count
      usleep(50_000)
      #expect(ticks.count == count)
      first.stop()
      loop.close()
    }

    @Test(arguments: kinds)
    func `three threads stop a clock while two arm it`(kind: UVClock.TimerKind) throws {
      for _ in 0..<50 {
        let clock = try UVClock(timer: kind)
        let device = NSLock()
        let ticks = TickCounter()
        clock.start { [weak clock] in
          device.withLock { clock?.arm(.zero) }
          ticks.add()
        }
        let arming = (0..<2).map { _ in
          TestThread {
            for step in 0..<200 {
              device.withLock {
                clock.arm(step.isMultiple(of: 3) ? nil : clock.now() + .nanoseconds(Int64(step)))
              }
            }
          }
        }
        // The last of the 200 instants may have been nil.
        device.withLock { clock.arm(.zero) }
        let stopping = (0..<3).map { _ in TestThread { clock.stop() } }
        #expect((arming + stopping).allSatisfy { $0.ends() })
        let count = ticks.count
        usleep(1_000)
        #expect(ticks.count == count)
      }
    }

    @Test func `a clock stopped before its start never ticks`() throws {
      let clock = try UVClock()
      let ticks = TickCounter()
      clock.stop()
      clock.start { ticks.add() }
      clock.arm(.zero)
      usleep(20_000)
      #expect(ticks.count == 0)
      #expect(clock.armings == 0)
    }
  }
}
