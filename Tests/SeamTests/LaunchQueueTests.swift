import Curfew
import Dispatch
import Testing

/// The queues that launch handlers run on, without virtual time for Dispatch.
@Suite struct LaunchQueueTests {
  private final class Mail: AppDelegate, @unchecked Sendable {
    private let queue: DispatchQueue?
    private let isMain: Bool
    private(set) var calls = 0

    init(_ queue: DispatchQueue?, isMain: Bool) { (self.queue, self.isMain) = (queue, isMain) }

    private func check() {
      if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
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
    let (device, mail) = (Device(policy: .ios13), Mail(Self.queues[name], isMain: name == "main"))
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register("com.example.mail", manifest: manifest, delegate: mail)
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    device.advance(by: .seconds(940))
    #expect(mail.calls == 2 && app.processEnds.isEmpty)
  }
}
