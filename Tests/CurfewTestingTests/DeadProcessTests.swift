import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Threads that wait when their app's process ends.
@Suite(.enabled(if: VirtualTime.followsDispatch, "Dispatch does not follow a device here"))
struct DeadProcessTests {
  /// A queue of the program, which outlives processes and tests.
  private static let queue = DispatchQueue(label: "of the program")
  private static let never = DispatchSemaphore(value: 0)
  private static let done = DispatchSemaphore(value: 0)

  /// Runs a handler on the main thread, whose process ends with the grant.
  private func lines(ofHandler handler: @escaping @Sendable (Device, Lines) -> Void) async throws
    -> [String]
  {
    let lines = Lines()
    let device = Device(policy: .ios13, executor: MainActorExecutor())
    try await withDevice(device, reporting: [], escapes: .allowed) { device in
      let app = device.register("com.example.client")
      app.launch()
      _ = app.beginBackgroundTask(withName: "handler") { handler(device, lines) }
      device.home()
      device.advance(by: .seconds(60))
      #expect(app.processEnds.map(\.instant) == [.zero + .seconds(30)])
      try await Task.sleep(for: .seconds(60))
      // The main thread serves later work, at the device's time.
      let date = await MainActor.run { Date() }
      #expect(abs(date.timeIntervalSince(device.date)) < 0.001)
    }
    return lines.all
  }

  @Test func `a sync behind a block of the dead process returns`() async throws {
    let lines = try await lines { _, lines in
      let queue = DispatchQueue(label: "own")
      queue.async { Self.never.wait() }
      queue.sync { lines.add("sync") }
      lines.add("returned")
    }
    #expect(lines == ["sync", "returned"])
  }

  @Test func `a block that waits for the main thread never runs after its process`() async throws {
    let lines = try await lines { _, lines in
      DispatchQueue.global().async {
        DispatchQueue.main.sync { lines.add("main") }
        lines.add("block")
        Self.done.signal()
      }
      Self.done.wait()
      lines.add("returned")
    }
    #expect(lines == ["returned"])
  }

  @Test func `sleeps and loops until a date end with their process`() async throws {
    let lines = try await lines { _, lines in
      Thread.sleep(forTimeInterval: 60)
      let end = Date() + 60
      while Date() < end { Thread.sleep(forTimeInterval: 0.7) }
      let (condition, limit) = (NSCondition(), Date() + 10)
      while condition.withLock({ condition.wait(until: limit) }) {}
      lines.add("returned")
    }
    #expect(lines == ["returned"])
  }

  @Test func `a loop around a wait without a limit ends the program at once`()
    async throws
  {
    let result = await #expect(
      processExitsWith: .exitCode(124), observing: [\.standardErrorContent]
    ) {
      let device = Device(policy: .ios13, executor: MainActorExecutor())
      try await withDevice(device, reporting: [], escapes: .allowed) { device in
        let app = device.register("com.example.client")
        app.launch()
        _ = app.beginBackgroundTask(withName: "loop") { loopForever() }
        device.home()
        device.advance(by: .seconds(60))
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in ["waits again and again", "in com.example.client: ", "loopForever()"] {
      #expect(text.contains(part), "\(part): \(text)")
    }
  }

  private func run(in app: App, _ body: @Sendable () -> Void) throws { try app.run(body) }

  @Test func `a queue that a dead thread holds serves the next process, and the next test`()
    async throws
  {
    for _ in 0..<2 {
      let lines = Lines()
      try await withDevice(Device(policy: .ios13), reporting: []) { device in
        let app = device.register("com.example.client")
        app.launch()
        try run(in: app) { Self.queue.async { Self.never.wait() } }
        device.advance(by: .seconds(1))
        app.forceQuit()
        app.launch()
        try run(in: app) {
          Self.queue.async { lines.add("block") }
          Self.queue.sync { lines.add("sync") }
        }
        device.advance(by: .seconds(1))
        Self.queue.sync { lines.add("test") }
      }
      #expect(lines.all == ["block", "sync", "test"])
    }
  }
}

/// Waits in a loop that nothing ends.
@inline(never) private func loopForever() {
  let never = DispatchSemaphore(value: 0)
  while true { never.wait() }
}
