import CurfewEngine
import TestRuns
import Testing

/// The user, the device and the world: locks, reboots, sessions and wakes.
@Suite(.inTurn) struct EngineWorldTests {
  private let app = AppID(rawValue: 0)

  @Test func `A4 unlocking brings back the process that the lock sent away, not a later one`() {
    var host = TestHost(.ios13)
    host.tell(.launch(app), at: 0)
    host.tell(.lock, at: 1)
    host.tell(.deliver(app, .region), at: 2)
    host.tell(.crash(app, .abnormalExit), at: 3)
    host.tell(.deliver(app, .region), at: 4)
    _ = host.takeLines()
    host.tell(.unlock, at: 5)
    #expect(host.takeLines().isEmpty && host.engine.state(of: app) == .background)
    host.tell(.launch(app), at: 6)
    host.tell(.lock, at: 7)
    host.tell(.unlock, at: 8)
    #expect(host.engine.state(of: app) == .active)
  }

  @Test func `A7, A8 after a reboot and the first unlock a force quit no longer counts`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .fetch)])
    host.tell(.forceQuit(app), at: 0)
    host.tell(.reboot, at: 1)
    host.tell(.deliver(app, .fetch), at: 2)
    host.tell(.unlock, at: 3)
    host.tell(.deliver(app, .fetch), at: 4)
    #expect(
      host.takeLines().prefix(2) == ["2s a denied fetch: beforeFirstUnlock", "4s a allowed fetch"])
  }

  // MARK: Sessions and wakes

  @Test
  func
    `L2 a session keeps its app running until its linger is over, and location stops the clock meanwhile`()
  {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .location)])
    host.tell(.launch(app), at: 0)
    host.tell(.startSession(app, .location), at: 0)
    host.tell(.startSession(app, .audio), at: 0)
    host.tell(.beginTask(app, label: 0, handler: .absent), at: 0)
    host.tell(.home(nil), at: 10)
    #expect(host.engine.backgroundTimeRemaining(of: app) == nil)
    _ = host.takeLines()
    host.tell(.stopSession(app, .location), at: 20)
    host.tell(.endTask(app, host.lastTask), at: 20)
    host.run(to: 100)
    #expect(
      host.takeLines() == [
        "20s a session location ended", "20s a task 1 ended", "21s a background → suspended",
      ])
  }

  @Test func `L1 a session that begins again within its linger continues`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .location)])
    host.tell(.launch(app), at: 0)
    host.tell(.startSession(app, .location), at: 0)
    host.tell(.home(nil), at: 10)
    host.tell(.stopSession(app, .location), at: 20)
    host.tell(.startSession(app, .location), at: .zero + .milliseconds(20_999))
    _ = host.takeLines()
    host.tell(.startSession(app, .location), at: 30)
    host.tell(.stopSession(app, .location), at: 40)
    host.run(to: 100)
    #expect(
      host.takeLines() == [
        "30s a illegalEvent", "40s a session location ended", "41s a background → suspended",
      ])
  }

  @Test func `L1 a session that the manifest does not declare is denied`() {
    var host = TestHost(.ios13)
    host.tell(.launch(app), at: 0)
    _ = host.takeLines()
    host.tell(.startSession(app, .audio), at: 0)
    #expect(
      host.takeLines() == ["0s a denied audio: modeNotDeclared", "0s a session audio denied"])
  }

  @Test func `W1 a wake launches, may be completed, and is denied after a force quit`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .fetch)])
    host.tell(.deliver(app, .fetch), at: 0)
    host.tell(.completeWake(app, WakeChoice(), nil), at: 3)
    #expect(
      host.takeLines() == [
        "0s a allowed fetch", "0s a notRunning → background", "0s a willFinishLaunching",
        "0s a didFinishLaunching", "0s a wake fetch",
        "3s a completed fetch", "3s a background → suspended",
      ])
    host.tell(.forceQuit(app), at: 4)
    host.tell(.deliver(app, .fetch), at: 5)
    host.tell(.deliver(app, .region), at: 6)
    host.run(to: 60)
    #expect(
      host.takeLines() == [
        "4s a suspended → notRunning", "4s a terminated userForceQuit",
        "5s a denied fetch: forceQuit", "6s a allowed region",
        "6s a notRunning → background", "6s a willFinishLaunching", "6s a didFinishLaunching",
        "6s a wake region", "16s a overran region",
        "16s a background → suspended",
      ])
  }

  @Test func `W2 an unfinished fetch ends its app`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .fetch)])
    host.tell(.deliver(app, .fetch), at: 0)
    _ = host.takeLines()
    host.run(to: 60)
    #expect(
      host.takeLines() == [
        "30s a overran fetch", "30s a background → notRunning",
        "30s a terminated backgroundTaskAssertionTimeout 0x2182bad4",
      ])
  }
}
