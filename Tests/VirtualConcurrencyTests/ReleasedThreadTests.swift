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
    /// - Returns: Whether it is set.
    @discardableResult
    func waits() -> Bool {
      let end = time(nil) + 10
      while !lock.withLock({ isSet }), time(nil) < end { sched_yield() }
      return lock.withLock { isSet }
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
          isRead.waits()
        }
      }
      await Task.yield()
    }
    let owner = try await Capture.run { capture in
      hasWaited.waits()
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

  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  /// The thread takes the signal before its owner is held, and has not gone on when it is dropped.
  @Test func `A signal that a dropped thread has taken goes to the next thread`() async throws {
    let text = try await Capture.run { capture in
      let (log, semaphore, owner) = (Log(), DispatchSemaphore(value: 0), Owner("app"))
      capture.withOwner(owner) {
        DispatchQueue.global().async {
          Self.wait(semaphore)
          log("dropped")
        }
      }
      DispatchQueue.global().async {
        Self.wait(semaphore)
        log("next")
      }
      await Task.yield()
      DispatchQueue.global().async { semaphore.signal() }
      DispatchQueue.global().async { capture.hold(owner) }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { capture.drop(owner) }
      try await Task.sleep(for: .seconds(2))
      return log.text
    }
    #expect(text == ["1000000000 next"])
  }

  /// Its owner is held when the capture ends.
  @Test func `A thread whose wait is over goes on in real time after the capture`() async throws {
    let hasGoneOn = Flag()
    try await Capture.run { capture in
      let (semaphore, owner) = (DispatchSemaphore(value: 0), Owner("app"))
      capture.withOwner(owner) {
        DispatchQueue.global().async {
          Self.wait(semaphore)
          if Date().timeIntervalSince1970 > 1_500_000_000 { hasGoneOn.set() }
        }
      }
      await Task.yield()
      DispatchQueue.global().async { semaphore.signal() }
      DispatchQueue.global().async { capture.hold(owner) }
      try await Task.sleep(for: .seconds(2))
    }
    #expect(hasGoneOn.waits())
  }
}
