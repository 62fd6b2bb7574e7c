import Curfew
import TestRuns
import Testing

/// Actions of apps other than background tasks, of the user and of the device, through
/// a program's calls.
@Suite(.inTurn) struct DoingsTests {
  private let device = Device(policy: .ios13)
  private let log = Log()

  private func launched(_ modes: BackgroundModes = [], permitted: [String] = []) -> App {
    let app = device.register(
      "mail", manifest: AppManifest(backgroundModes: modes, permittedIdentifiers: permitted),
      delegate: LoggingDelegate(log))
    app.launch()
    return app
  }

  @Test func `L1 a session keeps its app in the background until it is stopped`() {
    let app = launched(.audio)
    #expect(app.startSession(.audio)?.isAllowed == true)
    #expect(app.startSession(.location)?.reasons == .modeNotDeclared)
    device.home()
    device.advance(by: .seconds(3600))
    #expect(app.applicationState == .background)
    app.stopSession(.audio)
    device.advance(by: .seconds(10))
    #expect(app.applicationState == .suspended && app.processEnds.isEmpty)
  }

  @Test func `W3 fetches begin when an interval is set, and end when it is removed`() {
    let app = launched(.fetch)
    device.home()
    device.advance(by: .seconds(7200))
    #expect(!log.lines.contains("wake fetch"))
    app.launch()
    app.setMinimumBackgroundFetchInterval(.seconds(900))
    device.home()
    device.advance(by: .seconds(7200))
    let count = log.lines.count { $0 == "wake fetch" }
    #expect(count > 0)
    app.launch()
    app.setMinimumBackgroundFetchInterval(nil)
    device.home()
    device.advance(by: .seconds(7200))
    #expect(log.lines.count { $0 == "wake fetch" } == count)
  }

  @Test func `W3 a keep-alive under ten minutes is denied, a longer one wakes`() {
    let app = launched(.voip)
    #expect(app.setKeepAliveTimeout(.seconds(599))?.reasons == .interval)
    app.setKeepAliveTimeout(.seconds(600))
    device.home()
    device.advance(by: .seconds(1300))
    #expect(log.lines.contains("wake voipKeepAlive"))
  }

  @Test(arguments: [false, true]) func `W5 a request runs later, unless it is cancelled`(
    _ isCancelled: Bool
  ) throws {
    let app = launched(.fetch, permitted: ["refresh"])
    try app.submitTaskRequest("refresh", kind: .appRefresh, earliestBegin: .seconds(1800))
    if isCancelled { app.cancelTaskRequest("refresh") }
    device.home()
    device.advance(by: .seconds(1799))
    #expect(!log.lines.contains("wake appRefresh"))
    device.advance(by: .seconds(7200))
    #expect(log.lines.contains("wake appRefresh") == !isCancelled)
  }

  @Test func `N1 a local notification comes to the app in front unless it is cancelled`() {
    let app = launched()
    app.scheduleLocalNotification("tea", after: .seconds(240))
    app.scheduleLocalNotification("coffee", after: .seconds(240))
    app.cancelLocalNotification("coffee")
    device.advance(by: .seconds(239))
    #expect(!log.lines.contains("local tea"))
    device.advance(by: .seconds(1))
    #expect(log.lines.contains("local tea") && !log.lines.contains("local coffee"))
  }

  @Test(arguments: [false, true])
  func `D3 a file that is locked at suspension ends its app, one that was unlocked does not`(
    _ isUnlocked: Bool
  ) {
    let app = launched()
    app.lockFile()
    if isUnlocked { app.unlockFile() }
    device.home()
    device.advance(by: .seconds(60))
    #expect(app.processEnds.map(\.reason) == (isUnlocked ? [] : [.suspendedWithLockedFile]))
  }

  @Test func `D4 too much of the processor in the background ends the app`() {
    let app = launched(.audio)
    app.startSession(.audio)
    device.home()
    app.useCPU(percent: 100, for: .seconds(600))
    device.advance(by: .seconds(600))
    #expect(app.processEnds.map(\.reason) == [.cpuResourceLimit])
  }

  @Test func `an interruption makes the app inactive; ignoring it returns, accepting it leaves`() {
    let app = launched()
    app.interrupt()
    #expect(app.applicationState == .inactive)
    app.ignoreInterruption()
    #expect(app.applicationState == .active)
    app.interrupt()
    app.acceptInterruption()
    #expect(
      log.lines.suffix(2) == ["willResignActive", "didEnterBackground"]
        && app.applicationState != .active)
  }

  @Test func `the lock sends the app away and the unlock brings it back; a reboot ends it`() {
    let app = launched()
    device.lock()
    #expect(log.lines.last == "didEnterBackground")
    device.unlock()
    #expect(app.applicationState == .active)
    device.reboot()
    #expect(app.applicationState == .notRunning)
  }

  @Test func `B1 the user's switch is the app's status, and denies its fetches`() {
    let app = launched(.fetch)
    device.home()
    device.advance(by: .seconds(60))
    #expect(app.backgroundRefreshStatus == .available)
    app.setBackgroundRefresh(.denied)
    #expect(
      app.backgroundRefreshStatus == .denied
        && app.deliver(.fetch)?.reasons == .backgroundRefreshDenied)
  }
}
