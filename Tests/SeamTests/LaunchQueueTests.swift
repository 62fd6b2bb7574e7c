import Curfew
import Dispatch
import Foundation
import Testing

/// The queues that launch handlers run on, without virtual time for Dispatch.
@Suite struct LaunchQueueTests {
  private final class Mail: AppDelegate, @unchecked Sendable {
    private let queue: DispatchQueue?
    private let isMain: Bool
    private let checksQueue: Bool
    private(set) var calls = 0
    private(set) var mainCalls = 0

    init(_ queue: DispatchQueue?, isMain: Bool, checksQueue: Bool = true) {
      (self.queue, self.isMain, self.checksQueue) = (queue, isMain, checksQueue)
    }

    private func check() {
      if Thread.isMainThread { mainCalls += 1 }
      if let queue, checksQueue { dispatchPrecondition(condition: .onQueue(queue)) }
      if !isMain { dispatchPrecondition(condition: .notOnQueue(.main)) }
      calls += 1
    }

    func applicationDidFinishLaunching(_ app: App) {
      app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: queue) { task in
        self.check()
        task.expirationHandler = {
          self.check()
          task.setTaskCompleted(success: false)
        }
      }
    }
  }

  private static let queues: [String: DispatchQueue] = [
    "main": .main, "serial": DispatchQueue(label: "serial"),
    "concurrent": DispatchQueue(label: "concurrent", attributes: .concurrent),
  ]

  @Test(arguments: ["none", "main", "serial", "concurrent"])
  func `launch and expiration handlers run on the queue that was named`(name: String) throws {
    let mail = Mail(Self.queues[name], isMain: name == "main")
    try refresh(mail) { $0.advance(by: .seconds(940)) }
  }

  /// Runs a refresh to its end.
  private func refresh(_ mail: Mail, _ advance: (Device) -> Void) throws {
    let device = Device(policy: .ios13)
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register("com.example.mail", manifest: manifest, delegate: mail)
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    advance(device)
    #expect(mail.calls == 2 && app.processEnds.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a thread that holds the queue runs the handlers itself`(isTarget: Bool) throws {
    let queue = DispatchQueue(label: "held")
    let holder = isTarget ? DispatchQueue(label: "holder", target: queue) : queue
    try holder.sync {
      try refresh(Mail(queue, isMain: false)) { $0.advance(by: .seconds(940)) }
    }
  }

  @MainActor @Test func `a queue that the main thread holds does not wait for the main thread`()
    throws
  {
    let queue = DispatchQueue(label: "held by the main thread")
    // The main thread is on both queues.
    try refresh(Mail(queue, isMain: true)) { device in
      queue.sync { device.advance(by: .seconds(940)) }
    }
  }

  @MainActor @Test func `a queue whose target is the main queue runs handlers on the main thread`()
    throws
  {
    let target = DispatchQueue(label: "target", target: .main)
    let queue = DispatchQueue(label: "main by its target", target: target)
    let mail = Mail(queue, isMain: true, checksQueue: false)
    try refresh(mail) { $0.advance(by: .seconds(940)) }
    #expect(mail.mainCalls == 2)
  }
}
