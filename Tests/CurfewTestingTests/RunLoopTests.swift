import Curfew
import CurfewTesting
import Foundation
import Testing

/// Run loops in code that runs on a device.
@Suite(.enabled(if: VirtualTime.followsDispatch, "Dispatch does not follow a device here"))
struct RunLoopTests {
  /// The machine's clock, read by the test's own call of the C library.
  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Calls `body` with a timer that keeps the thread's run loop from ending at once.
  private func withTimer(_ body: () -> Void) {
    let timer = Timer(fire: Date() + 3600, interval: 0, repeats: false) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    body()
    timer.invalidate()
  }

  @Test func `each run of a run loop until a date lasts as long in real and in virtual time`()
    throws
  {
    try withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      withTimer {
        for run: Int64 in 1...3 {
          let begin = Self.seconds
          RunLoop.current.run(until: Date() + 0.05)
          #expect(Self.seconds - begin >= 0.0499)
          #expect((0..<10_000).contains(device.now.nanoseconds - 50_000_000 * run), "\(device.now)")
        }
      }
    }
  }

  @Test func `a loop that runs its run loop until a date ends, in a task too`() async throws {
    try await withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      let turns = await Task.detached {
        var turns = 0
        self.withTimer {
          let end = Date() + 0.2
          while Date() < end {
            _ = RunLoop.current.run(mode: .default, before: Date() + 0.02)
            turns += 1
          }
        }
        return turns
      }.value
      #expect((9...11).contains(turns), "\(turns)")
      #expect(device.now.nanoseconds >= 200_000_000)
    }
  }

  // In processes of their own, because a thread's run loop may have timers of other tests.
  @Test func `a loop around a run loop without timers until a date ends`() async {
    await #expect(processExitsWith: .success) {
      try await withDevice(Device(policy: .ios13)) { device in
        await Task.detached { runEmptyRunLoop(for: 0.2) }.value
        #expect((200_000_000..<202_000_000).contains(device.now.nanoseconds), "\(device.now)")
      }
    }
  }

  @Test func `calls of an empty run loop are counted for each device`() async {
    await #expect(processExitsWith: .success) {
      for calls in [10, 1] {
        try withDevice(Device(policy: .ios13)) { device in
          for _ in 0..<calls { callEmptyRunLoop() }
          #expect(device.now == .zero)
        }
      }
    }
  }

  @Test func `CURFEW_HANG does not end a run that has a limit`() async {
    await #expect(processExitsWith: .success) {
      setenv("CURFEW_HANG", "1", 1)
      try withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
        let timer = Timer(fire: Date() + 3600, interval: 0, repeats: false) { _ in }
        RunLoop.current.add(timer, forMode: .default)
        RunLoop.current.run(until: Date() + 3.5)
        precondition(device.now.nanoseconds >= 3_500_000_000)
        timer.invalidate()
      }
    }
  }

  @Test func `work runs on time while a thread is in its run loop`() async throws {
    try await withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      let lines = Lines()
      Task.detached {
        try? await Task.sleep(for: .milliseconds(30))
        lines.add("task at \(device.now)")
      }
      withTimer { RunLoop.current.run(until: Date() + 0.05) }
      #expect(lines.all == ["task at 0.03s"])
    }
  }
}

private func callEmptyRunLoop() {
  let hasRun = RunLoop.current.run(mode: .default, before: Date() + 0.1)
  #expect(!hasRun)
}

private func runEmptyRunLoop(for seconds: Double) {
  let end = Date() + seconds
  while Date() < end { callEmptyRunLoop() }
}
