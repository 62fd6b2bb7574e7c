import CLibuv
import CurfewEngine
import CurfewUV
import Foundation
import Testing

extension RealTimeTests {
  @Suite struct AttachedLoopTests {
    private static let kinds: [UVClock.TimerKind] = [.best, .uvTimer]

    /// Runs `body` with a program's loop on this thread; afterwards nothing is left in the loop.
    private func withLoop(_ body: (UnsafeMutablePointer<uv_loop_t>) throws -> Void) rethrows {
      let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
      defer { loop.deallocate() }
      #expect(uv_loop_init(loop) == 0)
      try body(loop)
      #expect(uv_loop_close(loop) == 0)
    }

    @Test(arguments: kinds)
    func `ticks come on the program's loop, which ends once a tick has closed ours`(
      kind: UVClock.TimerKind
    ) throws {
      try withLoop { raw in
        let loop = try UVLoop(attachingTo: raw)
        let clock = try UVClock(loop, timer: kind)
        let ticks = TickCounter()
        let thread = ObjectIdentifier(Thread.current)
        clock.start {
          #expect(ObjectIdentifier(Thread.current) == thread)
          ticks.add()
          if ticks.count == 3 { loop.close() }
          clock.arm(clock.now() + .milliseconds(5))
        }
        clock.arm(.zero)
        #expect(uv_run(raw, UV_RUN_DEFAULT) == 0)
        #expect(ticks.count == 3)
        #expect(clock.now() >= .zero + .milliseconds(10))
        clock.stop()
      }
    }

    @Test(arguments: kinds)
    func `another thread arms, stops and closes while the loop waits`(kind: UVClock.TimerKind)
      throws
    {
      try withLoop { raw in
        let loop = try UVLoop(attachingTo: raw)
        let clock = try UVClock(loop, timer: kind)
        let ticks = TickCounter()
        clock.start { ticks.add() }
        let other = TestThread {
          usleep(20_000)
          clock.arm(.zero)
          #expect(ticks.reaches(1))
          clock.stop()
          usleep(20_000)
          loop.close()
        }
        #expect(uv_run(raw, UV_RUN_DEFAULT) == 0)
        #expect(other.ends())
        #expect(ticks.count == 1)
      }
    }

    @Test(arguments: kinds)
    func `a loop attached and closed on one thread ends on the other thread that runs it`(
      kind: UVClock.TimerKind
    ) throws {
      try withLoop { raw in
        let loop = try UVLoop(attachingTo: raw)
        let clock = try UVClock(loop, timer: kind)
        let ticks = TickCounter()
        clock.start { ticks.add() }
        let runner = TestThread { [raw = UInt(bitPattern: raw)] in
          #expect(uv_run(UnsafeMutablePointer(bitPattern: raw), UV_RUN_DEFAULT) == 0)
        }
        clock.arm(.zero)
        #expect(ticks.reaches(1))
        clock.arm(clock.now() + .seconds(1_000))
        clock.stop()
        loop.close()
        #expect(runner.ends())
      }
    }

    @Test(arguments: kinds)
    func `clocks come and go while a thread that did not attach the loop runs it`(
      kind: UVClock.TimerKind
    ) throws {
      try withLoop { raw in
        let loop = try UVLoop(attachingTo: raw)
        let runner = TestThread { [raw = UInt(bitPattern: raw)] in
          #expect(uv_run(UnsafeMutablePointer(bitPattern: raw), UV_RUN_DEFAULT) == 0)
        }
        for _ in 0..<200 {
          let clock = try UVClock(loop, timer: kind)
          let ticks = TickCounter()
          clock.start { ticks.add() }
          clock.arm(.zero)
          let hasTicked = ticks.reaches(1)
          clock.stop()
          #expect(hasTicked)
          if !hasTicked { break }
        }
        loop.close()
        #expect(runner.ends())
      }
    }

    @Test(arguments: kinds)
    func `a loop closed outside a tick ends in the next round`(kind: UVClock.TimerKind)
      throws
    {
      try withLoop { raw in
        let loop = try UVLoop(attachingTo: raw)
        let clock = try UVClock(loop, timer: kind)
        let ticks = TickCounter()
        clock.start { ticks.add() }
        clock.arm(.zero)
        while ticks.count == 0 { uv_run(raw, UV_RUN_ONCE) }
        clock.arm(clock.now() + .seconds(1_000))
        loop.close()
        uv_run(raw, UV_RUN_NOWAIT)
      }
    }

    @Test(arguments: kinds)
    func `a loop closed before it runs ends at once when it runs`(kind: UVClock.TimerKind) throws {
      try withLoop { raw in
        let loop = try UVLoop(attachingTo: raw)
        let clock = try UVClock(loop, timer: kind)
        clock.start { Issue.record("A tick after the end") }
        clock.arm(.zero)
        let other = TestThread { loop.close() }
        #expect(other.ends())
        #expect(uv_run(raw, UV_RUN_DEFAULT) == 0)
      }
    }

    @Test(arguments: kinds)
    func `a clock that is released instead of closed leaves nothing`(kind: UVClock.TimerKind) throws
    {
      try withLoop { raw in
        try {
          let clock = try UVClock(UVLoop(attachingTo: raw), timer: kind)
          clock.start {}
          clock.arm(.zero + .seconds(1_000))
        }()
        #expect(uv_run(raw, UV_RUN_DEFAULT) == 0)
      }
    }

    @Test func `a program's own handles continue after ours have closed`() throws {
      let fired = TickCounter()
      try withLoop { raw in
        let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
        defer { timer.deallocate() }
        #expect(uv_timer_init(raw, timer) == 0)
        timer.pointee.data = Unmanaged.passUnretained(fired).toOpaque()
        uv_timer_start(
          timer,
          { timer in
            guard let timer, let data = timer.pointee.data else { return }
            Unmanaged<TickCounter>.fromOpaque(data).takeUnretainedValue().add()
            uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self), nil)
          }, 50, 0)
        let loop = try UVLoop(attachingTo: raw)
        let clock = try UVClock(loop)
        let ticks = TickCounter()
        clock.start {
          ticks.add()
          loop.close()
          #expect(fired.count == 0)
        }
        clock.arm(.zero)
        uv_run(raw, UV_RUN_DEFAULT)
        #expect(ticks.count == 1)
      }
      #expect(fired.count == 1)
    }
  }
}
