import Foundation
import Testing
import VirtualConcurrency

enum Load {
  static func report(_ name: String, _ text: String) { FileHandle.standardError.write(Data("[\(name)] \(text)\n".utf8)) }
}

/// Ordinary tests beside the captured ones: their clocks and their sleeps are real, and they keep the pool busy.
@Suite struct LoadTests {
  actor Counter {
    var count = 0
    func add() { count += 1 }
  }

  /// The monotonic clock, asked of the system.
  private func real() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test(arguments: 0..<6) func `Clocks and sleeps of others are real`(number: Int) async throws {
    for _ in 0..<100 {
      let (start, before) = (real(), ContinuousClock.now)
      try await Task.sleep(for: .milliseconds(5 + number))
      let (end, after) = (real(), ContinuousClock.now)
      // The clock was asked after the system before the sleep, and after it behind the sleep.
      #expect(before.duration(to: after) >= .milliseconds(5 + number))
      #expect(end - start >= .milliseconds(5 + number))
      #expect(before.duration(to: after) - (end - start) < .milliseconds(1_000))
      await MainActor.run { MainActor.assumeIsolated { #expect(Thread.isMainThread) } }
    }
  }

  @Test(arguments: 0..<4) func `A busy load comes to its end`(number: Int) async {
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<20_000 {
            await counter.add()
            if round % 100 == 0 { await Task.detached { await Task.yield() }.value }
          }
        }
      }
    }
    #expect(await counter.count == 160_000)
  }
}
