import Dispatch
import Foundation
import Testing
import VirtualConcurrency

/// The cost of jobs beside threads that wait.
@Suite(.enabled(if: Capture.isAvailable && Capture.seesEscapes)) struct WaitLineTests {
  /// - Returns: The number of times that waits were asked while 100 blocks ran beside `threads`.
  private func asks(besideThreads threads: Int, waiting wait: @escaping @Sendable () -> Void)
    async throws -> Int
  {
    try await Capture.run { capture in
      for _ in 0..<threads { DispatchQueue.global().async(execute: wait) }
      try await Task.sleep(for: .seconds(1))
      let before = capture.asksOfWaits
      for _ in 0..<100 { DispatchQueue.global().async {} }
      try await Task.sleep(for: .seconds(1))
      let asks = capture.asksOfWaits - before
      try await Task.sleep(for: .seconds(10))
      return asks
    }
  }

  @Test func `Threads that wait for one semaphore are asked as often as one of them`() async throws
  {
    func asks(besideThreads threads: Int) async throws -> Int {
      let semaphore = DispatchSemaphore(value: 0)
      return try await self.asks(besideThreads: threads) {
        _ = semaphore.wait(timeout: .now() + 5)
      }
    }
    let one = try await asks(besideThreads: 1)
    #expect(try await asks(besideThreads: 200) == one)
    #expect((100..<1000).contains(one))
  }

  @Test func `Threads that sleep are not asked`() async throws {
    #expect(try await asks(besideThreads: 50) { Thread.sleep(forTimeInterval: 5) } == 0)
  }
}
