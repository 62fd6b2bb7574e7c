import Dispatch
import Foundation
import Testing
import VirtualConcurrency

/// Threads that wait at the end of a capture, and go on in real time.
@Suite(
  .enabled(if: Capture.seesEscapes && Capture.areDatesFollowed, "Dispatch is not followed here"))
struct ReleasedThreadTests {
  /// A flag between two threads.
  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false

    func set() { lock.withLock { isSet = true } }

    /// Waits until the flag is set, for at most 10 s of real time.
    func wait() {
      let end = time(nil) + 10
      while !lock.withLock({ isSet }), time(nil) < end { sched_yield() }
    }
  }

  @Test func `A released thread changes nothing in the next capture`() async throws {
    let (hasWaited, isRead) = (Flag(), Flag())
    try await Capture.run { capture in
      DispatchQueue.global().async {
        capture.withOwner(Owner("outer")) {
          capture.withOwner(Owner("inner")) {
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.3)
          }
          hasWaited.set()
          isRead.wait()
        }
      }
      await Task.yield()
    }
    let owner = try await Capture.run { capture in
      hasWaited.wait()
      defer { isRead.set() }
      return (capture.currentOwner as? Owner)?.name
    }
    #expect(owner == nil)
    // Its last steps come beside a capture too.
    let instant = try await Capture.run { capture in
      for _ in 0..<1000 { await Task { await Task.yield() }.value }
      try await Task.sleep(for: .seconds(1))
      return capture.now
    }
    #expect(instant == 1_000_000_000)
  }
}
