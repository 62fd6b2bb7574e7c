import Curfew
import Dispatch
import Foundation
import TestRuns
import Testing

/// The place of launch handlers and expiration handlers on a virtual clock: the main queue if they
/// were registered for it, and another queue if they were not.
@Suite(.inTurn) struct TaskSchedulerActorTests {
  /// Marks the main queue, which any thread may serve in a program that calls `dispatchMain()`.
  private static let mark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  private static var place: String {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
      ? "on the main queue" : "elsewhere"
  }

  /// Registers for `refresh` at each launch.
  private final class Registrar: AppDelegate {
    let queue: DispatchQueue?
    let work: @Sendable (BGTask) -> Void

    init(on queue: DispatchQueue?, _ work: @escaping @Sendable (BGTask) -> Void) {
      (self.queue, self.work) = (queue, work)
    }

    func applicationDidFinishLaunching(_ app: App) {
      app.taskScheduler.register(
        forTaskWithIdentifier: "refresh", using: queue, launchHandler: work)
    }
  }

  /// Runs a refresh up to its warning; `work` is its launch handler.
  private static func refresh(
    on queue: DispatchQueue?, _ device: Device, _ work: @escaping @Sendable (BGTask) -> Void
  ) {
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let app = device.register(
      "com.example.mail", manifest: manifest, delegate: Registrar(on: queue, work))
    app.launch()
    try? app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    device.home()
    device.advance(by: .seconds(925))
  }

  /// The places of both handlers, which also let time pass.
  private static func places(on queue: DispatchQueue?, _ device: Device) -> [String] {
    let log = Log()
    @Sendable func note(_ handler: String) {
      log.add("\(handler) \(place)")
    }
    refresh(on: queue, device) { task in
      note("launch")
      device.advance(by: .seconds(1))
      task.expirationHandler = {
        note("expiration")
        task.setTaskCompleted(success: false)
      }
    }
    #expect(device.diagnostics.isEmpty && device.processEnds.isEmpty)
    return log.lines
  }

  private static let main = ["launch on the main queue", "expiration on the main queue"]
  private static let other = ["launch elsewhere", "expiration elsewhere"]

  @MainActor @Test func `handlers run where they were registered, in a test on the main thread`() {
    #expect(Self.places(on: .main, Device(policy: .ios13)) == Self.main)
    #expect(Self.places(on: nil, Device(policy: .ios13)) == Self.other)
    #expect(Self.places(on: DispatchQueue(label: "own"), Device(policy: .ios13)) == Self.other)
  }

  @Test func `handlers run where they were registered, in a test on another thread`() {
    #expect(Self.places(on: .main, Device(policy: .ios13)) == Self.main)
    #expect(Self.places(on: nil, Device(policy: .ios13)) == Self.other)
  }

  @Test func `handlers run where they were registered, if the main actor runs all callbacks`() {
    func device() -> Device { Device(policy: .ios13, executor: MainActorExecutor()) }
    #expect(Self.places(on: .main, device()) == Self.main)
    #expect(Self.places(on: nil, device()) == Self.other)
  }

  @Test func `in real time too, a handler without a queue is off the main actor`() async throws {
    let (clock, log) = (StandingClock(), Log())
    let device = Device(policy: .ios13, clock: .realTime(clock), executor: MainActorExecutor())
    let manifest = AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["refresh"])
    let registrar = Registrar(on: nil) { task in
      log.add(TaskSchedulerActorTests.place)
      task.setTaskCompleted(success: true)
    }
    let app = device.register("com.example.mail", manifest: manifest, delegate: registrar)
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    try app.taskScheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    app.home()
    await eventually("the suspension") { app.applicationState == .suspended }
    clock.goOn(at: .zero + .seconds(900))
    await eventually("the task") { log.lines.count == 1 }
    await eventually("the end") { app.applicationState == .suspended }
    #expect(log.lines == ["elsewhere"])
    device.close()
  }

  /// Updates the screen from a launch handler.
  @MainActor private final class Screen {
    private(set) var refreshes = 0
    func refresh(on queue: DispatchQueue?) {
      TaskSchedulerActorTests.refresh(on: queue, Device(policy: .ios13)) { task in
        MainActor.assumeIsolated { self.refreshes += 1 }
        task.setTaskCompleted(success: true)
      }
    }
  }

  @MainActor @Test func `a handler for the main queue may use the main actor`() {
    let screen = Screen()
    screen.refresh(on: .main)
    #expect(screen.refreshes == 1)
  }

  @Test func `a handler without a queue that uses the main actor stops the program`() async {
    let result = await #expect(processExitsWith: .failure) { await Screen().refresh(on: nil) }
    // The runtime traps. Its message depends on the libraries of the process.
    let traps: [ExitStatus] = [.signal(SIGILL), .signal(SIGTRAP)]
    #expect(result.map { traps.contains($0.exitStatus) } == true)
  }
}
