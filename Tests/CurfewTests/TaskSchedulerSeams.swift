import Curfew
import Dispatch
import Foundation
import TestRuns
import Testing

// Protocols that programs declare over BackgroundTasks to substitute something else: each must fit
// without an adapter.

/// Apple's framework, declared word for word.
protocol WholeScheduler: AnyObject {
  func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping (BGTask) -> Void
  ) -> Bool
  func submit(_ taskRequest: BGTaskRequest) throws
  func cancel(taskRequestWithIdentifier identifier: String)
  func cancelAllTaskRequests()
  func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void)
  func pendingTaskRequests() async -> [BGTaskRequest]
}

/// The same for a program that checks its concurrency.
protocol SendableScheduler: Sendable {
  @discardableResult
  func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool
  func submit(_ taskRequest: BGTaskRequest) throws
  func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void)
}

/// The protocol of a program whose interface is entirely on the main actor.
@MainActor protocol MainActorScheduler {
  func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping (BGTask) -> Void
  ) -> Bool
  func submit(_ taskRequest: BGTaskRequest) throws
  func pendingTaskRequests() async -> [BGTaskRequest]
}

protocol RunningTask: AnyObject {
  var identifier: String { get }
  var expirationHandler: (() -> Void)? { get set }
  func setTaskCompleted(success: Bool)
}

protocol PendingRequest {
  var identifier: String { get }
  var earliestBeginDate: Date? { get set }
}

extension BGTaskScheduler: WholeScheduler, SendableScheduler, MainActorScheduler {}
extension BGTask: RunningTask {}
extension BGTaskRequest: PendingRequest {}

@Suite(.inTurn) struct TaskSchedulerSeamTests {
  /// Registers and submits like a library that is given its protocol.
  private func start(_ scheduler: any WholeScheduler, _ log: Log) throws {
    _ = scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
      let running: any RunningTask = task
      log.add("\(running.identifier) \(task is BGAppRefreshTask)")
      running.setTaskCompleted(success: true)
    }
    try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    scheduler.getPendingTaskRequests { log.add("\($0.count) pending") }
  }

  @Test func `W5 a library that is given its own protocol registers, submits and is called`() {
    let log = Log()
    let device = Device(policy: .ios13)
    let delegate = LoggingDelegate(Log()) { line, app in
      if line == "didFinishLaunching" { try self.start(app.taskScheduler, log) }
    }
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register("com.example.mail", manifest: manifest, delegate: delegate)
    app.launch()
    app.home()
    device.advance(by: .seconds(900))
    #expect(log.lines == ["1 pending", "refresh true"])
  }
}
