import Foundation
import Testing
import VirtualConcurrency

enum Load {
  static func report(_ name: String, _ text: String) {
    FileHandle.standardError.write(Data("[\(name)] \(text)\n".utf8))
  }
}

/// Ordinary tests that run at the same time as captured tests. Their clocks and sleeps are real,
/// and they keep the pool busy.
@Suite(.enabled(if: Capture.isAvailable)) struct LoadTests {
  actor Counter {
    var count = 0
    func add() { count += 1 }
  }

  /// The monotonic clock, read from the system.
  private func real() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test(arguments: 0..<6) func `Uncaptured clocks and sleeps are real`(number: Int) async throws {
    for _ in 0..<100 {
      // The system's clock is read before and after each reading of Swift's
      // clock. Time that a busy machine takes in between is included in both.
      let (outerStart, before, innerStart) = (real(), ContinuousClock.now, real())
      try await Task.sleep(for: .milliseconds(5 + number))
      let (innerEnd, after, outerEnd) = (real(), ContinuousClock.now, real())
      #expect(innerEnd - innerStart >= .milliseconds(5 + number))
      #expect((innerEnd - innerStart...outerEnd - outerStart).contains(before.duration(to: after)))
      await MainActor.run { MainActor.assumeIsolated { #expect(Thread.isMainThread) } }
    }
  }

  @Test(arguments: 0..<4) func `A busy load ends`(number: Int) async {
    let (counter, rounds) = (Counter(), 20 * DeterminismTests.runs)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<rounds {
            await counter.add()
            if round % 100 == 0 { await Task.detached { await Task.yield() }.value }
          }
        }
      }
    }
    #expect(await counter.count == 8 * rounds)
  }
}
