#if os(Linux)
  import CurfewUV
  import Foundation
  import Testing
  import TestSupport

  extension RealTimeTests {
    @Suite struct ContestantTests {
      /// The current instant of the contestants' clock.
      private func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      }

      /// Tasks of whole milliseconds that begin within the next 200 ms, in the order of their ends.
      private func tasks(_ count: Int) -> (deadlines: [Int64], begins: [Int64]) {
        var random = SeededGenerator(seed: 3)
        let start = now() + 20_000_000
        let tasks = (0..<count).map { _ in
          let begin = start + Int64.random(in: 0..<200_000_000, using: &random)
          return (
            begin: begin, deadline: begin + Int64.random(in: 10...100, using: &random) * 1_000_000
          )
        }
        let sorted = tasks.sorted { $0.deadline < $1.deadline }
        return (sorted.map(\.deadline), sorted.map(\.begin))
      }

      private func expectOnce(_ lateness: Lateness, _ count: Int) {
        #expect(lateness.nanoseconds.count == count)
        #expect(lateness.unfired == 0)
        #expect(lateness.repeated == 0)
        #expect((1...count).contains(lateness.wakeUps))
      }

      @Test func `a timer for each task, rounded up, fires once and never early`() throws {
        let (deadlines, begins) = tasks(1_000)
        let lateness = try TimerPerTask(deadlines: deadlines, begins: begins, rounding: .up).run()
        expectOnce(lateness, 1_000)
        #expect(lateness.early == 0)
      }

      // How early they fire depends on the machine: on a busy machine, all are late.
      @Test func `without the rounding each timer fires once, and early timers are counted`()
        throws
      {
        let (deadlines, begins) = tasks(1_000)
        let lateness = try TimerPerTask(deadlines: deadlines, begins: begins, rounding: .none).run()
        expectOnce(lateness, 1_000)
        #expect(lateness.early == lateness.nanoseconds.count { $0 < 0 })
      }

      @Test func `tasks that began long ago or begin at once have timers too`() throws {
        let (deadlines, _) = tasks(100)
        let lateness = try TimerPerTask(deadlines: [1] + deadlines, rounding: .up).run()
        expectOnce(lateness, 101)
        #expect(lateness.early == 0)
      }

      @Test func `without deadlines there is nothing to wait for`() throws {
        #expect(try TimerPerTask(deadlines: [], rounding: .up).run().nanoseconds == [])
      }

      @Test func `a run ends on request`() throws {
        let start = now()
        // The first deadline is due at once, so it fires no matter how long the machine stalls.
        let (far, second) = ([start, start + 3_600_000_000_000], Int64(1_000_000_000))
        let alternative = try TimerPerTask(deadlines: far, rounding: .up).run {
          self.now() >= start + second
        }
        #expect((alternative.nanoseconds.count, alternative.unfired) == (1, 1))
        #expect(now() - start < 300 * second)
      }
    }
  }
#endif
