import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Calls of `sync` while threads wait, and the main thread among them.
extension DispatchTests {
  private static func sleep(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
  private static func sync(_ queue: DispatchQueue, _ body: () -> Void) { queue.sync(execute: body) }

  @Test func `a sync to the main thread waits until that waits no more`() async throws {
    let lines = try await lines { device, _, lines in
      for _ in 0..<2 {
        DispatchQueue.main.async {
          Self.sleep(1)
          lines.add("main at \(device.now)")
        }
      }
      DispatchQueue.global().async {
        Self.sync(.main) { lines.add("sync at \(device.now)") }
      }
      device.advance(by: .seconds(3))
    }
    #expect(lines == ["main at 1s", "main at 2s", "sync at 2s"])
  }

  @Test func `a sync comes after the blocks before it, and before those after it`() async throws {
    let lines = try await lines { device, _, lines in
      let queue = DispatchQueue(label: "own")
      for name in ["a", "b"] {
        queue.async {
          Self.sleep(1)
          lines.add("\(name) at \(device.now)")
        }
      }
      DispatchQueue.global().async {
        Self.sync(queue) { lines.add("sync at \(device.now)") }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
        queue.async { lines.add("late at \(device.now)") }
      }
      device.advance(by: .seconds(5))
    }
    #expect(lines == ["a at 1s", "b at 2s", "sync at 2s", "late at 2s"])
  }

  @Test func `a holder of a queue that lets time pass keeps it`() async throws {
    let lines = try await lines { device, _, lines in
      let queue = DispatchQueue(label: "own")
      queue.async {
        Self.sleep(1)
        device.advance(by: .seconds(1))
        lines.add("holder at \(device.now)")
      }
      DispatchQueue.global().async {
        Self.sync(queue) { lines.add("sync at \(device.now)") }
      }
      device.advance(by: .seconds(5))
    }
    #expect(lines == ["holder at 2s", "sync at 2s"])
  }

  @Test func `a sync does not wait for blocks that are enqueued later`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      try await withDevice(Device(policy: .ios13)) { _ in
        let (queue, lines) = (DispatchQueue(label: "own"), Lines())
        nonisolated(unsafe) var isDone = false
        @Sendable func poll() { if !isDone { queue.async(execute: poll) } }
        poll()
        DispatchTests.sync(queue) { isDone = true }
        queue.async {
          queue.async { lines.add("2") }
          lines.add("1")
        }
        DispatchTests.sync(queue) { lines.add("3") }
        DispatchTests.sync(queue) {}
        #expect(lines.all == ["1", "3", "2"])
      }
    }
  }

  @Test func `blocks of a suspended app keep their order while the main thread waits`()
    async throws
  {
    let lines = try await lines { device, app, lines in
      try app.run {
        for second in [5.0, 6] {
          DispatchQueue.main.asyncAfter(deadline: .now() + second) { lines.add("\(second)") }
        }
      }
      app.home()
      DispatchQueue.main.asyncAfter(deadline: .now() + 5.5) { Self.sleep(1) }
      device.advance(by: .seconds(10))
      app.launch()
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["5.0", "6.0"])
  }

  @Test func `the end of an item that a job performs itself is notified`() async throws {
    let lines = try await lines { device, _, lines in
      let item = DispatchWorkItem { lines.add("item") }
      item.notify(queue: .global()) { lines.add("notified at \(device.now)") }
      item.perform()
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["item", "notified at 0s"])
  }

  @Test func `a sleep of a synchronous test ends after its device has been closed`() async {
    await #expect(processExitsWith: .success) {
      alarm(10)
      try withDevice(Device(policy: .ios13)) { device in
        device.close()
        DispatchTests.sleep(1)
      }
    }
  }

  private actor Busy {
    func work() { DispatchTests.sleep(27) }
    func look(_ body: @Sendable () -> Void) { body() }
  }

  @Test func `a task waits for its actor, which waits`() async throws {
    let lines = try await lines { device, _, lines in
      let busy = Busy()
      let first = Task { await busy.work() }
      await Task.yield()
      await busy.look { lines.add("at \(device.now)") }
      await first.value
    }
    #expect(lines == ["at 27s"])
  }
}
