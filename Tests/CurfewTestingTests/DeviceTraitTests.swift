import Curfew
import CurfewTesting
import Foundation
import Testing

@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct DeviceTraitTests {
  @Test(.device(.ios13)) func `a test has a device, and sleeping lets its time pass`() async throws
  {
    let start = ContinuousClock.now
    #expect(Device.current.now == .zero)
    try await Task.sleep(for: .seconds(3600))
    #expect(
      Device.current.now == .zero + .seconds(3600) && ContinuousClock.now - start == .seconds(3600))
  }

  @Test(.device(.ios13), arguments: [1, 2]) func `each case has its own device`(_ number: Int) {
    #expect(Device.current.apps.isEmpty)
    _ = Device.current.register("app \(number)")
  }

  @MainActor @Test(.device(.ios13)) func `a test on the main actor stays there`() async throws {
    let app = Device.current.register("com.example.mail")
    app.launch()
    var isDone = false
    let task = Task { @MainActor in
      Self.assumeHere()
      try? await Task.sleep(for: .seconds(1))
      isDone = true
    }
    Device.current.advance(by: .seconds(2))
    #expect(isDone)
    await task.value
  }

  @Test(.device(.ios13), .enabled(if: VirtualTime.followsDispatch))
  func `the device is known in detached tasks, callbacks and blocks`() async {
    let (device, seen) = (Device.current, Lines())
    let note = { @Sendable (place: String) in
      if Device.current === device { seen.add(place) }
    }
    await Task.detached { note("task") }.value
    let app = device.register("com.example.mail")
    app.launch()
    _ = app.beginBackgroundTask { expiration in
      Task.detached {
        note("task of a handler")
        app.endBackgroundTask(expiration.identifier)
      }
    }
    device.home()
    device.advance(by: .seconds(60))
    DispatchQueue(label: "own").async { note("block") }
    DispatchQueue.main.async { note("block of the main queue") }
    device.advance(by: .seconds(1))
    #expect(
      seen.all.sorted() == ["block", "block of the main queue", "task", "task of a handler"])
  }

  /// Like UIKit-style code, which is not async.
  private static func assumeHere() { MainActor.assumeIsolated {} }

  @Test func `a task left open is an issue at the call that began it`() async throws {
    let told = Told()
    try await withDevice(Device(policy: .ios13), to: { told.add($0) }) { device in
      let app = device.register(
        "com.example.mail", manifest: AppManifest(backgroundModes: [.audio]))
      app.launch()
      _ = app.beginBackgroundTask(withName: "forgotten")
      app.startSession(.audio)
      Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
      device.advance(by: .seconds(1))
    }
    let texts = told.all.map(\.description)
    #expect(
      texts.contains { $0.contains("'forgotten'") }
        && texts.contains { $0.contains("session audio is still on") }, "\(texts)")
    #expect(texts.contains { $0.contains("Swift task") }, "\(texts)")
    #expect(
      told.all.filter { $0.origin?.fileID.hasSuffix("DeviceTraitTests.swift") == true }.count == 2)
  }

  @Test func `a task that a callback starts begins in time`() async throws {
    final class Starter: AppDelegate {
      func applicationDidEnterBackground(_ app: App) {
        Task {
          await Task.yield()
          _ = app.beginBackgroundTask(withName: "begun in a Task")
        }
      }
    }
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let app = device.register("com.example.starter", delegate: Starter())
      app.launch()
      device.home()
      #expect(
        app.applicationState == .background && app.openTasks.map(\.name) == ["begun in a Task"])
    }
  }

  @Test func `a suspended app's work waits, and a dead process's never runs again`() async throws {
    let log = Told()
    try await withDevice(Device(policy: .ios13), reporting: []) { device in
      let ticker = Ticker(log)
      let app = device.register("com.example.ticker", delegate: ticker)
      app.launch()
      device.advance(by: .seconds(3))
      #expect(log.count == 3)
      device.home()
      device.advance(by: .seconds(60))
      let atRest = log.count
      #expect(app.applicationState == .suspended && atRest < 12)
      app.launch()
      device.advance(by: .milliseconds(1))
      #expect(log.count == atRest + 1)
      device.advance(by: .seconds(2))
      #expect(log.count == atRest + 3)
      app.forceQuit()
      device.advance(by: .seconds(100))
      #expect(log.count == atRest + 3 && !ticker.hasEnded)
    }
  }

  @Test func `the device's own clock goes with Swift's, and settling is exact`() async throws {
    let log = Told()
    try await withDevice(Device(policy: .ios13)) { device in
      let (app, clock, start) = (
        device.register("com.example.mail"), device.clock, ContinuousClock.now
      )
      app.launch()
      let polling = Task {
        try await app.withBackgroundTask {
          while true {
            try await clock.sleep(for: .seconds(4))
            log.tick()
          }
        }
      }
      await device.settle()
      device.home()
      await device.settle(advancing: .seconds(60))
      #expect(
        log.count == 6 && app.applicationState == .suspended && device.now == .zero + .seconds(60))
      await #expect(throws: CancellationError.self) { try await polling.value }
      // While the test waits, time advances, as for any other sleep.
      try await clock.sleep(for: .seconds(30))
      #expect(
        ContinuousClock.now - start == .seconds(90) && clock.now.onDevice == .zero + .seconds(90))
    }
  }

  @Test(.device(.ios13)) func `a call that a test makes after it has waited is complete on return`()
    async throws
  {
    let device = Device.current
    let app = device.register("com.example.mail")
    app.launch()
    let upload = Task {
      try await app.withBackgroundTask { try await Task.sleep(for: .seconds(3)) }
    }
    device.home()
    try await upload.value
    #expect(device.now == .zero + .seconds(3))
    device.advance(by: .seconds(10))
    #expect(app.applicationState == .suspended)
    app.launch()
    #expect(app.applicationState == .active)
    device.home()
    #expect(app.applicationState == .suspended)
  }

  @Test(.device(.ios13))
  func `a test that a handler wakes continues when the handler has returned`()
    async throws
  {
    let device = Device.current
    let app = device.register("com.example.mail")
    let (expirations, expired) = AsyncStream<Void>.makeStream()
    app.launch()
    device.startRecording()
    let task = app.beginBackgroundTask(withName: "upload") { expired.yield() }
    device.home()
    for await _ in expirations { break }
    device.advance(by: .seconds(1))
    app.endBackgroundTask(task)
    let lines = device.recordedTrace(name: "handler").lines.map { String(describing: $0) }
    #expect(
      lines.contains { $0.contains(#""t":25000000000"#) && $0.contains(#""do":"return""#) },
      "\(lines)")
  }

  @Test(.device(.ios13)) func `a test may close its device, and sleeps continue`() async throws {
    let (device, start) = (Device.current, ContinuousClock.now)
    let app = device.register("com.example.mail")
    app.launch()
    try await Task.sleep(for: .seconds(1))
    device.close()
    app.launch()
    try await Task.sleep(for: .seconds(60))
    #expect(app.applicationState == .notRunning && ContinuousClock.now - start == .seconds(61))
  }

  @Test(.device(.ios13)) func `an app's own call runs no other task inside itself`() async throws {
    let device = Device.current
    let (app, lock, log) = (device.register("com.example.mail"), NSLock(), Told())
    app.launch()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          let task = app.beginBackgroundTask(withName: "locked")
          await Task.yield()
          lock.withLock {
            app.endBackgroundTask(task)
            log.tick()
          }
        }
      }
    }
    #expect(log.count == 4 && app.openTasks.isEmpty)
  }

  @Test func `a synchronous test has a device too`() throws {
    let log = Told()
    try withDevice(Device(policy: .ios13)) { device in
      let app = device.register("com.example.ticker", delegate: Ticker(log))
      app.launch()
      device.advance(by: .seconds(5))
      #expect(log.count == 5)
      app.forceQuit()
    }
  }

  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var left: [Leftover] = []
    private var ticks = 0
    func add(_ leftover: Leftover) { lock.withLock { left.append(leftover) } }
    func tick() { lock.withLock { ticks += 1 } }
    var all: [Leftover] { lock.withLock { left } }
    var count: Int { lock.withLock { ticks } }
  }

  /// Counts the seconds since its launch.
  private final class Ticker: AppDelegate, @unchecked Sendable {
    let log: Told
    var hasEnded = false
    init(_ log: Told) { self.log = log }
    func applicationDidFinishLaunching(_ app: App) {
      Task {
        defer { hasEnded = true }
        while !Task.isCancelled {
          try await Task.sleep(for: .seconds(1))
          log.tick()
        }
      }
    }
  }
}
