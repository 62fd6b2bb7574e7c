import Curfew
import Foundation
import TestRuns
import Testing

/// Calls of a process's host in real time (rules A2, A6).
@Suite(.inTurn, .timeLimit(.minutes(30))) struct ProcessHostThreadTests {
  /// A device whose time only the test moves, and an app with a host; both log, and block at
  /// the lines that the test names until it opens the gate.
  private final class Stage: Sendable {
    let clock = StandingClock()
    let device: Device
    let app: App
    let log = Log()
    private let gate = DispatchSemaphore(value: 0)

    init(_ blocking: Set<String>) throws {
      device = Device(policy: try .crowded, clock: .realTime(clock))
      let block: @Sendable (String, App) -> Void = { [gate, log] line, _ in
        guard blocking.contains(line) else { return }
        gate.wait()
        log.add("\(line) returns")
      }
      app = device.register(
        "mail", delegate: LoggingDelegate(log, block), process: LoggingHost(log, block))
    }

    deinit { for _ in 0..<8 { gate.signal() } }

    func open() { gate.signal() }

    func waitForLine(_ line: String) async {
      await eventually("no \(line)") { log.lines.last == line }
    }

    func launch() async {
      app.launch()
      await waitForLine("didBecomeActive")
      await eventually("not at rest") { !app.owesReturn }
    }

    func suspend() async {
      app.home()
      await waitForLine("suspend")
    }
  }

  @Test func `A6 resume returns before anything else is delivered`() async throws {
    let stage = try Stage(["resume"])
    await stage.launch()
    await stage.suspend()
    stage.app.post("news")
    stage.app.launch()
    await stage.waitForLine("resume")
    try await Task.sleep(for: .milliseconds(20))
    #expect(stage.log.lines.last == "resume")
    stage.open()
    await stage.waitForLine("didBecomeActive")
    #expect(
      stage.log.lines.suffix(5)
        == ["resume", "resume returns", "willEnterForeground", "news -", "didBecomeActive"])
  }

  @Test func `A6 a suspension that was left again before its turn is not called`() async throws {
    let stage = try Stage(["block -"])
    await stage.launch()
    let task = stage.app.beginBackgroundTask()
    stage.app.home()
    await stage.waitForLine("didEnterBackground")
    await eventually("not at rest") { !stage.app.owesReturn }
    // The engine does not wait for the delivery of a notification.
    stage.app.post("block")
    await stage.waitForLine("block -")
    stage.app.endBackgroundTask(task)
    #expect(stage.app.applicationState == .suspended)
    stage.app.launch()
    stage.open()
    await stage.waitForLine("didBecomeActive")
    #expect(
      stage.log.lines.suffix(4)
        == ["block -", "block - returns", "willEnterForeground", "didBecomeActive"])
    await eventually("not at rest") { !stage.app.owesReturn }
    await stage.suspend()
  }

  @Test func `A6 a suspension that has begun is followed by its resume`() async throws {
    let stage = try Stage(["suspend"])
    await stage.launch()
    await stage.suspend()
    stage.app.launch()
    stage.open()
    await stage.waitForLine("didBecomeActive")
    #expect(
      stage.log.lines.suffix(5) == [
        "suspend", "suspend returns", "resume", "willEnterForeground", "didBecomeActive",
      ])
  }

  @Test func `A2 a host that blocks holds up its own app alone`() async throws {
    let stage = try Stage(["suspend"])
    let log = Log()
    let others = (0..<8).map {
      stage.device.register(
        "other\($0)", delegate: LoggingDelegate(log), process: LoggingHost(log))
    }
    await stage.launch()
    await stage.suspend()
    stage.app.launch()
    for other in others {
      other.launch()
      await eventually("another app is held up") {
        other.applicationState == .active && !other.owesReturn
      }
      other.home()
      await eventually("another app is held up") { log.lines.last == "suspend" }
    }
    #expect(stage.log.lines.last == "suspend")
    stage.open()
    await stage.waitForLine("didBecomeActive")
  }

  @Test func `D2 an end from outside waits for the callback, and the next process for the end`()
    async throws
  {
    let stage = try Stage(["willResignActive", "end signal"])
    await stage.launch()
    stage.app.home()
    await stage.waitForLine("willResignActive")
    stage.app.crash(.signal(9))
    #expect(stage.app.applicationState == .notRunning)
    stage.app.launch()
    try await Task.sleep(for: .milliseconds(20))
    #expect(stage.log.lines.last == "willResignActive")
    stage.open()
    await stage.waitForLine("end signal")
    try await Task.sleep(for: .milliseconds(20))
    #expect(stage.log.lines.last == "end signal")
    stage.open()
    await stage.waitForLine("didBecomeActive")
    #expect(
      stage.log.lines.suffix(6) == [
        "willResignActive returns", "end signal", "end signal returns", "willFinishLaunching",
        "didFinishLaunching", "didBecomeActive",
      ])
  }

  @Test func `D2 processes that end while an end blocks are told in order, once each`() async throws
  {
    let stage = try Stage(["end signal"])
    await stage.launch()
    stage.app.crash(.signal(9))
    await stage.waitForLine("end signal")
    stage.app.launch()
    stage.app.crash(.oomKill)
    stage.app.launch()
    #expect(stage.log.lines.last == "end signal")
    stage.open()
    await stage.waitForLine("didBecomeActive")
    #expect(
      stage.log.lines.suffix(6) == [
        "end signal", "end signal returns", "end oomKill", "willFinishLaunching",
        "didFinishLaunching", "didBecomeActive",
      ])
  }

  @Test func `A10 a callback that never returns does not hold up the end by the watchdog`()
    async throws
  {
    let stage = try Stage(["didEnterBackground"])
    await stage.launch()
    stage.app.home()
    await stage.waitForLine("didEnterBackground")
    await eventually("no callback") { stage.app.owesReturn }
    stage.clock.goOn(at: .zero + .seconds(700))
    await stage.waitForLine("end appWatchdog")
    stage.app.launch()
    await stage.waitForLine("didBecomeActive")
    stage.open()
    await eventually("not returned") { stage.log.lines.last == "didEnterBackground returns" }
    stage.app.home()
    await stage.waitForLine("didEnterBackground")
    stage.open()
    await stage.waitForLine("suspend")
    #expect(stage.log.lines.count { $0.hasPrefix("end") } == 1)
  }

  @Test func `A12 an end may still be on its way when its app has been removed`() async throws {
    let stage = try Stage(["suspend"])
    await stage.launch()
    await stage.suspend()
    stage.app.forceQuit()
    #expect(stage.device.removeApp(stage.app))
    stage.open()
    await stage.waitForLine("end userForceQuit")
    #expect(stage.log.lines.suffix(3) == ["suspend", "suspend returns", "end userForceQuit"])
  }

  @Test func `a device that is closed makes no further call of a host`() async throws {
    let stage = try Stage(["suspend"])
    await stage.launch()
    await stage.suspend()
    stage.app.forceQuit()
    stage.device.close()
    stage.open()
    await stage.waitForLine("suspend returns")
    try await Task.sleep(for: .milliseconds(20))
    #expect(stage.log.lines.last == "suspend returns")
  }

  @Test func `with a main actor's executor, the calls come on the main actor in real time`()
    async throws
  {
    let (clock, log) = (StandingClock(), Log())
    let device = Device(
      policy: try .crowded, clock: .realTime(clock), executor: MainActorExecutor())
    let host = LoggingHost(log) { _, _ in MainActor.assertIsolated() }
    let app = device.register("mail", delegate: LoggingDelegate(log), process: host)
    app.launch()
    await eventually("no launch") { app.applicationState == .active && !app.owesReturn }
    app.home()
    await eventually("no suspension") { log.lines.last == "suspend" }
    app.launch()
    await eventually("no return") { log.lines.last == "didBecomeActive" && !app.owesReturn }
    app.crash()
    await eventually("no end") { log.lines.last == "end abnormalExit" }
    #expect(log.lines.count { $0 == "resume" } == 1)
    device.close()
  }
}
