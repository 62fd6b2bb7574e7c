import Curfew
import Foundation
import TestRuns
import Testing

@Suite(.inTurn) struct BackgroundTaskScopeTests {
  private struct Failure: Error {}

  private func runningApp() -> (Device, App) {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.mail")
    app.launch()
    return (device, app)
  }

  @Test func `a scope begins its task before its body and ends it after`() async throws {
    let (device, app) = runningApp()
    let names = try await app.withBackgroundTask(named: "upload") { app.openTasks.map(\.name) }
    #expect(names == ["upload"] && device.openTasks.isEmpty)
  }

  @Test func `a scope that throws has ended its task`() async {
    let (device, app) = runningApp()
    await #expect(throws: Failure.self) { try await app.withBackgroundTask { throw Failure() } }
    #expect(device.openTasks.isEmpty)
  }

  @Test func `when time is up the Swift task is cancelled, and the scope's task ends in time`()
    async
  {
    let (device, app) = runningApp()
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let work = Task {
      try await app.withBackgroundTask(named: "upload") {
        beginning.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in begun { break }
    device.home()
    device.advance(by: .seconds(25))
    await #expect(throws: CancellationError.self) { try await work.value }
    device.advance(by: .seconds(10))
    #expect(
      device.leakedTasks.isEmpty && device.openTasks.isEmpty && app.applicationState == .suspended)
  }

  @Test func `cancelling the caller cancels the work`() async {
    let (device, app) = runningApp()
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let caller = Task {
      try await app.withBackgroundTask {
        beginning.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in begun { break }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(device.openTasks.isEmpty)
  }

  @Test(arguments: ["forceQuit", "crash", "close"])
  func `when the process ends, or the device is closed, the work is cancelled`(_ end: String) async
  {
    let (device, app) = runningApp()
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let work = Task {
      try await app.withBackgroundTask {
        beginning.yield()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in begun { break }
    switch end {
    case "forceQuit": app.forceQuit()
    case "crash": app.crash()
    default: device.close()
    }
    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test func `if no task can be begun, the work does not begin`() async {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.mail")
    await #expect(throws: BackgroundTaskDeniedError.self) {
      try await app.withBackgroundTask(named: "upload") { Issue.record("it ran") }
    }
    app.launch()
    device.close()
    await #expect(throws: BackgroundTaskDeniedError.self) {
      try await app.withBackgroundTask { Issue.record("it ran") }
    }
  }

  @Test func `work of a dead process changes nothing in the next one`() async {
    let (device, app) = runningApp()
    let (stream, goOn) = AsyncStream<Void>.makeStream()
    let box = Box()
    let late = Log()
    let delegate = LoggingDelegate(late) { line, app in
      guard line == "didEnterBackground" else { return }
      Task {
        for await _ in stream { break }
        box.task = app.beginBackgroundTask(withName: "from the grave")
        late.add("tried \(box.task.rawValue)")
      }
    }
    let other = device.register("com.example.other", delegate: delegate)
    other.launch()
    device.home()
    other.forceQuit()
    other.launch()
    goOn.yield()
    while !late.lines.contains(where: { $0.hasPrefix("tried") }) { await Task.yield() }
    #expect(late.lines.last == "tried 0" && device.openTasks.isEmpty)
    _ = app
  }
}
