import Curfew
import Dispatch
import Foundation
import TestRuns
import Testing

/// Where handlers run, and how long they are kept.
@Suite(.inTurn, .timeLimit(.minutes(30))) struct TaskSchedulerThreadTests {
  private static let key = DispatchSpecificKey<String>()
  private let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])

  /// Registers for `refresh` at each launch.
  private final class Registrar: AppDelegate {
    let queue: DispatchQueue?
    let work: @Sendable (BGTask) -> Void
    /// Posts that have been delivered.
    let posts = Log()

    init(on queue: DispatchQueue?, _ work: @escaping @Sendable (BGTask) -> Void) {
      (self.queue, self.work) = (queue, work)
    }

    func application(_ app: App, didReceive notification: String, value: String?) {
      posts.add(notification)
    }

    func applicationDidFinishLaunching(_ app: App) {
      app.taskScheduler.register(
        forTaskWithIdentifier: "refresh", using: queue, launchHandler: work)
    }
  }

  private func queue() -> DispatchQueue {
    let queue = DispatchQueue(label: "refresh")
    queue.setSpecific(key: TaskSchedulerThreadTests.key, value: "own")
    return queue
  }

  private static var place: String { DispatchQueue.getSpecific(key: key) ?? "another" }

  @Test func `on a virtual clock handlers run on the queue that was named`() throws {
    let (device, log) = (Device(policy: .ios13), Log())
    let registrar = Registrar(on: queue()) { task in
      log.add("launch on \(TaskSchedulerThreadTests.place)")
      task.expirationHandler = { log.add("expiration on \(TaskSchedulerThreadTests.place)") }
    }
    let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
    app.launch()
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    device.advance(by: .seconds(925))
    #expect(log.lines == ["launch on own", "expiration on own"])
  }

  @Test func `in real time handlers run on the queue that was named, or on another queue`()
    throws
  {
    for (queue, place) in [(queue(), "own"), (nil, "another")] {
      let (clock, log) = (StandingClock(), Log())
      let device = Device(policy: .ios13, clock: .realTime(clock))
      let registrar = Registrar(on: queue) { task in
        log.add("launch on \(TaskSchedulerThreadTests.place)")
        task.expirationHandler = {
          log.add("expiration on \(TaskSchedulerThreadTests.place)")
          task.setTaskCompleted(success: false)
        }
        log.add("set")
      }
      let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
      app.launch()
      wait("no launch") { app.applicationState == .active }
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
      app.taskScheduler.getPendingTaskRequests {
        log.add("\($0.count) pending on \(TaskSchedulerThreadTests.place)")
      }
      wait("no answer") { log.lines.count == 1 }
      app.home()
      wait("not suspended") { app.applicationState == .suspended }
      clock.goOn(at: .zero + .seconds(900))
      wait("no task") { log.lines.count == 3 }
      clock.goOn(at: .zero + .seconds(925))
      wait("no end") { app.applicationState == .suspended }
      #expect(
        log.lines == [
          "1 pending on another", "launch on \(place)", "set", "expiration on \(place)",
        ])
      device.close()
    }
  }

  @Test func `work that waits on a queue when its process ends does not run`() throws {
    let (clock, log, queue) = (StandingClock(), Log(), queue())
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let registrar = Registrar(on: queue) { task in log.add("launch \(task.identifier)") }
    let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
    app.launch()
    wait("no launch") { app.applicationState == .active }
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    wait("not suspended") { app.applicationState == .suspended }
    queue.suspend()
    clock.goOn(at: .zero + .seconds(900))
    wait("no task") { app.applicationState == .background }
    // A post that arrives on the run loop after the task's start was passed to the queue.
    app.post("after")
    wait("no post") { registrar.posts.lines == ["after"] }
    app.forceQuit()
    wait("no end") { app.applicationState == .notRunning }
    queue.resume()
    queue.sync {}
    #expect(log.lines.isEmpty)
    device.close()
  }

  @Test func `on a virtual clock a suspended queue stops the program with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      setenv("CURFEW_HANG", "1", 1)
      let (device, queue) = (Device(policy: .ios13), DispatchQueue(label: "asleep"))
      let app = device.register(
        "com.example.mail",
        manifest: AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"]),
        delegate: Registrar(on: queue) { _ in })
      app.launch()
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
      app.home()
      queue.suspend()
      device.advance(by: .seconds(940))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the queue 'asleep'") && text.contains("it is suspended"), "\(text)")
  }

  @Test func `in real time App.current is the app in handlers that have a queue, but not in tasks`()
    throws
  {
    for queue in [queue(), nil] {
      let (clock, log) = (StandingClock(), Log())
      let device = Device(policy: .ios13, clock: .realTime(clock))
      @Sendable func note(_ place: String) {
        log.add("\(place): \(App.current?.name ?? "none")")
        // The task begins on this thread, and inherits the task-local values.
        Task.immediate { log.add("task: \(App.current?.name ?? "none")") }
      }
      let registrar = Registrar(on: queue) { task in
        note("launch")
        task.expirationHandler = {
          note("expiration")
          task.setTaskCompleted(success: false)
        }
        log.add("set")
      }
      let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
      app.launch()
      wait("no launch") { app.applicationState == .active }
      try app.run { note("run") }
      try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
      app.home()
      wait("not suspended") { app.applicationState == .suspended }
      clock.goOn(at: .zero + .seconds(900))
      wait("no task") { log.lines.count == 5 }
      clock.goOn(at: .zero + .seconds(925))
      wait("no end") { app.applicationState == .suspended }
      let name = "com.example.mail"
      #expect(
        log.lines == [
          "run: \(name)", "task: none", "launch: \(name)", "task: none", "set",
          "expiration: \(name)", "task: none",
        ])
      device.close()
    }
  }

  /// An object that handlers use.
  private final class Token: Sendable { func use() {} }

  @Test
  func
    `objects that handlers use are released when their process ends, and when the device is closed`()
    throws
  {
    for isClosed in [false, true] {
      let device = Device(policy: .ios13)
      weak var token: Token?
      weak var task: BGTask?
      do {
        let (held, kept) = (Token(), Kept())
        token = held
        let registrar = Registrar(on: nil) { started in
          kept.task = started
          started.expirationHandler = {
            held.use()
            started.setTaskCompleted(success: false)
          }
        }
        let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
        app.launch()
        try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        app.home()
        device.advance(by: .seconds(910))
        task = kept.task
        #expect(task != nil)
        kept.task = nil
        if isClosed { device.close() } else { app.forceQuit() }
        if !isClosed { device.removeApp(app) }
      }
      #expect(token == nil && task == nil, "closed: \(isClosed)")
    }
  }

  private final class Kept: @unchecked Sendable { var task: BGTask? }
}
