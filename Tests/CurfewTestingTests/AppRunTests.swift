import Curfew
import CurfewTesting
import Foundation
import Testing

/// Test code that belongs to an app.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct AppRunTests {
  @Test func `an upload through run sends one part, and the rest waits while its app is suspended`()
    async throws
  {
    let outcome = try await outcome { device in
      let (app, uploader) = (device.register("com.example.photos"), PartUploader())
      app.launch()
      let upload = Task { try await app.run { try await uploader.upload(10) } }
      device.advance(by: .seconds(5))
      device.home()
      device.advance(by: .seconds(60))
      let sent = await uploader.sent
      app.launch()
      device.advance(by: .seconds(4))
      let later = await uploader.sent
      app.forceQuit()
      device.advance(by: .seconds(60))
      let total = await uploader.sent
      do { try await upload.value } catch {
        return "\(sent), \(later), \(total), \(error), \(device.remarks)"
      }
      return "ended"
    }
    #expect(
      outcome.hasPrefix("1, 3, 3, com.example.photos ended at 69s: userForceQuit"), "\(outcome)")
    #expect(outcome.hasSuffix(", []"), "\(outcome)")
  }

  @Test func `a task's call of the device does not run the test inside it`() async throws {
    let lines = Lines()
    try await withDevice(Device(policy: .ios13)) { device in
      let app = device.register("com.example.photos")
      app.launch()
      let task = Task {
        try Self.turn(of: app) { lines.add("turn") }
        try await app.run {
          await Task.yield()
          lines.add("run")
        }
        lines.add("task ends")
      }
      await Task.yield()
      lines.add("test")
      device.home()
      try await task.value
    }
    #expect(lines.all == ["turn", "test", "run", "task ends"])
  }

  private static func turn(of app: App, _ body: () -> Void) throws { try app.run(body) }

  @Test func `work that acts on a suspended app causes a remark`() async throws {
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let app = device.register("com.example.photos")
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      app.launch()
      let work = Task { for await _ in stream { _ = app.beginBackgroundTask(withName: "late") } }
      device.home()
      device.advance(by: .seconds(60))
      continuation.yield()
      continuation.finish()
      await work.value
      device.advance(by: .seconds(1))
      #expect(device.remarks.count == 1, "\(device.diagnostics)")
    }
  }

  @Test func `the test, the user's part and several apps cause no remark`()
    async throws
  {
    try await withDevice(Device(policy: .ios13)) { device in
      let app = device.register("com.example.photos")
      app.launch()
      let user = Task {
        try await Task.sleep(for: .seconds(60))
        app.launch()
      }
      device.home()
      try await Task.sleep(for: .seconds(30))
      #expect(app.applicationState == .suspended && app.beginBackgroundTask() == .invalid)
      try await user.value
      #expect(app.applicationState == .active && device.remarks.isEmpty, "\(device.diagnostics)")
    }
    try await withDevice(Device(policy: .ios13)) { device in
      for name in ["a", "b"] { device.register(name).launch() }
      let work = Task { try await Task.sleep(for: .seconds(60)) }
      device.home()
      try await work.value
      #expect(device.remarks.isEmpty)
    }
  }

  @Test(.device(.ios13)) func `a turn's tasks are the app's, and begin before it is suspended`()
    throws
  {
    let (device, lines) = (Device.current, Lines())
    let app = device.register("com.example.photos")
    app.launch()
    try app.run {
      device.home()
      Task {
        lines.add("begun in \(app.applicationState)")
        let task = app.beginBackgroundTask()
        try await Task.sleep(for: .seconds(5))
        app.endBackgroundTask(task)
        try await Task.sleep(for: .seconds(5))
        lines.add("on at \(device.now)")
      }
      lines.add("turn over in \(app.applicationState)")
    }
    device.advance(by: .seconds(60))
    #expect(
      lines.all == ["turn over in active", "begun in active"] && app.applicationState == .suspended,
      "\(lines.all)")
    app.launch()
    device.advance(by: .zero)
    #expect(lines.all.last == "on at 60s")
  }

  @MainActor @Test(.device(.ios13)) func `code of the main actor runs unchanged`() async throws {
    @MainActor final class Client {
      var calls: [String] = []
      func start(_ app: App) { calls.append("start") }
      func upload() async throws {
        calls.append("upload")
        try await Task.sleep(for: .seconds(1))
        calls.append("uploaded")
      }
    }
    let (app, client) = (Device.current.register("com.example.photos"), Client())
    app.launch()
    try app.run { client.start(app) }
    try await app.run { try await client.upload() }
    try await Task.detached { try app.runOnMainActor { client.start(app) } }.value
    #expect(client.calls == ["start", "upload", "uploaded", "start"])
  }

  @Test(.device(.ios13)) func `neither form is accepted while its app is suspended or not running`()
    async throws
  {
    let app = Device.current.register("com.example.photos")
    let refused = await #expect(throws: AppRunError.self) {
      try await app.run { await Task.yield() }
    }
    #expect(
      refused.map { "\($0)" } == "com.example.photos cannot run code at 0s: it is not running")
    app.launch()
    Device.current.home()
    Device.current.advance(by: .seconds(31))
    let again = await #expect(throws: AppRunError.self) { try await app.run { await Task.yield() } }
    #expect(again.map { "\($0)" } == "com.example.photos cannot run code at 31s: it is suspended")
    #expect(throws: AppRunError.self) { try app.run {} }
  }

  @Test(.device(.ios13))
  func `a turn that the app's own work begins does not advance the device`() async throws {
    let (device, lines) = (Device.current, Lines())
    let app = device.register("com.example.photos")
    app.launch()
    let task = app.beginBackgroundTask(withName: "first")
    device.home()
    let work = Task {
      try await app.run {
        try await Task.sleep(for: .seconds(1))
        // If the first call took a step, the app would be suspended between the two.
        try app.run { app.endBackgroundTask(task) }
        let second = app.beginBackgroundTask(withName: "second")
        lines.add("\(app.applicationState), \(second != .invalid)")
        app.endBackgroundTask(second)
      }
    }
    device.advance(by: .seconds(2))
    #expect(lines.all == ["background, true"])
    try await work.value
  }

  @Test(.device(.ios13)) func `another task of the app is not part of the current turn`()
    throws
  {
    let (device, lines) = (Device.current, Lines())
    let app = device.register("com.example.photos")
    app.launch()
    try app.run {
      Task {
        do { try app.run { lines.add("in the turn") } } catch { lines.add("\(error)") }
      }
      try app.run { lines.add("part") }
      device.advance(by: .seconds(1))
    }
    #expect(
      lines.all == [
        "part",
        "com.example.photos cannot run code at 0s: its main run loop is busy with a callback that lets time pass",
      ],
      "\(lines.all)")
  }

  @Test(.device(.ios13)) func `a cancelled caller cancels its work, and gets its result`()
    async throws
  {
    let app = Device.current.register("com.example.photos")
    app.launch()
    let upload = Task { try await app.run { try await Task.sleep(for: .seconds(60)) } }
    Device.current.advance(by: .seconds(1))
    upload.cancel()
    await #expect(throws: CancellationError.self) { try await upload.value }
    #expect(Device.current.now == .zero + .seconds(1))
  }
}

/// Sends parts of four seconds each.
actor PartUploader {
  private(set) var sent = 0

  func upload(_ parts: Int) async throws {
    for _ in 0..<parts {
      try await Task.sleep(for: .seconds(4))
      sent += 1
    }
  }
}

extension Device {
  /// The remarks about work that no app owns.
  var remarks: [String] {
    diagnostics.filter { if case .unownedWork = $0.cause { true } else { false } }.map { "\($0)" }
  }
}
