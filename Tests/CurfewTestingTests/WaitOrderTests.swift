import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Waits that cross, loops that sleep until a date, and deadlocks of apps.
extension DispatchTests {
  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test(arguments: [false, true])
  func `two tasks wait, and their waits end in either order`(advances: Bool) async throws {
    let lines = try await lines { device, _, lines in
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let tasks = [("first", first, second), ("second", second, nil)].map { name, own, next in
        Task {
          Self.wait(own)
          lines.add("\(name) at \(device.now)")
          next?.signal()
        }
      }
      Task {
        try await Task.sleep(for: .seconds(1))
        first.signal()
      }
      if advances { device.advance(by: .seconds(2)) }
      for task in tasks { await task.value }
    }
    #expect(lines == ["first at 1s", "second at 1s"])
  }

  @Test func `a task waits for a signal of the test`() async throws {
    let lines = try await lines { device, _, lines in
      let semaphore = DispatchSemaphore(value: 0)
      Task {
        Self.wait(semaphore)
        lines.add("task at \(device.now)")
      }
      Task { @MainActor in
        Self.wait(semaphore)
        lines.add("main at \(device.now)")
      }
      device.advance(by: .seconds(1))
      semaphore.signal()
      semaphore.signal()
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["task at 1s", "main at 1s"])
  }

  @Test func `the handlers of two apps wait, and their waits end in either order`() async throws {
    let lines = try await lines { device, app, lines in
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let other = device.register("com.example.other")
      for (app, own, next) in [(app, first, second), (other, second, nil)] {
        app.launch()
        _ = app.beginBackgroundTask(withName: "task") { expiration in
          Self.wait(own)
          lines.add("\(app.name) at \(device.now)")
          next?.signal()
          app.endBackgroundTask(expiration.identifier)
        }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 27) { first.signal() }
      device.home()
      device.advance(by: .seconds(60))
      lines.add("\(app.applicationState) \(other.applicationState)")
    }
    #expect(
      lines == ["com.example.client at 27s", "com.example.other at 27s", "suspended suspended"])
  }

  private static func sleepUntil(_ end: Date, _ sleep: () -> Void) -> Int {
    var turns = 0
    while Date() < end {
      sleep()
      turns += 1
    }
    return turns
  }

  @Test func `loops that block until a date end after as many turns in each run`() async throws {
    let lines = try await lines { device, _, lines in
      let semaphore = DispatchSemaphore(value: 0)
      for sleep in [
        { usleep(100_000) }, { Thread.sleep(forTimeInterval: 0.1) },
        { _ = semaphore.wait(timeout: .now() + 0.1) },
      ] as [() -> Void] {
        lines.add("\(Self.sleepUntil(Date() + 3, sleep)) at \(device.now)")
      }
    }
    #expect(lines == ["30 at 3s", "30 at 6s", "30 at 9s"])
  }

  @Test func `a handler that waits for the main actor ends its process, which names both places`()
    async throws
  {
    for _ in 0..<Self.runs {
      try await withDevice(Device(policy: .ios13), reporting: []) { device in
        let app = device.register("com.example.client")
        app.launch()
        _ = app.beginBackgroundTask(withName: "upload") {
          let done = DispatchSemaphore(value: 0)
          Task { @MainActor in done.signal() }
          Self.wait(done)
        }
        device.home()
        device.advance(by: .seconds(60))
        let end = try #require(app.processEnds.first)
        #expect(end.instant == .zero + .seconds(30))
        #expect(end.reason == .backgroundTaskAssertionTimeout)
        let places = end.blockedPlaces
        #expect(places.count == 2, "\(places)")
        // An optimized build has no debug information.
        #if DEBUG
          #expect(places.allSatisfy { $0.contains("WaitOrderTests.swift:") }, "\(places)")
        #endif
      }
    }
  }
}

/// Real time beside devices: everybody who is not captured keeps it.
struct RealTimeBesideDevicesTests {
  private func real() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test(arguments: 0..<3) func `blocks, dates and timers keep real time`(number: Int) async throws {
    for _ in 0..<5 * DispatchTests.runs {
      let start = real()
      let passed = await withCheckedContinuation { answer in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) {
          answer.resume(returning: real() - start)
        }
      }
      #expect(passed >= 0.02)
      let (before, date, after) = (real(), Date().timeIntervalSince1970, real())
      #expect(before - 0.001 <= date && date <= after + 0.001)
      let isTimedOut = await withCheckedContinuation { answer in
        DispatchQueue.global().async {
          let (start, semaphore) = (real(), DispatchSemaphore(value: 0))
          let result = semaphore.wait(timeout: .now() + 0.01)
          answer.resume(returning: result == .timedOut && real() - start >= 0.01)
        }
      }
      #expect(isTimedOut)
      let fired = await withCheckedContinuation { answer in
        DispatchQueue.main.async {
          let start = real()
          _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
            answer.resume(returning: real() - start)
          }
        }
      }
      #expect(fired >= 0.009)
    }
  }
}
