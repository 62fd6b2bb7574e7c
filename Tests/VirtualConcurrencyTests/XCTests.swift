import Foundation
import VirtualConcurrency
import XCTest

/// Captures under XCTest, which calls synchronous tests on the main thread.
final class XCTests: XCTestCase {
  func testASynchronousTestSettlesOnTheMainThread() throws {
    let log = try Capture.runSynchronously { capture in
      let log = Log()
      Task {
        log("global \(Thread.isMainThread)")
        await MainActor.run { MainActor.assumeIsolated { log("main \(Thread.isMainThread)") } }
        try await Task.sleep(for: .seconds(1))
        log("slept")
      }
      Task { @MainActor in log("on main") }
      capture.settle()
      log("settled")
      capture.wake(upTo: capture.nextSleep!)
      capture.settle()
      return log
    }
    XCTAssertEqual(
      log.text, ["0 global false", "0 on main", "0 main true", "0 settled", "1000000000 slept"])
  }

  func testAnAsynchronousTestIsCaptured() async throws {
    let log = try await Capture.run { _ in
      let log = Log()
      try await Task.sleep(for: .seconds(3_600))
      await MainActor.run { MainActor.assumeIsolated { log("main \(Thread.isMainThread)") } }
      return log
    }
    XCTAssertEqual(log.text, ["3600000000000 main true"])
  }

  /// The main thread serves its run loop here, outside the main queue.
  func testMainQueueBlocksOfOtherCodeStayInRealTime() throws {
    try XCTSkipUnless(Capture.seesEscapes && Capture.areDatesFollowed)
    let log = Log()
    let isBegun = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      isBegun.wait()
      DispatchQueue.main.async {
        log("\(Date().timeIntervalSince1970 > 1_500_000_000)")
      }
    }
    try Capture.runSynchronously { _ in
      isBegun.signal()
      XCTAssertLessThan(Date().timeIntervalSince1970, 1_000_000_000)
      while log.text.isEmpty { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01)) }
    }
    XCTAssertEqual(log.text.map { $0.split(separator: " ").last }, ["true"])
  }

  func testTimeIsRealOutside() async throws {
    let start = ProcessInfo.processInfo.systemUptime
    try await Task.sleep(for: .milliseconds(20))
    XCTAssertGreaterThanOrEqual(ProcessInfo.processInfo.systemUptime - start, 0.019)
    let fulfilled = expectation(description: "main queue")
    DispatchQueue.main.async { fulfilled.fulfill() }
    await fulfillment(of: [fulfilled], timeout: 5)
  }
}
