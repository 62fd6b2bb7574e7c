import Curfew
import Dispatch
import TestRuns
import Testing

@Suite(.inTurn) struct VirtualDeviceTests {
  @Test func `an upload that is not ended is warned after 25 s and killed after 30 s`() throws {
    let device = Device(policy: .ios13, clock: .virtual)
    let app = device.register("com.example.mail")
    let log = Log()
    app.launch()
    let task = app.beginBackgroundTask(withName: "upload") { log.add("time is up") }
    app.home()
    #expect(
      task.rawValue == 1 && app.applicationState == .background && app.backgroundTimeRemaining == 30
    )
    device.advance(by: .seconds(25) - .nanoseconds(1))
    #expect(log.lines.isEmpty && device.leakedTasks.isEmpty)
    device.advance(by: .nanoseconds(1))
    #expect(log.lines == ["time is up"] && app.backgroundTimeRemaining == 5)
    device.advance(by: .seconds(5))
    let end = try #require(app.processEnds.first)
    #expect(
      end.reason == .backgroundTaskAssertionTimeout && end.openTasks.map(\.name) == ["upload"])
    #expect(end.because.hasPrefix("tasks.grant is 30s (Policies/ios13.yaml:"))
    #expect(device.leakedTasks.map(\.age) == [.seconds(30)] && app.applicationState == .notRunning)
  }

  @Test func `callbacks come in UIKit's order, on the caller's thread, before a call returns`() {
    let log = Log()
    let device = Device(policy: .ios13)
    let app = device.register("com.example.mail", delegate: LoggingDelegate(log))
    app.launch()
    #expect(log.lines == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"])
    device.home()
    #expect(log.lines.suffix(2) == ["willResignActive", "didEnterBackground"])
    #expect(
      app.applicationState == .suspended && app.backgroundTimeRemaining == .greatestFiniteMagnitude)
    app.launch()
    #expect(log.lines.suffix(2) == ["willEnterForeground", "didBecomeActive"])
  }

  @Test func `a task that is ended in its handler suspends its app, and leaks nothing`() {
    let device = Device(policy: .ios13)
    let box = Box()
    let delegate = LoggingDelegate(Log()) { line, app in
      guard line == "didEnterBackground" else { return }
      box.task = app.beginBackgroundTask(withName: "upload") { app.endBackgroundTask(box.task) }
    }
    let app = device.register("com.example.mail", delegate: delegate)
    app.launch()
    device.home()
    #expect(app.applicationState == .background && device.openTasks.map(\.name) == ["upload"])
    #expect(device.finishBackgroundWork())
    #expect(device.now == .zero + .seconds(25) && app.applicationState == .suspended)
    #expect(device.leakedTasks.isEmpty && device.openTasks.isEmpty && app.processEnds.isEmpty)
  }

  @Test func `a handler that takes long is a handler that advances the clock`() throws {
    let device = Device(policy: .ios13)
    let app = device.register(
      "com.example.mail",
      delegate: LoggingDelegate(Log()) { line, _ in
        if line == "didEnterBackground" { device.advance(by: .seconds(11)) }
      })
    app.launch()
    device.home()
    let end = try #require(app.processEnds.first)
    #expect(
      end.reason == .appWatchdog && end.callback == .didEnterBackground
        && end.instant == Instant.zero + .seconds(10))
    #expect(device.now == .zero + .seconds(11))
  }

  @Test func `a handler that throws ends its app as a crash, and no other`() throws {
    struct Failure: Error {}
    let device = Device(policy: .ios13)
    let log = Log()
    let first = device.register("com.example.first")
    let second = device.register("com.example.second")
    first.launch()
    _ = first.beginBackgroundTask(withName: "a") { throw Failure() }
    second.launch()
    _ = second.beginBackgroundTask(withName: "b") { log.add("b") }
    device.home()
    device.advance(by: .seconds(25))
    let end = try #require(first.processEnds.first)
    #expect(
      end.reason == .abnormalExit && end.error == "Failure()" && end.openTasks.map(\.name) == ["a"])
    #expect(log.lines == ["b"] && second.processEnds.isEmpty)
  }

  @Test func `a task that is ended twice is harmless, and so is one of a former process`() {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.mail")
    app.launch()
    let stale = app.beginBackgroundTask()
    app.endBackgroundTask(stale)
    app.endBackgroundTask(stale)
    app.endBackgroundTask(.invalid)
    app.forceQuit()
    app.launch()
    let task = app.beginBackgroundTask()
    #expect(task.number == stale.number && task != stale)
    app.endBackgroundTask(stale)
    #expect(app.openTasks.map(\.identifier) == [task])
  }

  @Test func `a task begun inside a handler counts in the same visit`() {
    let device = Device(policy: .ios13)
    let log = Log()
    let app = device.register("com.example.mail")
    app.launch()
    _ = app.beginBackgroundTask(withName: "first") {
      _ = app.beginBackgroundTask(withName: "second") { log.add("second") }
      log.add("first")
    }
    device.home()
    device.advance(by: .seconds(25))
    #expect(log.lines == ["first", "second"])
    device.advance(by: .seconds(5))
    #expect(device.leakedTasks.map(\.name) == ["first", "second"])
  }

  @Test func `a device may be closed from inside a callback`() {
    let device = Device(policy: .ios13)
    let log = Log()
    let app = device.register(
      "com.example.mail",
      delegate: LoggingDelegate(log) { line, _ in
        if line == "didFinishLaunching" { device.close() }
      })
    app.launch()
    #expect(log.lines == ["willFinishLaunching", "didFinishLaunching"])
    #expect(app.beginBackgroundTask() == .invalid)
    device.advance(by: .seconds(1))
    device.close()
  }

  @Test func `threads that advance one clock take turns, and no advance is lost`() {
    let device = Device(policy: .ios13)
    let log = Log()
    let apps = (0..<10).map { device.register("app\($0)") }
    for app in apps {
      app.launch()
      _ = app.beginBackgroundTask { log.add(app.name) }
    }
    device.home()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<100 { device.advance(by: .milliseconds(100)) }
    }
    #expect(device.now == .zero + .seconds(40))
    #expect(log.lines.sorted() == apps.map(\.name) && apps.allSatisfy { $0.processEnds.count == 1 })
  }

  @Test func `handlers and delegates are released with the device`() {
    weak var held: Log?
    do {
      let log = Log()
      held = log
      let device = Device(policy: .ios13)
      let app = device.register("com.example.mail", delegate: LoggingDelegate(log))
      app.launch()
      _ = app.beginBackgroundTask { log.add("never") }
      device.home()
    }
    #expect(held == nil)
  }

  @Test func `decisions have every reason, with the policy's line and the remedy`() throws {
    let device = Device(policy: .ios13, facts: DeviceFacts(backgroundRefresh: .denied))
    let app = device.register("com.example.mail", manifest: AppManifest(backgroundModes: .fetch))
    let decision = try #require(app.deliver(.fetch))
    #expect(!decision.isAllowed && decision.reasons == .backgroundRefreshDenied)
    #expect(
      decision.explanation.count == 1 && decision.explanation[0].contains("(Policies/ios"),
      "\(decision.explanation)")
    device.update { $0.backgroundRefresh = .available }
    #expect(app.deliver(.fetch)?.isAllowed == true)
  }

  @Test func `a wake launches its app and is completed by it`() {
    let device = Device(policy: .ios13)
    let log = Log()
    let app = device.register(
      "com.example.mail", manifest: AppManifest(backgroundModes: .fetch),
      delegate: LoggingDelegate(log))
    app.deliver(.fetch)
    #expect(log.lines == ["willFinishLaunching", "didFinishLaunching", "wake fetch"])
    #expect(app.applicationState == .suspended)
  }

  @Test func `requests are refused as the scheduler refuses them`() throws {
    let device = Device(policy: .ios13)
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register("com.example.mail", manifest: manifest)
    app.launch()
    try app.submitTaskRequest("refresh", kind: .appRefresh)
    let refusal = #expect(throws: TaskRequestDeniedError.self) {
      try app.submitTaskRequest("other", kind: .appRefresh)
    }
    #expect(refusal?.error == .notPermitted)
  }
}

final class Box: @unchecked Sendable { var task = BackgroundTaskIdentifier.invalid }
