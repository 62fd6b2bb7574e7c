import CurfewEngine
import CurfewUV
import Foundation
import TestRuns
import Testing

extension RealTimeTests {
  @Suite(.inTurn) struct UVLoopTests {
    /// The ways in which a loop with two clocks can end.
    enum Ending: CaseIterable, CustomTestStringConvertible {
      case loopFirst, loopLast, loopBetween, loopTwice, nothing, twoThreads

      var testDescription: String { "\(self)" }
    }

    @Test(arguments: Ending.allCases, [UVClock.TimerKind.best, .uvTimer])
    func `loops and clocks end in any order`(ending: Ending, kind: UVClock.TimerKind) throws {
      let ticks = TickCounter()
      try {
        let loop = try UVLoop()
        let clocks = [try UVClock(loop, timer: kind), try UVClock(loop, timer: kind)]
        let unused = try UVClock(loop, timer: kind)
        for clock in clocks {
          clock.start { [weak clock] in
            ticks.add()
            clock?.arm(.zero)
          }
          clock.arm(.zero)
        }
        #expect(ticks.reaches(10))
        switch ending {
        case .loopFirst:
          loop.close()
          for clock in clocks { clock.stop() }
        case .loopLast:
          for clock in clocks { clock.stop() }
          loop.close()
        case .loopBetween:
          clocks[0].stop()
          loop.close()
          clocks[1].stop()
        case .loopTwice:
          loop.close()
          loop.close()
        case .nothing: return
        case .twoThreads:
          let other = TestThread { loop.close() }
          let stopping = TestThread { clocks[1].stop() }
          loop.close()
          #expect(other.ends() && stopping.ends())
        }
        let count = ticks.count
        usleep(5_000)
        #expect(ticks.count == count)
        withExtendedLifetime(unused) {}
      }()
      let count = ticks.count
      usleep(5_000)
      #expect(ticks.count == count)
    }

    @Test(arguments: [UVClock.TimerKind.best, .uvTimer])
    func `a tick closes its loop, as does another thread`(kind: UVClock.TimerKind) throws {
      let loop = try UVLoop()
      let clock = try UVClock(loop, timer: kind)
      let ticks = TickCounter()
      clock.start {
        loop.close()
        loop.close()
        clock.arm(.zero)
        ticks.add()
      }
      clock.arm(.zero)
      #expect(ticks.reaches(1))
      loop.close()
      clock.stop()
      usleep(5_000)
      #expect(ticks.count == 1)
      let late = try UVClock(loop, timer: .uvTimer)
      late.start { ticks.add() }
      late.arm(.zero)
      usleep(5_000)
      #expect(ticks.count == 1)
    }

    #if os(Linux)
      @Test func `a loop's own thread has its name, and is gone when the loop has closed`() throws {
        let loop = try UVLoop()
        let clock = try UVClock(loop)
        let seen = TickCounter()
        let thread = Noted<String>()
        let name = Noted<String>()
        clock.start {
          thread.value =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")).map {
              "/proc/\($0)"
            }
          name.value = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
          seen.add()
        }
        clock.arm(.zero)
        #expect(seen.reaches(1))
        #expect(name.value == "curfew.loop\n")
        let path = try #require(thread.value)
        #expect(FileManager.default.fileExists(atPath: path))
        loop.close()
        // The thread has finished; the system takes a moment to remove its entry.
        for _ in 0..<5_000 where FileManager.default.fileExists(atPath: path) { usleep(1_000) }
        #expect(!FileManager.default.fileExists(atPath: path))
      }

      private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      }

      @Test func `a thousand loops and clocks, ended in every way, leave no descriptor open`()
        throws
      {
        let before = try openDescriptors()
        for round in 0..<1_000 {
          let loop = try UVLoop()
          let shared = try UVClock(loop, timer: round.isMultiple(of: 5) ? .uvTimer : .best)
          let ticks = TickCounter()
          if !round.isMultiple(of: 7) {
            shared.start {
              if round % 4 == 0 { loop.close() }
              ticks.add()
            }
            shared.arm(.zero)
            if round.isMultiple(of: 2) { #expect(ticks.reaches(1)) }
          }
          if round % 4 == 1 { loop.close() }
          if round % 4 != 3 { shared.stop() }
          if round % 4 != 1 { loop.close() }
          let own = try UVClock()
          if round.isMultiple(of: 3) {
            own.start {}
            own.arm(.zero)
          }
        }
        // Other tests of the process open and close descriptors meanwhile; a leak of one per round
        // would be a thousand.
        #expect(try openDescriptors() < before + 100)
      }

      @Test
      func `a process out of descriptors gets an error, and can continue once it has descriptors`()
        async
      {
        await #expect(processExitsWith: .success) {
          var limit = rlimit()
          getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          limit.rlim_cur = 256
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          // The first loop of a process creates libuv's shared state, and ends the process if
          // it cannot.
          let loop = try UVLoop()
          var failures = 0
          for spare in 0..<8 {
            var taken: [Int32] = []
            while case let copy = dup(0), copy >= 0 { taken.append(copy) }
            for _ in 0..<spare { close(taken.removeLast()) }
            do throws(UVError) {
              try UVClock().start {}
            } catch {
              precondition(error.code == EMFILE, "\(error)")
              failures += 1
            }
            if spare == 0 {
              do throws(UVError) {
                try UVClock(loop).start {}
                preconditionFailure("A timerfd was created without a free descriptor")
              } catch {
                precondition(
                  "\(error)" == "could not create a timerfd: too many open files", "\(error)")
              }
            }
            for copy in taken { close(copy) }
          }
          precondition((2..<8).contains(failures), "\(failures) failures")
          loop.close()
        }
      }
    #endif
  }
}

/// A value that a tick leaves for its test.
final class Noted<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: Value?

  var value: Value? {
    get { lock.withLock { kept } }
    set { lock.withLock { kept = newValue } }
  }
}
