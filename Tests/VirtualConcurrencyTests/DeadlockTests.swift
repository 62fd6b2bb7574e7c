import Dispatch
import Foundation
import Testing
import VirtualConcurrency

/// Bodies whose threads wait for something that never comes: each fails within its patience, with
/// the places that wait, and the next capture works.
@Suite(
  .enabled(if: Capture.seesEscapes && Capture.areDatesFollowed, "Dispatch is not followed here"))
struct DeadlockTests {
  /// The failure of a body, after which another body succeeds.
  private func failure(_ body: @escaping @Sendable () async throws -> Void) async throws -> String {
    let stall = await #expect(throws: Stall.self) {
      try await Capture.run(patience: .milliseconds(100)) { _ in try await body() }
    }
    let instant = try await Capture.run { capture in
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {}
      try await Task.sleep(for: .seconds(2))
      await MainActor.run {}
      return capture.now
    }
    #expect(instant == 2_000_000_000)
    return stall.map { "\($0)" } ?? ""
  }

  /// Blocks the thread, which async code may not do itself.
  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  /// The number of lines of a text that name a wait in this file.
  private func waits(in text: String) -> Int {
    text.split(separator: "\n").count { $0.contains("waits in ") && $0.contains("DeadlockTests") }
  }

  @Test func `A semaphore that nobody signals fails the test`() async throws {
    let text = try await failure { Self.wait(DispatchSemaphore(value: 0)) }
    #expect(text.contains("never comes") && waits(in: text) == 1, "\(text)")
  }

  @Test func `A synchronous body that waits for a semaphore fails, and ends`() throws {
    var hasEnded = false
    let stall = #expect(throws: Stall.self) {
      try Capture.runSynchronously(patience: .milliseconds(100)) { _ in
        Self.wait(DispatchSemaphore(value: 0))
        Self.wait(DispatchSemaphore(value: 0))
        hasEnded = true
      }
    }
    let text = stall.map { "\($0)" } ?? ""
    #expect(text.contains("never comes") && waits(in: text) == 1 && hasEnded, "\(text)")
    let instant = try Capture.runSynchronously { capture in
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 2)
      return capture.now
    }
    #expect(abs(instant - 2_000_000_000) < 10_000)
  }

  @Test func `Two tasks that wait for each other's semaphore fail the test`() async throws {
    let text = try await failure {
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let task = Task {
        Self.wait(second)
        first.signal()
      }
      Task {
        Self.wait(first)
        second.signal()
      }
      await task.value
    }
    #expect(text.contains("never comes") && waits(in: text) == 3, "\(text)")
  }

  @Test func `An operation that waits for itself fails the test`() async throws {
    let text = try await failure {
      let queue = OperationQueue()
      queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    #expect(text.contains("never comes") && waits(in: text) == 2, "\(text)")
  }

  @Test func `A main thread that waits for its own queue fails the test`() async throws {
    let text = try await failure { @MainActor in
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.main.async { done.signal() }
      Self.wait(done)
    }
    #expect(text.contains("never comes") && waits(in: text) >= 1, "\(text)")
  }

  @Test func `A main thread that waits in its queue while the body holds it fails the test`()
    async throws
  {
    let text = try await failure { @MainActor in
      await MainActor.run { Self.wait(DispatchSemaphore(value: 0)) }
    }
    #expect(text.contains("never comes") && waits(in: text) >= 1, "\(text)")
  }
}
