import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Threads that wait in code that runs on a device.
extension DispatchTests {
  /// Blocks the thread, which async code may not do itself.
  private static func wait(_ semaphore: DispatchSemaphore, _ limit: DispatchTime = .distantFuture)
    -> DispatchTimeoutResult
  { semaphore.wait(timeout: limit) }

  @Test func `a wait lets time pass until it is over, or until its limit`() async throws {
    let lines = try await lines { device, _, lines in
      let semaphore = DispatchSemaphore(value: 0)
      for limit in [DispatchTime.now() + 5, .distantFuture] {
        Task {
          try await Task.sleep(for: .seconds(2))
          semaphore.signal()
        }
        lines.add("\(Self.wait(semaphore, limit)) at \(device.now)")
      }
      lines.add("\(Self.wait(semaphore, .now() + 3)) at \(device.now)")
      lines.add("\(Self.wait(semaphore, .now())) at \(device.now)")
    }
    #expect(lines == ["success at 2s", "success at 4s", "timedOut at 7s", "timedOut at 7s"])
  }

  @Test func `a wait for a group, an item, a condition or a sleep takes virtual time`()
    async throws
  {
    let lines = try await lines { device, _, lines in
      Self.waits(device, lines)
    }
    #expect(
      lines == [
        "success at 1s", "item", "item done at 2s", "condition true at 4s", "condition false at 9s",
        "slept at 12s",
      ])
  }

  private static func waits(_ device: Device, _ lines: Lines) {
    let (queue, group, condition) = (DispatchQueue(label: "own"), DispatchGroup(), NSCondition())
    group.enter()
    queue.asyncAfter(deadline: .now() + 1) { group.leave() }
    lines.add("\(group.wait(timeout: .now() + 10)) at \(device.now)")
    let item = DispatchWorkItem { lines.add("item") }
    queue.asyncAfter(deadline: .now() + 1, execute: item)
    item.wait()
    lines.add("item done at \(device.now)")
    queue.asyncAfter(deadline: .now() + 2) { condition.withLock { condition.signal() } }
    for _ in 0..<2 {
      let isSignalled = condition.withLock { condition.wait(until: Date() + 5) }
      lines.add("condition \(isSignalled) at \(device.now)")
    }
    Thread.sleep(forTimeInterval: 3)
    lines.add("slept at \(device.now)")
  }

  @Test func `a wait in a handler takes the handler's time`() async throws {
    for _ in 0..<Self.runs {
      try await withDevice(Device(policy: .ios13), reporting: []) { device in
        let app = device.register("com.example.client")
        app.launch()
        let semaphore = DispatchSemaphore(value: 0)
        _ = app.beginBackgroundTask(withName: "waits") { _ = Self.wait(semaphore, .now() + 60) }
        device.home()
        device.advance(by: .seconds(60))
        #expect(app.processEnds.map(\.instant) == [.zero + .seconds(30)])
      }
    }
  }

  @Test func `a handler that waits for a task that ends its own goes on`() async throws {
    let lines = try await lines { device, app, lines in
      let uploaded = DispatchSemaphore(value: 0)
      _ = app.beginBackgroundTask(withName: "upload") { expiration in
        Task {
          try await Task.sleep(for: .seconds(2))
          uploaded.signal()
        }
        lines.add("\(Self.wait(uploaded)) at \(device.now)")
        app.endBackgroundTask(expiration.identifier)
      }
      device.home()
      device.advance(by: .seconds(60))
      lines.add("\(app.applicationState)")
    }
    #expect(lines == ["success at 27s", "suspended"])
  }

  @Test func `wire-ios#4402, #4550: an expiring activity waits for a task`() async throws {
    let lines = try await lines { device, app, lines in
      app.performExpiringActivity(withReason: "sync") { _ in
        let done = DispatchSemaphore(value: 0)
        Task {
          try await Task.sleep(for: .seconds(2))
          done.signal()
        }
        lines.add("\(Self.wait(done)) at \(device.now)")
      }
      lines.add("returned")
      device.advance(by: .seconds(10))
    }
    #expect(lines == ["returned", "success at 2s"])
  }

  @Test func `the second call of an expiring activity comes beside the first`() async throws {
    let lines = try await lines { device, app, lines in
      let isExpired = DispatchSemaphore(value: 0)
      app.performExpiringActivity(withReason: "sync") { expired in
        guard !expired else {
          lines.add("expired at \(device.now)")
          isExpired.signal()
          return
        }
        lines.add("\(Self.wait(isExpired)) at \(device.now)")
      }
      device.home()
      device.advance(by: .seconds(60))
      lines.add("\(app.applicationState), ends \(app.processEnds.count)")
    }
    #expect(lines == ["expired at 25s", "success at 25s", "suspended, ends 0"])
  }

  @Test func `two blocks wait, and their waits end in either order`() async throws {
    let lines = try await lines { device, _, lines in
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      DispatchQueue.global().async {
        lines.add("first \(Self.wait(first)) at \(device.now)")
        second.signal()
      }
      DispatchQueue.global().async {
        lines.add("second \(Self.wait(second)) at \(device.now)")
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { first.signal() }
      device.advance(by: .seconds(2))
    }
    #expect(lines == ["first success at 1s", "second success at 1s"])
  }

  @Test func `a block that waits for work again and again stops nobody`() async throws {
    let lines = try await lines { device, _, lines in
      let (queue, work, jobs) = (
        DispatchQueue(label: "worker"), DispatchSemaphore(value: 0), Lines()
      )
      queue.async {
        while Self.wait(work) == .success, jobs.all.last != "stop" {
          lines.add("\(jobs.all.last ?? "") at \(device.now)")
        }
      }
      for name in ["a", "b", "stop"] {
        device.advance(by: .seconds(1))
        jobs.add(name)
        work.signal()
      }
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["a at 1s", "b at 2s"])
  }

  @Test func `a sync waits for a block that waits`() async throws {
    let lines = try await lines { device, _, lines in
      let (queue, gate) = (DispatchQueue(label: "own"), DispatchSemaphore(value: 0))
      queue.async {
        lines.add("block \(Self.wait(gate)) at \(device.now)")
      }
      queue.async { lines.add("later") }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { gate.signal() }
      queue.sync { lines.add("sync at \(device.now)") }
    }
    #expect(lines == ["block success at 1s", "later", "sync at 1s"])
  }

  @Test func `an observer on an operation queue has been called when the post returns`()
    async throws
  {
    let lines = try await lines { _, _, lines in
      let (center, queue, name) = (
        NotificationCenter(), OperationQueue(), Notification.Name("changed")
      )
      let observer = center.addObserver(forName: name, object: nil, queue: queue) { _ in
        lines.add("observed")
      }
      center.post(name: name, object: nil)
      lines.add("posted")
      center.removeObserver(observer)
    }
    #expect(lines == ["observed", "posted"])
  }
}
