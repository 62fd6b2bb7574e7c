import Curfew
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// An app whose delegate registers at each launch, and records the outcome of its tasks.
private final class Worker: AppDelegate, @unchecked Sendable {
  let log = Log()
  var identifiers = ["refresh", "clean"]
  var tasks: [BGTask] = []
  /// The wakes that the delegate received.
  var wakes: [Wake] = []
  var work: @Sendable (BGTask) -> Void = { $0.setTaskCompleted(success: true) }

  func applicationDidFinishLaunching(_ app: App) {
    log.add("launch \(app.applicationState)")
    for identifier in identifiers {
      app.taskScheduler.register(forTaskWithIdentifier: identifier, using: nil) { [self] task in
        log.add(
          "\(type(of: task)) \(task.identifier) at \(app.date.timeIntervalSinceReferenceDate)")
        tasks.append(task)
        work(task)
      }
    }
  }

  func application(_ app: App, didReceive wake: Wake) {
    wakes.append(wake)
    wake.complete()
  }
}

@Suite(.inTurn) struct TaskSchedulerTests {
  private func phone(policy: PolicyFile = .ios13) -> (Device, App, Worker) {
    let (device, worker) = (Device(policy: policy), Worker())
    let manifest = AppManifest(
      backgroundModes: [.fetch, .processing], permittedIdentifiers: ["refresh", "clean", "sync"])
    return (
      device, device.register("com.example.mail", manifest: manifest, delegate: worker), worker
    )
  }

  // MARK: Tasks

  @Test func `W5 a request is started by the handler that this launch has registered`() throws {
    let (device, app, worker) = phone()
    device.startRecording()
    worker.work = { task in
      if task is BGAppRefreshTask {
        #expect(throws: Never.self) {
          try app.taskScheduler.submit(BGProcessingTaskRequest(identifier: "clean"))
        }
      }
      task.setTaskCompleted(success: true)
    }
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.crash()
    device.advance(by: .seconds(900))
    #expect(
      worker.log.lines == [
        "launch inactive", "launch background", "BGAppRefreshTask refresh at 900.0",
      ])
    #expect(app.applicationState == .suspended && worker.wakes.isEmpty)
    device.lock()
    device.advance(by: .seconds(900))
    #expect(worker.log.lines.last == "BGProcessingTask clean at 1800.0")
    #expect(try Replay.run(device.recordedTrace(name: "tasks"), under: .ios13) == nil)
  }

  @Test func `W2, W6 a task runs until it is completed, is warned once, and is overrun at its end`()
    throws
  {
    let (device, app, worker) = phone()
    worker.work = { task in task.expirationHandler = { worker.log.add("warned") } }
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    device.advance(by: .seconds(924))
    let task = try #require(worker.tasks.first)
    #expect(
      app.applicationState == .background && task.expirationHandler != nil
        && worker.log.lines.last != "warned")
    device.advance(by: .seconds(1))
    #expect(
      worker.log.lines.last == "warned" && task.expirationHandler == nil
        && app.applicationState == .background)
    // This handler is set too late to be called.
    task.expirationHandler = { worker.log.add("warned again") }
    device.advance(by: .seconds(5))
    #expect(
      app.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout]
        && app.processEnds.first?.kind == .appRefresh)
    #expect(worker.log.lines.last == "warned" && task.expirationHandler == nil)
  }

  @Test func `W2 a task that is completed twice is completed once, in its handler or later`() throws
  {
    let (device, app, worker) = phone()
    worker.work = { task in task.expirationHandler = { task.setTaskCompleted(success: false) } }
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    device.advance(by: .seconds(924))
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    device.advance(by: .seconds(1))
    #expect(app.applicationState == .suspended)
    device.advance(by: .seconds(875))
    // The second run: completing the first task does not complete this one.
    worker.tasks[0].setTaskCompleted(success: true)
    #expect(worker.tasks.count == 2 && app.applicationState == .background)
    worker.tasks[1].setTaskCompleted(success: true)
    #expect(app.applicationState == .suspended && app.processEnds.isEmpty)
  }

  @Test func `W6 a task without a handler is completed where it would have been warned`() throws {
    let (device, app, worker) = phone()
    worker.work = { _ in }
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    device.advance(by: .seconds(924))
    #expect(app.applicationState == .background)
    device.advance(by: .seconds(1))
    #expect(app.applicationState == .suspended)
    device.advance(by: .seconds(5))
    #expect(app.processEnds.isEmpty)
  }

  @Test func `W5 processing is warned when the user comes back, and an overrun ends only the wake`()
    throws
  {
    let (device, app, worker) = phone()
    worker.work = { task in task.expirationHandler = { worker.log.add("warned") } }
    app.launch()
    let request = BGProcessingTaskRequest(identifier: "clean")
    request.requiresExternalPower = true
    try app.taskScheduler.submit(request)
    device.lock()
    device.advance(by: .seconds(900))
    #expect(worker.tasks.isEmpty)
    device.update { $0.charging = true }
    device.advance(by: .seconds(960))
    #expect(worker.tasks.count == 1 && worker.log.lines.last == "BGProcessingTask clean at 1800.0")
    device.unlock()
    #expect(worker.log.lines.last == "warned")
    app.home()
    device.advance(by: .seconds(5))
    #expect(app.applicationState == .suspended && app.processEnds.isEmpty)
  }

  @Test
  func
    `W5 a request that was submitted under the app's own names stays the delegate's, unless its handler is registered`()
    throws
  {
    let (device, app, worker) = phone()
    worker.identifiers = ["refresh"]
    app.launch()
    try app.submitTaskRequest("sync", kind: .processing)
    try app.submitTaskRequest("refresh", kind: .appRefresh)
    device.lock()
    device.advance(by: .seconds(900))
    #expect(
      worker.wakes.map(\.identifier) == ["sync"] && worker.tasks.map(\.identifier) == ["refresh"])
    app.deliver(.appRefresh)
    #expect(worker.wakes.map(\.identifier) == ["sync", nil])
  }

  // MARK: Exceptions

  @Test func `registering says whether the manifest permits it, and needs a process`() {
    let (device, app, worker) = phone()
    #expect(!app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in })
    worker.identifiers = []
    app.launch()
    #expect(!app.taskScheduler.register(forTaskWithIdentifier: "other", using: nil) { _ in })
    #expect(device.processEnds.isEmpty && app.applicationState == .active)
  }

  @Test func `registering after the launch, or twice, ends the process`() throws {
    let (device, app, worker) = phone()
    let other = device.register("com.example.other")
    other.launch()
    app.launch()
    #expect(!app.taskScheduler.register(forTaskWithIdentifier: "sync", using: nil) { _ in })
    #expect(app.applicationState == .notRunning && other.applicationState == .suspended)
    #expect(app.processEnds.map(\.reason) == [.abnormalExit])
    #expect(
      app.processEnds.last?.error?.hasPrefix(
        "All launch handlers must be registered before application finishes launching") == true)
    worker.identifiers = ["refresh", "refresh", "clean"]
    app.launch()
    #expect(app.applicationState == .notRunning && app.processEnds.count == 2)
    #expect(
      app.processEnds.last?.error?.hasPrefix(
        "Launch handler for task with identifier refresh has already been registered") == true)
    worker.identifiers = ["refresh", "clean"]
    app.launch()
    #expect(app.applicationState == .active)
  }

  @Test func `W5 a launch that forgets to register is ended when its request is started`() throws {
    let (device, app, worker) = phone()
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.crash()
    worker.identifiers = ["clean"]
    device.advance(by: .seconds(900))
    #expect(worker.tasks.isEmpty && worker.wakes.isEmpty && app.applicationState == .notRunning)
    #expect(
      app.processEnds.last?.error?.hasPrefix(
        "No launch handler registered for task with identifier refresh") == true)
  }

  @Test func `submitting a request without a handler ends the process`() {
    let (device, app, worker) = phone()
    worker.identifiers = ["refresh"]
    app.launch()
    #expect(throws: BGTaskScheduler.Error.self) {
      try app.taskScheduler.submit(BGProcessingTaskRequest(identifier: "clean"))
    }
    #expect(device.processEnds.map(\.reason) == [.abnormalExit])
    #expect(
      app.processEnds.last?.error?.hasPrefix(
        "No launch handler registered for task with identifier clean") == true)
  }

  // MARK: Errors

  private func code(_ app: App, _ request: BGTaskRequest) -> BGTaskScheduler.Error.Code? {
    do { try app.taskScheduler.submit(request) } catch {
      return (error as? BGTaskScheduler.Error)?.code
    }
    return nil
  }

  @Test func `W5 a refusal has Apple's code and its reason`() throws {
    let (device, app, worker) = phone()
    #expect(code(app, BGAppRefreshTaskRequest(identifier: "refresh")) == .unavailable)
    app.launch()
    #expect(code(app, BGAppRefreshTaskRequest(identifier: "refresh")) == nil)
    #expect(code(app, BGAppRefreshTaskRequest(identifier: "clean")) == .tooManyPendingTaskRequests)
    #expect(code(app, BGProcessingTaskRequest(identifier: "clean")) == nil)
    do {
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "other"))
      Issue.record("'other' was taken")
    } catch BGTaskScheduler.Error.unavailable {
      Issue.record("'other' is not unavailable")
    } catch BGTaskScheduler.Error.notPermitted {
      // The expected error.
    }
    device.update { $0.backgroundRefresh = .denied }
    do {
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
      Issue.record("'refresh' was taken")
    } catch let error as BGTaskScheduler.Error {
      #expect(
        error.code == .unavailable && error.refusal?.identifier == "refresh"
          && "\(error)".contains("unavailable"))
      #expect(
        (error as NSError).domain == "BGTaskSchedulerErrorDomain" && (error as NSError).code == 1)
    }
    #expect(app.processEnds.isEmpty && worker.log.lines == ["launch inactive"])
    let (oldDevice, old, _) = phone(policy: .ios7)
    old.launch()
    #expect(
      code(old, BGAppRefreshTaskRequest(identifier: "refresh")) == .unavailable
        && oldDevice.processEnds.isEmpty)
  }
}
