import TestRuns
import Testing

@testable import CurfewEngine

/// An engine's next deadlines: when it must be called next, why, and whether a host should wait for
/// that instant.
@Suite(.inTurn) struct EngineDeadlineTests {
  private let app = AppID(rawValue: 0)
  private let other = AppID(rawValue: 1)

  @Test
  func
    `M1 a memory check is due when nothing else is, and comes after the voluntary acts of apps`()
  {
    var driver = Driver(Engine(policy: .ios13, device: DeviceFacts(memory: 200 << 20)))
    _ = (
      driver.addApp(Manifest(footprint: 150 << 20)), driver.addApp(Manifest(footprint: 100 << 20))
    )
    driver.tell(.launch(app))
    driver.tell(.home(nil))
    #expect(driver.engine.nextDeadline == nil && !driver.engine.isOnlyMemoryDue(at: driver.now))
    driver.say(.launch(other), at: .zero + .seconds(1))
    // A callback is running. Its limit does not delay the memory check, but its return would.
    #expect(
      driver.engine.nextDeadline == .zero + .seconds(1)
        && driver.engine.isOnlyMemoryDue(at: driver.now))
    _ = driver.takeActions()
    #expect(driver.step(until: .zero + .seconds(1)) && driver.takeActions() == [])
    // The warning is being delivered, one app a step.
    #expect(driver.engine.isOnlyMemoryDue(at: driver.now) == false)
    #expect(driver.step(until: .zero + .seconds(1)) && driver.takeActions() == [])
    #expect(driver.engine.isOnlyMemoryDue(at: driver.now) == true)  // the one that runs is busy
    #expect(driver.step(until: .zero + .seconds(1)) == true)
    #expect(
      driver.takeActions().map(\.text) == [
        "a suspended → notRunning", "a terminated memoryPressure",
      ])
    #expect(
      driver.engine.nextDeadline == .zero + .seconds(6)
        && !driver.engine.isOnlyMemoryDue(at: driver.now))
  }

  @Test func `M1 a suspension that is due comes before the memory check`() {
    var driver = Driver(Engine(policy: .ios13, device: DeviceFacts(memory: 60 << 20)))
    _ = (driver.addApp(), driver.addApp())
    driver.tell(.launch(app))
    driver.tell(.launch(other))
    // The first app is suspended at once and is therefore purged without notice.
    #expect(
      driver.engine.state(of: app) == .notRunning && driver.engine.state(of: other) == .active)
  }

  @Test func `W3 a host does not wait for opportunities alone`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: [.fetch, .voip])])
    #expect(host.engine.hasOnlyOpportunities == true)
    host.tell(.launch(app), at: 0)
    host.tell(.setInterval(app, .fetch, .zero), at: 0)
    host.tell(.setInterval(app, .voipKeepAlive, .seconds(600)), at: 0)
    #expect(host.engine.hasOnlyOpportunities && host.engine.nextDeadline == .zero + .seconds(600))
    host.tell(.scheduleNotification(app, id: 1, after: .seconds(50)), at: 0)
    #expect(host.engine.hasOnlyOpportunities == false)
    host.tell(.cancelNotification(app, id: 1), at: 1)
    #expect(host.engine.hasOnlyOpportunities == true)
    host.tell(.beginTask(app, label: 0, handler: .present), at: 2)
    #expect(host.engine.hasOnlyOpportunities == false)  // it will be too old
    host.run(to: 40)
    #expect(host.engine.hasOnlyOpportunities == true)
    host.tell(.home(nil), at: 41)
    #expect(host.engine.hasOnlyOpportunities == false)
    host.tell(.endTask(app, host.lastTask), at: 42)
    #expect(host.engine.hasOnlyOpportunities == true)
    // The wakes that follow from opportunities are more than opportunities.
    host.run(to: 600)
    #expect(host.engine.state(of: app) == .background && !host.engine.hasOnlyOpportunities)
    host.run(to: 610)
    #expect(host.engine.hasOnlyOpportunities && host.engine.nextDeadline == .zero + .seconds(900))
  }

  @Test func `W3 a deadline that is due now keeps a run going`() {
    var driver = Driver(Engine(policy: .ios13))
    _ = driver.addApp()
    driver.tell(.launch(app))
    driver.say(.home(nil))
    driver.say(.returned(app))
    #expect(driver.engine.hasOnlyOpportunities == false)  // didEnterBackground may take too long
    driver.say(.returned(app))
    // The suspension.
    #expect(!driver.engine.hasOnlyOpportunities && driver.engine.nextDeadline == .zero)
    _ = driver.takeActions()
    #expect(driver.step(until: .zero) == true)
    _ = driver.takeActions()
    #expect(driver.engine.hasOnlyOpportunities && driver.engine.nextDeadline == nil)
  }

  @Test
  func
    `W5 a request that waits for a fact has no deadline, but one that waits for its time or budget has one`()
  {
    var host = TestHost(
      .ios13.with {
        $0.wakes[.appRefresh]?.budget = WakeBudget(window: .seconds(100), admissions: 1)
      },
      apps: [Manifest(backgroundModes: [.fetch], permittedIdentifiers: [7])])
    host.tell(.launch(app), at: 0)
    host.tell(
      .submitTask(app, TaskRequest(identifier: 7, kind: .appRefresh, earliest: .seconds(5))), at: 0)
    #expect(host.engine.nextDeadline == .zero + .seconds(5))
    host.run(to: 6)
    #expect(host.engine.nextDeadline == nil && host.engine.hasOnlyOpportunities)
    _ = host.takeLines()
    host.tell(.home(nil), at: 7)
    #expect(host.takeLines().contains("7s a appRefresh 7 started"))
    host.tell(.submitTask(app, TaskRequest(identifier: 7, kind: .appRefresh)), at: 8)
    // No request starts while the wake of the same identifier is held.
    #expect(host.takeLines().last == "8s a appRefresh 7 submitted")
    host.tell(.completeWake(app, WakeChoice(kind: .appRefresh), nil), at: 9)
    #expect(host.takeLines().contains("9s a denied appRefresh: budget, next 107s"))
    #expect(host.engine.nextDeadline == .zero + .seconds(107) && host.engine.hasOnlyOpportunities)
  }

  @Test func `W4 a request denied while its kind runs is checked again when the run ends`() {
    var host = TestHost(
      .ios13.with {
        $0.wakes[.processing]?.budget = WakeBudget(window: .seconds(100), runTime: .seconds(10))
      },
      apps: [Manifest(backgroundModes: .processing, permittedIdentifiers: [1, 2])])
    host.tell(.launch(app), at: 0)
    host.tell(.submitTask(app, TaskRequest(identifier: 1, kind: .processing)), at: 0)
    host.tell(.home(nil), at: 0)
    host.tell(
      .submitTask(app, TaskRequest(identifier: 2, kind: .processing, earliest: .seconds(20))), at: 0
    )
    _ = host.takeLines()
    host.run(to: 25)
    #expect(host.takeLines() == ["20s a denied processing: budget"])  // nobody knows until when
    host.tell(.completeWake(app, WakeChoice(), nil), at: 30)
    host.run(to: 200)
    // The last ten of the 30 s lie within a window that ends at 120 s. A window that ends later
    // holds one nanosecond less.
    #expect(host.takeLines().contains("120000000001ns a processing 2 started"))
  }

  @Test func `W5 a request that may not launch its app starts when another event has launched it`()
  {
    var host = TestHost(
      .ios13.with { $0.wakes[.appRefresh]?.relaunches = false },
      apps: [Manifest(backgroundModes: .fetch, permittedIdentifiers: [1])])
    host.tell(.launch(app), at: 0)
    host.tell(.submitTask(app, TaskRequest(identifier: 1, kind: .appRefresh)), at: 0)
    host.tell(.crash(app, .abnormalExit), at: 1)
    #expect(host.takeLines().last == "1s a denied appRefresh: mayNotRelaunch")
    host.tell(.deliver(app, .region), at: 2)
    #expect(
      host.takeLines().suffix(3) == [
        "2s a appRefresh 1 started", "2s a allowed appRefresh", "2s a wake appRefresh",
      ])
  }
}
