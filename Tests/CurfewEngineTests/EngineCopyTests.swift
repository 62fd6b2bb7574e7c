import TestRuns
import Testing

@testable import CurfewEngine

/// An engine is a value, as its driver is; copies are independent values. Random lives test
/// the same in `EngineFuzzTests`.
@Suite(.inTurn) struct EngineCopyTests {
  private let app = AppID(rawValue: 0)
  private let other = AppID(rawValue: 1)

  /// Two apps in the background, one with a task and one with a session, and a lock step that
  /// is not finished.
  private func driver() -> Driver {
    var host = TestHost(.twoInFront, apps: [Manifest(), Manifest(backgroundModes: .location)])
    host.tell(.launch(app), at: 0)
    host.tell(.launch(other), at: 1)
    host.tell(.startSession(other, .location), at: 2)
    host.tell(.beginTask(app, label: 0, handler: .present), at: 3)
    var driver = host.driver.copy()
    driver.say(.lock, at: .zero + .seconds(4))
    while driver.pull() != nil {}
    return driver
  }

  /// Continues until `second`, with callbacks that return at once.
  private func goOn(_ driver: inout Driver, until second: Int64) -> [Action] {
    var all: [Action] = []
    while let item = driver.next(until: .zero + .seconds(second)) {
      switch item {
      case .action(let action): all.append(action)
      case .turn(let app): driver.say(.returned(app))
      case .due: break
      }
    }
    return all
  }

  @Test func `a copy and its original answer equal events equally`() {
    var driver = driver()
    var copy = driver.copy()
    #expect(
      copy.now == driver.now && copy.engine.appCount == 2 && copy.nextInstant == driver.nextInstant)
    let (first, second) = (goOn(&driver, until: 100), goOn(&copy, until: 100))
    #expect(first == second)
    #expect(first.contains { if case .terminated = $0 { true } else { false } })
  }

  @Test func `events of a copy do not affect its original`() {
    var driver = driver()
    var copy = driver.copy()
    let undisturbed = driver.copy()
    copy.say(.reboot)
    _ = goOn(&copy, until: 1000)
    #expect(copy.engine.state(of: app) == .notRunning && driver.engine.state(of: app) == .active)
    #expect(driver.now == undisturbed.now && driver.nextInstant == undisturbed.nextInstant)
    #expect(driver.engine.openTaskCount(of: app) == 1 && copy.engine.openTaskCount(of: app) == 0)
    var control = undisturbed.copy()
    let (first, second) = (goOn(&driver, until: 100), goOn(&control, until: 100))
    #expect(first == second)
  }

  // MARK: Other state

  private let third = AppID(rawValue: 2)

  /// Schedules, requests, notifications, posts, budgets, locks, memory under pressure,
  /// and processor use.
  private func busyDriver() -> Driver {
    let policy = Policy.ios13.with {
      $0.wakes[.processing]?.budget = WakeBudget(window: .seconds(5000), runTime: .seconds(200))
    }
    let manifest = Manifest(
      backgroundModes: [.fetch, .voip, .processing, .remoteNotification, .audio],
      permittedIdentifiers: [1, 2])
    var large = manifest
    large.footprint = 60 << 20
    var host = TestHost(policy, apps: [manifest, large, manifest, Manifest(footprint: 500 << 20)])
    host.tell(.deliver(AppID(rawValue: 3), .region), at: 0)
    for app in [third, other, app] {
      host.tell(.launch(app), at: 1)
      host.tell(.setInterval(app, .fetch, .zero), at: 1)
      host.tell(.setInterval(app, .voipKeepAlive, .seconds(700)), at: 1)
      for id in 1...2 as ClosedRange<UInt32> {
        host.tell(
          .submitTask(
            app, TaskRequest(identifier: id, kind: .processing, earliest: .seconds(Int64(400 * id)))
          ), at: 1)
        host.tell(.scheduleNotification(app, id: id, after: .seconds(Int64(30 * id))), at: 1)
      }
      host.tell(.post(nil, NotificationPost(name: 1, value: 1)), at: 1)
    }
    host.tell(.startSession(app, .audio), at: 4)
    host.tell(.useCPU(app, share: 85, for: .seconds(3000)), at: 4)
    host.tell(.lockFile(app), at: 4)
    host.tell(.home(nil), at: 5)
    host.tell(.useCPU(app, share: 81, for: .seconds(3000)), at: 6)
    host.tell(.deliver(other, .remoteNotification), at: 7)
    host.tell(.completeWake(other, WakeChoice(), .newData), at: 8)
    host.tell(.post(nil, NotificationPost(name: 1, value: 2)), at: 9)
    host.tell(.post(third, NotificationPost(name: 2, value: nil, manner: .queueing)), at: 9)
    host.tell(.setDevice(DeviceFacts(memory: 160 << 20)), at: 10)
    host.run(to: 20)
    return host.driver.copy()
  }

  /// Passes later events, and lets time pass until long after them.
  private func comeTrue(_ driver: inout Driver) -> [Action] {
    var all = goOn(&driver, until: 25)
    for event in [
      .setDevice(DeviceFacts(memory: 140 << 20)), .launch(third),
      .deliver(other, .remoteNotification),
    ] as [Event] {
      driver.say(event)
      all += goOn(&driver, until: 26)
    }
    all += goOn(&driver, until: 40)
    driver.say(.home(nil))
    return all + goOn(&driver, until: 6000)
  }

  @Test func `everything that apps have requested is in the copy`() {
    var driver = busyDriver()
    var copy = driver.copy()
    let (first, second) = (comeTrue(&driver), comeTrue(&copy))
    let isSame = first == second
    #expect(
      isSame && driver.nextInstant == copy.nextInstant
        && driver.engine.memoryInUse == copy.engine.memoryInUse)
    let lines = Set(first.map(\.text))
    let came = [
      "a terminated cpuResourceLimit", "b terminated memoryPressure", "c told 1 is 2", "c told 2",
      "c notification 1 delivered",
      "c wake fetch",
      "c wake voipKeepAlive", "c processing 1 started", "b allowed remoteNotification",
    ]
    #expect(lines.isSuperset(of: came), "\(Set(came).subtracting(lines))")
    driver.engine.checkInvariants()
    copy.engine.checkInvariants()
  }
}
