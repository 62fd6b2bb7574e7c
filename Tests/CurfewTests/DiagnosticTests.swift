import Curfew
import CurfewEngine
import Foundation
import TestRuns
import Testing

/// A call without effect is reported with the call and the reason.
@Suite(.inTurn) struct DiagnosticTests {
  private let device = Device(policy: .ios13)

  @Test func `a begin while suspended answers invalid and says why (F1)`() {
    let app = device.register("app")
    app.launch()
    device.home()
    device.advance(by: .seconds(60))
    #expect(app.applicationState == .suspended && app.lastDiagnostic == nil)
    #expect(app.beginBackgroundTask(withName: "late") == .invalid)
    let told = app.lastDiagnostic
    #expect(
      told?.cause == .objection(.suspended) && told?.app == "app"
        && told?.instant == .zero + .seconds(60))
    #expect(told?.call?.hasPrefix("beginBackgroundTask(withName:") ?? false)
    #expect(
      device.diagnostics.count == 1
        && "\(device.diagnostics[0])".hasSuffix("changed nothing because it is suspended"))
  }

  @Test func `the error of a task that cannot begin names the reason`() async throws {
    let app = device.register("app")
    let denied = await #expect(throws: BackgroundTaskDeniedError.self) {
      try await app.withBackgroundTask(named: "upload") {}
    }
    #expect(denied?.decision == nil && denied?.diagnostic?.cause == .objection(.notRunning))
    #expect(
      denied.map { "\($0)".contains("'upload'") && "\($0)".contains("not running") } ?? false,
      "\(denied.map { "\($0)" } ?? "")")
  }

  @Test func `a double end, an unknown number and a former process's task are reported (F9)`() {
    let app = device.register("app")
    app.launch()
    let task = app.beginBackgroundTask()
    app.endBackgroundTask(task)
    #expect(device.diagnostics.isEmpty)
    app.endBackgroundTask(task)
    #expect(
      app.lastDiagnostic?.cause == .unknownTask(1)
        && app.lastDiagnostic?.call == "endBackgroundTask(_:)")
    app.endBackgroundTask(BackgroundTaskIdentifier(rawValue: 77))
    #expect(app.lastDiagnostic?.cause == .unknownTask(77))
    app.endBackgroundTask(.invalid)
    #expect(device.diagnostics.count == 2)
    let last = app.beginBackgroundTask()
    app.forceQuit()
    app.launch()
    _ = app.beginBackgroundTask()
    app.endBackgroundTask(last)
    #expect(app.lastDiagnostic?.cause == .deadProcess && app.openTasks.count == 1)
  }

  @Test func `a task of another app is named as such, by its identifier and by its number`() {
    let (app, other) = (device.register("app"), device.register("com.example.other"))
    app.launch()
    let task = app.beginBackgroundTask()
    device.home()
    other.launch()
    let foreign = other.beginBackgroundTask(withName: "foreign")
    for identifier in [foreign, BackgroundTaskIdentifier(rawValue: foreign.rawValue)] {
      app.endBackgroundTask(identifier)
      #expect(
        app.lastDiagnostic.map { "\($0)" }
          == "app at 0s: endBackgroundTask(_:) changed nothing because task 1 belongs to com.example.other"
      )
    }
    #expect(other.openTasks.count == 1 && app.openTasks.map(\.identifier) == [task])
  }

  @Test func `tasks that are still open after the warning are named, with their places (F6)`() {
    let app = device.register("app")
    app.launch()
    let line = #line + 1
    _ = app.beginBackgroundTask(withName: "one") {}
    _ = app.beginBackgroundTask(withName: "two")
    device.home()
    device.advance(by: .seconds(25))
    let told = app.lastDiagnostic
    #expect(told?.cause == .remark(.stillOpenAfterExpiration))
    #expect(told?.openTasks.map(\.name) == ["one", "two"])
    #expect(told?.openTasks.map(\.origin.line) == [line, line + 1])
    #expect(
      told.map { "\($0)" }
        == "app at 25s: stillOpenAfterExpiration: task 1 'one', open for 25s, begun at CurfewTests/DiagnosticTests.swift:\(line); task 2 'two', open for 25s, begun at CurfewTests/DiagnosticTests.swift:\(line + 1)"
    )
  }

  @Test func `a submission that has no effect has the name that the program called`() {
    let app = device.register("app")
    #expect(throws: BGTaskScheduler.Error.self) {
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    }
    #expect(app.lastDiagnostic?.call == "submit(_:)", "\(device.diagnostics)")
    #expect(throws: TaskRequestDeniedError.self) {
      try app.submitTaskRequest("refresh", kind: .appRefresh)
    }
    #expect(app.lastDiagnostic?.call?.hasPrefix("submitTaskRequest(_:") == true)
  }

  @Test func `the end by an exception says what its error says`() throws {
    struct Failure: Error {}
    final class Failing: AppDelegate {
      func applicationDidEnterBackground(_ app: App) throws { throw Failure() }
    }
    let app = device.register("app", delegate: Failing())
    app.launch()
    device.home()
    let end = try #require(app.processEnds.last)
    #expect(end.error == "Failure()" && end.because == "Failure()")
    #expect("\(end)" == "app: ended at 0s: abnormalExit, Failure()")
  }

  @Test func `a test may have tasks denied`() async {
    let app = device.register("app")
    app.launch()
    app.denyNextBackgroundTask(2)
    #expect(app.beginBackgroundTask() == .invalid && app.lastDiagnostic?.cause == .deniedByTest)
    await #expect(throws: BackgroundTaskDeniedError.self) { try await app.withBackgroundTask {} }
    #expect(app.beginBackgroundTask() != .invalid)
  }

  @Test func `a requested denial is not used up by tasks that could not begin`() {
    let app = device.register("app")
    app.denyNextBackgroundTask()
    #expect(
      app.beginBackgroundTask() == .invalid && app.lastDiagnostic?.cause == .objection(.notRunning))
    app.launch()
    #expect(app.beginBackgroundTask() == .invalid && app.lastDiagnostic?.cause == .deniedByTest)
    #expect(app.beginBackgroundTask() != .invalid)
  }

  @Test func `one task too many is reported (F9)`() {
    let device = Device(policy: .ios13.with { $0.tasks.limit = 3 })
    let app = device.register("app")
    app.launch()
    for _ in 0..<3 { #expect(app.beginBackgroundTask() != .invalid) }
    #expect(
      app.beginBackgroundTask() == .invalid && app.lastDiagnostic?.cause == .tooManyTasks(limit: 3))
    #expect(app.processEnds.map(\.reason) == [.tooManyBackgroundTasks])
  }

  @Test func `a denial by the policy is reported with its decision, and a closed device says so`() {
    let device = Device(policy: .ios3)
    let app = device.register("app")
    app.launch()
    #expect(app.beginBackgroundTask() == .invalid)
    guard case .denied(let decision) = app.lastDiagnostic?.cause else {
      return #expect(Bool(false), "\(app.lastDiagnostic.map { "\($0)" } ?? "")")
    }
    #expect(decision == app.lastDecision)
    device.close()
    app.launch()
    #expect(
      device.diagnostics.last?.cause == .deviceClosed && device.diagnostics.last?.call == "launch()"
    )
  }

  @Test func `a denied session is reported`() {
    let app = device.register("app")
    app.launch()
    let decision = app.startSession(.audio)
    #expect(
      decision?.isAllowed == false && app.lastDiagnostic?.cause == decision.map { .denied($0) })
    #expect(app.lastDiagnostic?.call?.hasPrefix("startSession(") ?? false)
  }

  @Test func `a request with a date of another clock is reported (W5)`() throws {
    final class Registering: AppDelegate {
      func applicationDidFinishLaunching(_ app: App) {
        app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
      }
    }
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register("app", manifest: manifest, delegate: Registering())
    app.launch()
    let request = BGAppRefreshTaskRequest(identifier: "refresh")
    request.earliestBeginDate = app.date + 86400
    try app.taskScheduler.submit(request)
    #expect(app.lastDiagnostic == nil)
    let date = app.date + 20 * 365 * 86400
    request.earliestBeginDate = date
    try app.taskScheduler.submit(request)
    #expect(app.lastDiagnostic?.cause == .distantRequest("refresh", earliest: date))
  }

  @Test func `a request without a registered handler is reported (W5)`() {
    let app = device.register(
      "app", manifest: AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"]))
    func register(_ identifier: String) -> Bool {
      app.taskScheduler.register(forTaskWithIdentifier: identifier, using: nil) { _ in }
    }
    #expect(!register("refresh") && app.lastDiagnostic?.cause == .objection(.notRunning))
    #expect(app.lastDiagnostic?.call == "register(forTaskWithIdentifier:using:launchHandler:)")
    app.launch()
    #expect(!register("clean") && app.lastDiagnostic?.cause == .unpermitted("clean"))
    #expect(
      "\(device.diagnostics.last!)".hasSuffix(
        "changed nothing because its manifest does not permit the identifier 'clean'"))
    device.home()
    device.advance(by: .seconds(60))
    #expect(
      !register("refresh") && app.lastDiagnostic?.cause == .objection(.suspended)
        && app.processEnds.isEmpty)
    device.close()
    #expect(!register("refresh") && device.diagnostics.last?.cause == .deviceClosed)
  }

  @Test func `a stream has all diagnostics until the device is closed`() async {
    let app = device.register("app")
    let updates = device.diagnosticUpdates
    device.unlock()
    app.home()
    device.close()
    var told: [DeviceDiagnostic] = []
    for await diagnostic in updates { told.append(diagnostic) }
    #expect(
      told == device.diagnostics
        && told.map(\.cause) == [.objection(.notLocked), .objection(.notRunning)])
    for await _ in device.diagnosticUpdates {
      #expect(Bool(false), "A closed device has no more to say")
    }
  }

  @Test func `a policy is changed in code as in a file`() throws {
    let short = PolicyFile.ios13.with {
      $0.tasks.grant = .seconds(3)
      $0.tasks.warning = .seconds(1)
    }
    var file = PolicyFile.ios13
    try file.set("tasks.warning", "1s")
    try file.set("tasks.grant", "3s")
    #expect(
      short.digest == file.digest && short.digest != PolicyFile.ios13.digest
        && short.policy == file.policy)
    #expect(
      short.entry("tasks.grant")?.text == "3s"
        && PolicyFile.ios13.with { _ in }.digest == PolicyFile.ios13.digest)
    #expect(PolicyFile.ios13.with { $0.wakes[.fetch] = nil }.entry("wakes.fetch.length") == nil)
    let device = Device(policy: short)
    let app = device.register("app")
    app.launch()
    _ = app.beginBackgroundTask()
    device.home()
    device.advance(by: .seconds(3))
    #expect(app.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
  }
}
