import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// The work that a call of `sync` waits for.
extension DispatchTests {
  private static func sleep(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
  private static func sync(_ queue: DispatchQueue, _ body: () -> Void) { queue.sync(execute: body) }

  /// A handler that waits or lets time pass, and a thread of its app that calls `main.sync`.
  private func handler(onMain: Bool, advances: Bool) async throws -> [String] {
    let lines = Lines()
    let device =
      onMain ? Device(policy: .ios13, executor: MainActorExecutor()) : Device(policy: .ios13)
    try await withDevice(device, to: { lines.add("\($0)") }) { device in
      let app = device.register("com.example.client")
      app.launch()
      _ = app.beginBackgroundTask(withName: "handler") { expiration in
        DispatchQueue.global().async {
          DispatchQueue.main.async { lines.add("before") }
          Self.sync(.main) { lines.add("sync \(Thread.isMainThread) at \(device.now)") }
          lines.add("returned")
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
          DispatchQueue.main.async { lines.add("after") }
        }
        if advances { device.advance(by: .seconds(1)) } else { Self.sleep(1) }
        lines.add("handler")
        app.endBackgroundTask(expiration.identifier)
        Self.sleep(1)
        lines.add("handler ends")
      }
      device.home()
      // Keeps the app from being suspended.
      try app.run {
        _ = app.beginBackgroundTask(withName: "open") { app.endBackgroundTask($0.identifier) }
      }
      try await Task.sleep(for: .seconds(60))
    }
    return lines.all
  }

  @Test(arguments: [false, true], [false, true])
  func `a sync to the main thread waits until a callback is over`(onMain: Bool, advances: Bool)
    async throws
  {
    let lines = try await handler(onMain: onMain, advances: advances)
    #expect(
      lines == ["handler", "handler ends", "before", "sync true at 27s", "after", "returned"])
  }

  @Test func `a sync of a suspended app keeps its place behind the app's blocks`() async throws {
    let lines = try await lines { device, app, lines in
      try app.run {
        let queue = DispatchQueue(label: "own")
        queue.async { Self.sleep(5) }
        queue.async { lines.add("async at \(device.now)") }
        DispatchQueue.global().async {
          Self.sync(queue) { lines.add("sync at \(device.now)") }
        }
      }
      device.advance(by: .seconds(1))
      device.home()
      device.advance(by: .seconds(60))
      app.launch()
      device.advance(by: .seconds(10))
    }
    #expect(lines == ["async at 61s", "sync at 61s"])
  }

  @Test func `a sync of a suspended app stops nobody else`() async throws {
    let lines = try await lines { device, app, lines in
      let queue = DispatchQueue(label: "own")
      queue.async { Self.sleep(10) }
      try app.run { DispatchQueue.global().async { Self.sync(queue) { lines.add("app") } } }
      device.advance(by: .seconds(1))
      device.home()
      device.advance(by: .seconds(19))
      Self.sync(queue) { lines.add("test at \(device.now)") }
      app.launch()
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["test at 20s", "app"])
  }

  @Test(arguments: [false, true])
  func `a block whose thread goes on ends before a sync to its queue`(isSignalled: Bool)
    async throws
  {
    let lines = try await lines { device, _, lines in
      let (queue, semaphore) = (DispatchQueue(label: "own"), DispatchSemaphore(value: 0))
      // A sync that comes at the instant at which the block goes on.
      Task {
        try await Task.sleep(for: .seconds(2))
        if isSignalled { semaphore.signal() }
        Self.sync(queue) { lines.add("sync at \(device.now)") }
      }
      queue.async {
        if isSignalled { semaphore.wait() } else { Self.sleep(2) }
        lines.add("block at \(device.now)")
      }
      device.advance(by: .seconds(5))
    }
    #expect(lines == ["block at 2s", "sync at 2s"])
  }

  @Test func `a sync to a concurrent queue waits for its barriers, and for the blocks before them`()
    async throws
  {
    let lines = try await lines { device, _, lines in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      func add(_ name: String, _ seconds: Double, flags: DispatchWorkItemFlags = []) {
        queue.async(flags: flags) {
          Self.sleep(seconds)
          lines.add("\(name) at \(device.now)")
        }
      }
      queue.async { lines.add("reader") }
      add("first", 3)
      Self.sync(queue) { lines.add("sync at \(device.now)") }
      device.advance(by: .seconds(3))
      add("second", 1)
      add("barrier", 1, flags: .barrier)
      add("third", 5)
      Self.sync(queue) { lines.add("sync at \(device.now)") }
      device.advance(by: .seconds(10))
    }
    #expect(
      lines == [
        "sync at 0s", "reader", "first at 3s", "second at 4s", "barrier at 5s", "sync at 5s",
        "third at 10s",
      ])
  }

  @Test func `the main thread waits while a sync runs earlier blocks`() async throws {
    let lines = try await lines { device, _, lines in
      await Task { @MainActor in
        let queue = DispatchQueue(label: "own")
        queue.async {
          device.advance(by: .seconds(1))
          lines.add("block at \(device.now)")
        }
        DispatchQueue.main.async { lines.add("main") }
        Task { lines.add("job") }
        Self.sync(queue) { lines.add("sync") }
        lines.add("returned")
      }.value
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["block at 1s", "sync", "returned", "main", "job"])
  }

  @Test func `calls of sync to the main thread have their turns among its jobs`() async throws {
    let lines = try await lines { device, _, lines in
      DispatchQueue.main.async { Self.sleep(1) }
      for name in ["a", "b"] {
        DispatchQueue.global().async {
          Self.sync(.main) {
            lines.add("\(name) at \(device.now)")
            Self.sleep(1)
          }
        }
      }
      DispatchQueue.global().async { DispatchQueue.main.async { lines.add("block") } }
      Task { @MainActor in lines.add("job") }
      device.advance(by: .seconds(5))
    }
    #expect(lines == ["job", "a at 1s", "b at 2s", "block"])
  }

  @Test(arguments: [false, true])
  func `a callback that waits for a block which waits for the main thread ends with its process`(
    onMain: Bool
  ) async throws {
    let device =
      onMain ? Device(policy: .ios13, executor: MainActorExecutor()) : Device(policy: .ios13)
    try await withDevice(device, reporting: []) { device in
      let app = device.register("com.example.client")
      app.launch()
      _ = app.beginBackgroundTask(withName: "deadlock") {
        let queue = DispatchQueue(label: "own")
        queue.async { Self.sync(.main) {} }
        Self.sync(queue) {}
      }
      device.home()
      try await Task.sleep(for: .seconds(60))
      #expect(app.processEnds.map(\.instant) == [.zero + .seconds(30)])
      #expect(app.processEnds.first?.blockedPlaces.count == 2)
    }
  }
}
