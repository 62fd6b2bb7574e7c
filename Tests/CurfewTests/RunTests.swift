import Curfew
import Foundation
import TestRuns
import Testing

/// Code outside an app's callbacks that belongs to the app (`App.run`), on a virtual clock and in
/// real time.
@Suite(.inTurn) struct RunTests {
  private let device = Device(policy: .ios13)

  @Test func `A2 a second statement of a turn comes before anything that the first one causes`()
    throws
  {
    let log = Log()
    let app = device.register("com.example.photos", delegate: LoggingDelegate(log))
    app.launch()
    let first = app.beginBackgroundTask(withName: "first")
    let second = try app.run {
      device.home()
      app.endBackgroundTask(first)
      log.add("in the turn: \(app.applicationState)")
      return app.beginBackgroundTask(withName: "second")
    }
    #expect(
      second != .invalid && app.openTasks.map(\.name) == ["second"]
        && app.applicationState == .background)
    #expect(
      log.lines.suffix(3) == ["in the turn: active", "willResignActive", "didEnterBackground"])
    // In the background, suspension waits for the end of the turn.
    try app.run {
      app.endBackgroundTask(second)
      _ = app.beginBackgroundTask(withName: "third")
    }
    #expect(app.openTasks.map(\.name) == ["third"] && device.diagnostics.isEmpty)
    app.endBackgroundTask(app.openTasks[0].identifier)
    #expect(app.applicationState == .suspended)
  }

  @Test func `a turn of an app that cannot run is refused with its state and the instant`() throws {
    let app = device.register("com.example.photos")
    let refused = #expect(throws: AppRunError.self) { try app.run {} }
    #expect(refused?.state == .notRunning && refused?.instant == .zero)
    app.launch()
    device.home()
    device.advance(by: .seconds(31))
    let again = #expect(throws: AppRunError.self) { try app.run {} }
    #expect(again?.state == .suspended && again?.instant == .zero + .seconds(31))
    #expect(again.map { "\($0)" } == "com.example.photos cannot run code at 31s: it is suspended")
    device.close()
    #expect(#expect(throws: AppRunError.self) { try app.run {} }?.state == .notRunning)
  }

  @Test func `a turn inside a callback or another turn is part of it`() throws {
    let log = Log()
    let app = device.register(
      "com.example.photos",
      delegate: LoggingDelegate(log) { line, app in
        if line == "didEnterBackground" { try app.run { try app.run { log.add("inside") } } }
      })
    app.launch()
    device.home()
    #expect(log.lines.suffix(2) == ["didEnterBackground", "inside"])
  }

  @Test func `a turn that throws passes the error to its caller, and its app continues`() {
    let app = device.register("com.example.photos")
    app.launch()
    #expect(throws: CancellationError.self) { try app.run { throw CancellationError() } }
    #expect(app.applicationState == .active && app.processEnds.isEmpty)
  }

  @Test func `an app in the middle of a long callback takes no other turn`() {
    let log = Log()
    let slow = device.register(
      "slow",
      delegate: LoggingDelegate(log) { [device] line, _ in
        if line == "didEnterBackground" { device.advance(by: .seconds(2)) }
      })
    let other = device.register("other", delegate: nil)
    slow.launch()
    other.launch()
    _ = other.beginBackgroundTask { do { try slow.run {} } catch { log.add("\(error)") } }
    slow.launch()
    device.advance(by: .seconds(24))
    device.home()
    #expect(
      log.lines.last
        == "slow cannot run code at 27s: its main run loop is busy with a callback that lets time pass"
    )
  }

  @Test func `async work ends with its process, and its error states the reason`() async throws {
    let app = device.register("com.example.photos")
    app.launch()
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let upload = Task {
      try await app.run {
        beginning.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in begun { break }
    app.crash()
    let error = await #expect(throws: ProcessEndError.self) { try await upload.value }
    #expect(
      error?.end.reason == .abnormalExit
        && error.map { "\($0)".hasPrefix("com.example.photos ended at 0s: abnormalExit") } == true)
    await #expect(throws: AppRunError.self) { try await app.run { await Task.yield() } }
    app.launch()
    #expect(try await app.run { await Task { app.applicationState }.value } == .active)
  }

  @Test func `async work is given up when its device is closed`() async throws {
    let app = device.register("com.example.photos")
    app.launch()
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let upload = Task {
      try await app.run {
        beginning.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in begun { break }
    device.close()
    await #expect(throws: CancellationError.self) { try await upload.value }
  }

  @Test func `in real time a turn runs after earlier work of the app, and its caller waits`()
    async throws
  {
    let (clock, log) = (StandingClock(), Log())
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let app = device.register("com.example.photos", delegate: LoggingDelegate(log))
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    let result = try await Self.onAThread {
      try app.run {
        log.add("turn")
        // A turn inside a turn.
        return try app.run { app.beginBackgroundTask(withName: "upload") }
      }
    }
    #expect(
      result != .invalid
        && log.lines == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive", "turn"])
    app.endBackgroundTask(result)
    app.home()
    await eventually("the suspension") { app.applicationState == .suspended }
    let refused = await #expect(throws: AppRunError.self) {
      try await Self.onAThread { try app.run {} }
    }
    #expect(refused?.state == .suspended)
    device.close()
  }

  @Test func `in real time a turn's body is released before its caller continues`() async throws {
    let device = Device(policy: .ios13, clock: .realTime(StandingClock()))
    let app = device.register("com.example.photos")
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    // A body that is still held then would trap in Swift's runtime.
    let count = try await Self.onAThread {
      var count = 0
      for _ in 0..<Campaign.runs(2_000) { try app.run { count += 1 } }
      return count
    }
    #expect(count == Campaign.runs(2_000))
    device.close()
  }

  @Test func `in real time a turn whose process ends first is refused`() async throws {
    let (clock, gate) = (StandingClock(), DispatchSemaphore(value: 0))
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let app = device.register(
      "com.example.photos",
      delegate: LoggingDelegate(Log()) { line, _ in if line == "didBecomeActive" { gate.wait() } })
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    let turn = Task { try await Self.onAThread { try app.run {} } }
    try await Task.sleep(for: .milliseconds(20))
    app.crash()
    let refused = await #expect(throws: AppRunError.self) { try await turn.value }
    #expect(refused?.state == .notRunning)
    gate.signal()
    device.close()
  }

  /// Calls `body` on a thread that may block.
  private static func onAThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result)
    async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
