import Curfew
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Closures that cause their own calls at one instant of a virtual clock (rule C4).
@Suite(.inTurn) struct StandstillTests {
  private static let sentence =
    "time stands still at 6h: 'up' does stopSession, startSession whenever sessionExpirationHandler is called"

  /// Restarts a session whenever its time is over, as long as it is stubborn.
  private final class Syncing: AppDelegate, @unchecked Sendable {
    var isStubborn = true
    func applicationDidEnterBackground(_ app: App) { start(app) }

    private func start(_ app: App) {
      app.startSession("dataSync") {
        app.stopSession("dataSync")
        if self.isStubborn { self.start(app) }
      }
    }
  }

  /// android14, except that sessions get any remaining room.
  private func android() throws -> PolicyFile {
    var policy = PolicyFile.android14
    try policy.set("sessions.dataSync.leastRoom", "0s")
    return policy
  }

  private func standstills(_ device: Device) -> [Standstill] {
    device.diagnostics.compactMap {
      if case .standstill(let standstill) = $0.cause { standstill } else { nil }
    }
  }

  private func syncing(_ device: Device, _ delegate: Syncing = Syncing()) -> App {
    let app = device.register(
      "up", manifest: AppManifest(otherModes: ["dataSync"]), delegate: delegate)
    app.launch()
    device.advance(by: .seconds(10))
    device.home()
    return app
  }

  @Test
  func
    `C4 advance returns where time stands still, with a diagnostic, and tries again when it is called again`()
    throws
  {
    let device = Device(policy: try android())
    device.startRecording()
    let delegate = Syncing()
    let app = syncing(device, delegate)
    device.advance(by: .seconds(7 * 3600))
    let still = Instant.zero + .seconds(6 * 3600)
    #expect(device.now == still && standstills(device).map { "\($0)" } == [Self.sentence])
    #expect(app.lastDiagnostic.map { "\($0)" } == "up at 21600s: \(Self.sentence)")
    let trace = device.recordedTrace(name: "still")
    let steps = trace.lines.count { $0.time == still && $0.body == .advance }
    #expect(steps <= 1_001 && trace.lines.last?.body != .end, "\(steps)")
    #expect(try Replay.run(trace, under: try android()) == nil)
    #expect(!device.finishBackgroundWork() && device.now == still && standstills(device).count == 2)
    delegate.isStubborn = false
    device.advance(by: .seconds(3600))
    #expect(device.now == still + .seconds(3600) && standstills(device).count == 2)
    #expect(try Replay.run(device.recordedTrace(name: "on"), under: try android()) == nil)
  }

  @Test func `C4 the user may end a standstill`() throws {
    let device = Device(policy: try android())
    let app = syncing(device)
    device.advance(by: .seconds(7 * 3600))
    app.forceQuit()
    #expect(app.applicationState == .notRunning)
    device.advance(by: .seconds(3600))
    #expect(device.now == Instant.zero + .seconds(7 * 3600))
  }

  @Test func `C4 a warning that its own answer causes is reported`() {
    final class Greedy: AppDelegate {
      func applicationDidReceiveMemoryWarning(_ app: App) {
        app.setFootprint(10 << 20)
        app.setFootprint(95 << 20)
      }
    }
    let device = Device(policy: .ios13, facts: DeviceFacts(memory: 100 << 20))
    let app = device.register("up", delegate: Greedy())
    app.launch()
    device.advance(by: .seconds(1))
    app.setFootprint(95 << 20)
    device.advance(by: .seconds(7 * 3600))
    #expect(device.now == Instant.zero + .seconds(1))
    #expect(
      standstills(device).last.map { "\($0)" }
        == "time stands still at 1s: 'up' does setFootprint whenever didReceiveMemoryWarning is called"
    )
  }

  @Test func `C4 two apps that launch each other are reported`() throws {
    final class Launching: AppDelegate, @unchecked Sendable {
      var other: App?
      func applicationDidBecomeActive(_ app: App) { other?.launch() }
    }
    let device = Device(policy: .ios13)
    let delegates = [Launching(), Launching()]
    let apps = delegates.enumerated().map { device.register("app\($0)", delegate: $1) }
    (delegates[0].other, delegates[1].other) = (apps[1], apps[0])
    apps[0].launch()
    #expect(device.now == .zero)
    let found = try #require(standstills(device).first)
    #expect(
      Set(found.answers.map(\.app)) == ["app0", "app1"]
        && found.answers.allSatisfy { $0.steps == [.launch] }, "\(found)")
    for delegate in delegates { delegate.other = nil }
  }

  @Test func `C4 ten thousand tasks in one callback, and as many visits at one instant, are sound`()
  {
    let device = Device(policy: .ios13)
    let app = device.register("up")
    for _ in 0..<2_000 {
      app.launch()
      device.home()
    }
    let log = Log()
    let delegate = LoggingDelegate(log) { line, app in
      guard line == "didEnterBackground" else { return }
      for _ in 0..<10_000 { app.endBackgroundTask(app.beginBackgroundTask {}) }
    }
    device.register("mail", delegate: delegate).launch()
    device.home()
    device.advance(by: .seconds(60))
    #expect(standstills(device).isEmpty && device.now == Instant.zero + .seconds(60))
  }
}
