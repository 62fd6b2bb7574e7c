import CVirtualTime
import Foundation
import Testing
import VirtualConcurrency

/// Fails if a compiler has moved something that CVirtualTime reads.
@Suite struct ToolchainTests {
  @Test func `This compiler is a supported one`() { #expect(Capture.isAvailable) }

  /// If detection failed, the suites of work outside virtual time would be skipped silently.
  @Test func `Work outside virtual time is detected, except under Thread Sanitizer`() {
    #expect(Capture.seesEscapes || cvt_is_sanitized())
  }

  private func pointer<Success, Failure>(_ task: Task<Success, Failure>) -> UnsafeRawPointer {
    unsafeBitCast(task, to: UnsafeRawPointer.self)
  }

  @Test func `A task's number and its end are at their expected places`() async {
    let gate = AsyncStream<Void>.makeStream()
    let task = Task { for await _ in gate.stream {} }
    let later = Task {}
    #expect(cvt_is_task(pointer(task)))
    #expect(!cvt_is_child(pointer(task)))
    #expect(cvt_task_id(pointer(task)) < cvt_task_id(pointer(later)))
    #expect(!cvt_is_complete(pointer(task)))
    gate.continuation.finish()
    await task.value
    #expect(cvt_is_complete(pointer(task)))
  }

  @Test func `Parts of a task are recognized`() async {
    func isChild() -> Bool { cvt_is_child(cvt_current_task()!) }
    async let first = isChild()
    let second = await withTaskGroup { group in
      group.addTask { isChild() }
      return await group.next()!
    }
    #expect(await first)
    #expect(second)
    #expect(await Task { !isChild() }.value)
  }

  @Test func `The clocks read virtual time on captured threads only`() {
    let real = ContinuousClock.now
    var system = timespec()
    withUnsafePointer(to: Int64(1_000_000_007)) { now in
      cvt_set_clock(now)
      defer { cvt_set_clock(nil) }
      #expect("\(ContinuousClock.now)".contains("1.000000007"))
      #expect("\(SuspendingClock.now)".contains("1.000000007"))
      clock_gettime(CLOCK_BOOTTIME, &system)
    }
    #expect(system.tv_sec > 1)
    #expect(real <= .now)
  }
}
