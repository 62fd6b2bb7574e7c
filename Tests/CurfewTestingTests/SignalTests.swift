import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Signals to threads that wait.
extension DispatchTests {
  private static func wait(_ semaphore: DispatchSemaphore, _ limit: DispatchTime = .distantFuture)
    -> DispatchTimeoutResult
  { semaphore.wait(timeout: limit) }
  private static func wait(_ group: DispatchGroup) { group.wait() }

  @Test func `a signal goes to the thread that has waited longest, at once`() async throws {
    let lines = try await lines { device, _, lines in
      let semaphore = DispatchSemaphore(value: 0)
      for name in ["first", "second"] {
        Task {
          _ = Self.wait(semaphore)
          lines.add("\(name) at \(device.now)")
        }
      }
      device.advance(by: .seconds(1))
      semaphore.signal()
      lines.add("\(Self.wait(semaphore, .now()))")
      lines.add("\(Self.wait(semaphore, .now() + 1)) at \(device.now)")
      semaphore.signal()
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["timedOut", "first at 1s", "timedOut at 2s", "second at 2s"])
  }

  @Test func `threads go on in the order of their signals`() async throws {
    let lines = try await lines { device, _, lines in
      let semaphores = (0..<3).map { _ in DispatchSemaphore(value: 0) }
      for (number, semaphore) in semaphores.enumerated() {
        Task {
          _ = Self.wait(semaphore)
          lines.add("\(number) at \(device.now)")
        }
      }
      device.advance(by: .seconds(1))
      for semaphore in semaphores.reversed() { semaphore.signal() }
      DispatchQueue.global().async { lines.add("block") }
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["2 at 1s", "1 at 1s", "0 at 1s", "block"])
  }

  @Test func `a group that is empty for a moment ends its waits`() async throws {
    let lines = try await lines { device, _, lines in
      let group = DispatchGroup()
      group.enter()
      for number in 0..<2 {
        Task {
          Self.wait(group)
          lines.add("\(number) at \(device.now)")
        }
      }
      device.advance(by: .seconds(1))
      group.leave()
      group.enter()
      Task {
        Self.wait(group)
        lines.add("late at \(device.now)")
      }
      device.advance(by: .seconds(1))
      group.leave()
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["0 at 1s", "1 at 1s", "late at 2s"])
  }

  @Test func `a wait whose limit is reached leaves its place to the next`() async throws {
    let lines = try await lines { device, _, lines in
      let semaphore = DispatchSemaphore(value: 0)
      for limit in [1.0, 3, 2, 4] {
        DispatchQueue.global().async {
          let result = Self.wait(semaphore, .now() + limit)
          lines.add("\(limit): \(result) at \(device.now)")
        }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1.5) { semaphore.signal() }
      device.advance(by: .seconds(6))
    }
    #expect(
      lines == [
        "1.0: timedOut at 1s", "3.0: success at 1.5s", "2.0: timedOut at 2s", "4.0: timedOut at 4s",
      ])
  }

  private static func run(_ app: App, _ body: () -> Void) throws { try app.run(body) }

  @Test func `a thread of a suspended app takes no signal, and keeps its place`() async throws {
    let lines = try await lines { device, app, lines in
      let semaphore = DispatchSemaphore(value: 0)
      func wait(_ name: String) {
        DispatchQueue.global().async {
          _ = Self.wait(semaphore)
          lines.add("\(name) at \(device.now)")
        }
      }
      try Self.run(app) { wait("app") }
      device.advance(by: .seconds(1))
      for name in ["first", "second"] { wait(name) }
      app.home()
      device.advance(by: .seconds(10))
      semaphore.signal()
      device.advance(by: .seconds(1))
      app.launch()
      for _ in 0..<2 { semaphore.signal() }
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["first at 11s", "app at 12s", "second at 12s"])
  }
}
