import Curfew
import Dispatch
import Foundation
import TestRuns
import Testing

/// Handlers that are isolated to an actor: their call, their count and their instant.
@Suite(.inTurn) struct IsolatedHandlerTests {
  /// An object that a handler captures.
  private final class Captured: @unchecked Sendable {
    private let log: Log
    init(_ log: Log) { self.log = log }
    func use() { log.add("used") }
    deinit { log.add("released") }
  }

  private struct Full: Error {}

  /// Ends its tasks, from any thread.
  private actor Store {
    private(set) var saves = 0

    func begin(on app: App) {
      let box = Box()
      box.value = app.beginBackgroundTask(withName: "save") {
        self.saves += 1
        app.endBackgroundTask(box.value)
      }
    }

    /// Lets time pass on the actor.
    func advance(_ device: Device) { device.advance(by: .seconds(60)) }

    /// Lets time pass on another thread, for which the actor waits.
    func advanceElsewhere(_ device: Device) {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        device.advance(by: .seconds(60))
        done.signal()
      }
      done.wait()
    }
  }

  private final class Box: @unchecked Sendable { var value = BackgroundTaskIdentifier.invalid }

  @MainActor
  @Test func `a handler is called without its isolation, and releases what it holds once`() {
    for _ in 0..<1_000 {
      let log = Log()
      do {
        let object = Captured(log)
        let handlers: [@isolated(any) () throws -> Void] = [
          { @Sendable in object.use() }, { @MainActor in object.use() },
          { @Sendable in
            object.use()
            throw Full()
          },
          { @MainActor in
            object.use()
            throw Full()
          },
        ]
        #expect(handlers.map { $0.isolation === MainActor.shared } == [false, true, false, true])
        #expect(handlers.map { $0.isolation == nil } == [true, false, true, false])
        for (index, handler) in handlers.enumerated() {
          let unchecked = IsolatedHandler(handler).unchecked
          #expect((unchecked.isolation == nil) == (handler.isolation == nil))
          let plain = IsolatedHandler(unchecked).plain
          if index < 2 {
            #expect(throws: Never.self) { try plain() }
          } else {
            #expect(throws: Full.self) { try plain() }
          }
        }
      }
      #expect(log.lines == ["used", "used", "used", "used", "released"])
    }
  }

  nonisolated(unsafe) private static var calls = 0

  @MainActor
  @Test func `so is a handler that captures nothing`() throws {
    Self.calls = 0
    let free: @Sendable @isolated(any) () throws -> Void = { @Sendable in Self.calls += 1 }
    let main: @Sendable @isolated(any) () throws -> Void = { @MainActor in Self.calls += 1 }
    let thrower: @Sendable @isolated(any) () throws -> Void = { @MainActor in throw Full() }
    for _ in 0..<1_000 {
      try IsolatedHandler(free).plain()
      try IsolatedHandler(main).plain()
      #expect(throws: Full.self) { try IsolatedHandler(thrower).plain() }
    }
    #expect(Self.calls == 2_000)
  }

  @MainActor
  @Test func `a device releases what a handler holds once, called or not`() {
    for isCalled in [true, false] {
      for _ in 0..<100 {
        let (device, log) = (Device(policy: .ios13), Log())
        let app = device.register("mail")
        app.launch()
        do {
          let object = Captured(log)
          let tasks = [
            app.object.beginBackgroundTask { object.use() },
            app.beginBackgroundTask { object.use() },
            app.beginBackgroundTask { @Sendable _ in object.use() },
            app.beginBackgroundTask { @MainActor _ in object.use() },
          ]
          device.home()
          if isCalled { device.advance(by: .seconds(26)) }
          for task in tasks { app.endBackgroundTask(task) }
        }
        #expect(log.lines.filter { $0 == "used" }.count == (isCalled ? 4 : 0))
        #expect(log.lines.filter { $0 == "released" }.count == 1)
      }
    }
  }

  // MARK: Real time

  /// An app in the background in real time, with a handler of the main actor.
  private static func uploading(_ clock: StandingClock, _ log: Log, _ task: Box) async -> Device {
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let app = device.register("mail")
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    task.value = app.beginBackgroundTask(withName: "upload") { @MainActor in
      log.add("called")
      app.endBackgroundTask(task.value)
    }
    app.home()
    await eventually("the background") { app.isQuietInBackground }
    return device
  }

  /// Holds the main thread while the warning becomes due.
  @MainActor private static func beBusy(_ clock: StandingClock, _ body: () -> Void) {
    clock.goOn(at: .zero + .seconds(25))
    Thread.sleep(forTimeInterval: 0.2)
    clock.goOn(at: .zero + .milliseconds(25_700))
    body()
  }

  @Test
  func `F5 a handler that waits for the main thread is not called if its task ends before that`()
    async throws
  {
    let (clock, log, task) = (StandingClock(), Log(), Box())
    let device = await Self.uploading(clock, log, task)
    let app = try #require(device.apps.first)
    await Self.beBusy(clock) { app.endBackgroundTask(task.value) }
    await eventually("the suspension") { app.applicationState == .suspended }
    await eventually("the end of the call") { device.counts.skippedHandlers == 1 }
    #expect(device.counts.handlersCalled == 0 && device.lateness.firstLines.count == 0)
    #expect(log.lines.isEmpty && !app.mayRunExpirationHandler(of: task.value))
    device.close()
  }

  @Test func `F6 a handler that waits for the main thread begins when the thread is free`()
    async throws
  {
    let (clock, log, task) = (StandingClock(), Log(), Box())
    let device = await Self.uploading(clock, log, task)
    let app = try #require(device.apps.first)
    await Self.beBusy(clock) { #expect(device.counts.handlersCalled == 0) }
    await eventually("the suspension") { app.applicationState == .suspended }
    #expect(log.lines == ["called"] && device.counts.handlersCalled == 1)
    #expect(device.lateness.firstLines.max == .milliseconds(700))
    #expect(app.expirations.first?.calledAt == .zero + .milliseconds(25_700))
    device.close()
  }

  @Test func `in real time a handler of another actor is over when its thread is free`() async {
    let (clock, store) = (StandingClock(), Store())
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let app = device.register("mail")
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    await store.begin(on: app)
    app.home()
    await eventually("the background") { app.isQuietInBackground }
    clock.goOn(at: .zero + .seconds(25))
    await eventually("the suspension") { app.applicationState == .suspended }
    #expect(device.diagnostics.isEmpty && device.leakedTasks.isEmpty)
    #expect(await store.saves == 1)
    device.close()
  }

  // MARK: Virtual time

  private static func saving(_ store: Store) async -> Device {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    await store.begin(on: app)
    device.home()
    return device
  }

  @Test func `time does not go on before a handler of another actor has run`() async {
    for _ in 0..<100 {
      let store = Store()
      let device = await Self.saving(store)
      device.advance(by: .seconds(40))
      #expect(device.diagnostics.isEmpty && device.leakedTasks.isEmpty)
      #expect(await store.saves == 1)
    }
  }

  @Test func `a handler runs in place if the code that lets time pass is on its actor`() async {
    let store = Store()
    let device = await Self.saving(store)
    await store.advance(device)
    #expect(device.diagnostics.isEmpty && device.leakedTasks.isEmpty)
    #expect(await store.saves == 1)
  }

  @Test func `an actor that waits for the code that lets time pass is reported`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      setenv("CURFEW_HANG", "1", 1)
      let store = Store()
      await store.advanceElsewhere(IsolatedHandlerTests.saving(store))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "the expiration handler of 'save' waits for its actor, which may be busy with the code"),
      "\(text)")
  }

  /// Registers a launch handler that waits for the main thread.
  private final class Waiting: AppDelegate {
    func applicationDidFinishLaunching(_ app: App) {
      app.taskScheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
        DispatchQueue.main.sync {}
        task.setTaskCompleted(success: true)
      }
    }
  }

  @Test func `a launch handler that waits for the waiting main thread is reported`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { @MainActor in
      setenv("CURFEW_HANG", "1", 1)
      let device = Device(policy: .ios13)
      let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
      let app = device.register("mail", manifest: manifest, delegate: Waiting())
      app.launch()
      try app.run {
        try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
      }
      device.home()
      device.advance(by: .seconds(940))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("may be waiting for the main thread, which waits for it"), "\(text)")
  }
}
