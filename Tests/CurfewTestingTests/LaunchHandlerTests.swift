import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// The thread of launch handlers in virtual time: the main thread for the main queue, and another
/// thread without a queue, as on a phone.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct LaunchHandlerTests {
  /// A mail app with a list on the main actor.
  private final class Mail: AppDelegate {
    let queue: DispatchQueue?
    let work: @Sendable (App, BGTask) -> Void

    init(_ queue: DispatchQueue?, _ work: @escaping @Sendable (App, BGTask) -> Void) {
      (self.queue, self.work) = (queue, work)
    }

    func applicationDidFinishLaunching(_ app: App) {
      app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: queue) { [work] task in
        work(app, task)
      }
    }
  }

  /// Runs a refresh to its end.
  private static func refresh(
    using queue: DispatchQueue?, _ work: @escaping @Sendable (App, BGTask) -> Void
  ) {
    let device = Device.current
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register("com.example.mail", manifest: manifest, delegate: Mail(queue, work))
    app.launch()
    try? app.run { try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) }
    device.home()
    device.advance(by: .seconds(940))
    #expect(app.applicationState == .suspended && app.processEnds.isEmpty)
  }

  /// Handlers that call the app, let time pass and begin async work on either thread.
  private static func places(using queue: DispatchQueue?) -> [String] {
    let lines = Lines()
    @Sendable func note(_ what: String) {
      lines.add("\(what) \(Thread.isMainThread ? "main" : "other") at \(Device.current.now)")
    }
    refresh(using: queue) { app, task in
      note("launch")
      #expect(throws: Never.self) { try app.run { note("run") } }
      Device.current.advance(by: .seconds(1))
      task.expirationHandler = {
        note("expiration")
        Task { @MainActor in
          note("job")
          task.setTaskCompleted(success: false)
        }
      }
      Task {
        try? await Task.sleep(for: .seconds(2))
        note("task")
      }
    }
    return lines.all
  }

  private static func expected(_ place: String) -> [String] {
    [
      "launch \(place) at 900s", "run \(place) at 900s", "task other at 903s",
      "expiration \(place) at 925s", "job main at 925s",
    ]
  }

  /// The main thread waits for the handler, which has a thread of its own.
  @MainActor @Test(.device(.ios13, reporting: []))
  func `a handler that waits for ever ends its process, and not its test`() {
    let device = Device.current
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let mail = Mail(nil) { _, _ in DispatchSemaphore(value: 0).wait() }
    let app = device.register("com.example.mail", manifest: manifest, delegate: mail)
    app.launch()
    try? app.run { try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh")) }
    device.home()
    device.advance(by: .seconds(940))
    #expect(app.processEnds.count == 1 && device.now == .zero + .seconds(940), "\(app.processEnds)")
  }

  @MainActor @Test(.device(.ios13)) func `handlers of a test on the main actor`() {
    #expect(Self.places(using: .main) == Self.expected("main"))
  }

  @MainActor @Test(.device(.ios13)) func `handlers without a queue, on the main actor`() {
    #expect(Self.places(using: nil) == Self.expected("other"))
  }

  @Test(.device(.ios13)) func `handlers for the main queue`() async {
    #expect(Self.places(using: .main) == Self.expected("main"))
  }

  @Test(.device(.ios13)) func `handlers without a queue`() async {
    #expect(Self.places(using: nil) == Self.expected("other"))
  }

  @Test(.device(.ios13)) func `handlers of a synchronous test`() {
    #expect(Self.places(using: .main) == Self.expected("main"))
  }

  @Test(.device(.ios13), arguments: ["serial", "concurrent"])
  func `handlers for a queue of the app's own`(label: String) async {
    let queue = DispatchQueue(label: label, attributes: label == "serial" ? [] : .concurrent)
    let places = await Self.places(on: queue)
    #expect(places == ["launch at 900s", "expiration at 925s"])
  }

  @Test(.device(.ios13), arguments: ["none", "main", "global"])
  func `handlers are on the queue that was named`(name: String) async {
    let queue: DispatchQueue? = name == "none" ? nil : name == "main" ? .main : .global()
    let lines = Lines()
    @Sendable func note(_ what: String) {
      dispatchPrecondition(condition: name == "main" ? .onQueue(.main) : .notOnQueue(.main))
      lines.add("\(what) \(Thread.isMainThread ? "main" : "other")")
    }
    Self.refresh(using: queue) { _, task in
      note("launch")
      task.expirationHandler = {
        note("expiration")
        task.setTaskCompleted(success: false)
      }
    }
    let place = name == "main" ? "main" : "other"
    #expect(lines.all == ["launch \(place)", "expiration \(place)"])
  }

  @MainActor private static func places(on queue: DispatchQueue) -> [String] {
    let lines = Lines()
    @Sendable func note(_ what: String) {
      dispatchPrecondition(condition: .onQueue(queue))
      dispatchPrecondition(condition: .notOnQueue(.main))
      lines.add("\(what) at \(Device.current.now)")
    }
    refresh(using: queue) { _, task in
      note("launch")
      task.expirationHandler = {
        note("expiration")
        task.setTaskCompleted(success: false)
      }
      // The handler of another app with the same queue would have to wait for this one.
      Device.current.advance(by: .seconds(1))
    }
    return lines.all
  }

  /// A list that its refresh updates, as on a phone.
  @MainActor private final class List {
    private(set) var messages = 0

    func refresh(using queue: DispatchQueue?) {
      LaunchHandlerTests.refresh(using: queue) { _, task in
        MainActor.assumeIsolated { self.messages += 1 }
        task.setTaskCompleted(success: true)
      }
    }
  }

  @Test(.device(.ios13)) func `the main actor is assumed in a handler for the main queue`() async {
    let list = List()
    await list.refresh(using: .main)
    #expect(await list.messages == 1)
  }

  @Test func `the main actor cannot be assumed in a handler without a queue`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withDevice(Device(policy: .ios13), reporting: []) { _ in
        let list = List()
        await list.refresh(using: nil)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Incorrect actor executor assumption"), "\(text)")
  }
}
