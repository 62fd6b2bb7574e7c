import TestRuns
import Testing

@testable import CurfewEngine

/// Numbers at the ends of their ranges.
@Suite(.inTurn) struct EngineExtremesTests {
  private let app = AppID(rawValue: 0)
  private let modes: BackgroundModes = [.fetch, .voip, .processing]
  private let longest = Interval(nanoseconds: .max)

  @Test func `endless intervals have no effect and do no harm`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: modes, permittedIdentifiers: [1])])
    host.tell(.launch(app), at: 1)
    _ = host.takeLines()
    host.tell(.setInterval(app, .fetch, longest), at: 1)
    host.tell(.setInterval(app, .voipKeepAlive, longest), at: 1)
    host.tell(
      .submitTask(app, TaskRequest(identifier: 1, kind: .appRefresh, earliest: longest)), at: 1)
    host.tell(.scheduleNotification(app, id: 1, after: longest), at: 1)
    host.tell(.useCPU(app, share: CPURules.greatestShare, for: longest), at: 1)
    #expect(host.takeLines() == ["1s a appRefresh 1 submitted"])
    #expect(host.engine.nextDeadline == nil)
    host.tell(.home(nil), at: 2)
    host.run(to: .distantFuture - .nanoseconds(1))
    #expect(host.engine.state(of: app) == .suspended)
  }

  @Test func `results move a fetch to the end of time and back`() {
    var host = TestHost(.ios13, apps: [Manifest(backgroundModes: .fetch)])
    host.tell(.launch(app), at: 0)
    host.tell(.setInterval(app, .fetch, .nanoseconds(1 << 62)), at: 0)
    host.tell(.home(nil), at: 0)
    #expect(host.engine.nextDeadline != nil)
    for result in [WakeResult.noData, .newData] {
      host.tell(.deliver(app, .fetch), at: 10)
      host.tell(.completeWake(app, WakeChoice(kind: .fetch), result), at: 10)
      #expect((host.engine.nextDeadline == nil) == (result == .noData))
    }
  }

  @Test func `no opportunity comes after the end of time`() {
    for step in [Int64.max, 1 << 62, 3 << 61, 1] {
      var host = TestHost(
        .ios13.with {
          $0.wakes[.fetch]?.schedule = WakeSchedule(
            minimumInterval: .zero, alignment: .nanoseconds(step))
        },
        apps: [Manifest(backgroundModes: .fetch)])
      let late = Instant.distantFuture - .nanoseconds(2)
      host.tell(.launch(app), at: late)
      host.tell(.setInterval(app, .fetch, .zero), at: late)
      #expect(host.engine.nextDeadline == (step == 1 ? .distantFuture - .nanoseconds(1) : nil))
      host.run(to: .distantFuture - .nanoseconds(1))
      #expect(host.engine.hasOnlyOpportunities && host.engine.nextDeadline == nil)
    }
  }

  @Test func `a keep-alive without a minimum, a second before the end of time`() {
    var host = TestHost(
      .ios13.with { $0.wakes[.voipKeepAlive]?.schedule = WakeSchedule() },
      apps: [Manifest(backgroundModes: .voip)])
    let late = Instant.distantFuture - .seconds(1)
    host.tell(.launch(app), at: late)
    host.tell(.setInterval(app, .voipKeepAlive, .zero), at: late)
    #expect(host.engine.nextDeadline == nil)
    host.tell(.setInterval(app, .voipKeepAlive, .milliseconds(400)), at: late)
    host.tell(.home(nil), at: late)
    host.run(to: .distantFuture - .nanoseconds(1))
    #expect(host.takeLines().filter { $0.hasSuffix("wake voipKeepAlive") }.count == 2)
  }

  @Test func `footprints beyond the maximum count as a tebibyte each`() {
    var host = TestHost(
      .ios13, device: DeviceFacts(memory: .max),
      apps: Array(repeating: Manifest(footprint: .max), count: 4))
    for app in 0..<4 as Range<UInt32> { host.tell(.launch(AppID(rawValue: app)), at: 0) }
    #expect(host.engine.memoryInUse == 4 << 40)
    host.tell(.setFootprint(app, .max), at: 1)
    host.tell(.setFootprint(app, 0), at: 1)
    #expect(host.engine.memoryInUse == 3 << 40 && host.engine.nextDeadline == nil)
    _ = host.takeLines()
    host.tell(.setDevice(DeviceFacts(memory: 0)), at: 2)
    #expect(host.engine.memoryInUse == 1 << 40)
    // All apps except the one in front are purged, even the app without a footprint, but use stays
    // over the capacity.
    let lines = host.takeLines()
    #expect(
      lines.filter { $0.hasSuffix("memoryPressure") }.count == 3
        && lines.last == "2s - overCapacity")
    #expect(host.engine.nextDeadline == nil)
  }

  @Test func `an app has sixty thousand wakes at once and no more`() {
    var engine = Engine(policy: .ios13)
    var actions = ActionBuffer()
    let app = engine.addApp()
    engine.handle(.deliver(app, .region), at: .zero, into: &actions)
    for _ in 1..<60_000 { engine.handle(.deliver(app, .region), at: .zero, into: &actions) }
    actions.removeAll()
    engine.handle(.deliver(app, .region), at: .zero, into: &actions)
    #expect(actions.actions.map(\.text) == ["a illegalEvent"])
    engine.handle(.reboot, at: .zero, into: &actions)
    engine.checkInvariants()
    #expect(engine.state(of: app) == .notRunning && engine.nextDeadline == nil)
  }

  @Test func `budgets over all of time name no next instant`() {
    var host = TestHost(
      .ios13.with {
        $0.wakes[.region]?.budget = WakeBudget(
          window: longest, admissions: 1, runTime: .nanoseconds(1))
      })
    host.tell(.deliver(app, .region), at: 1)
    host.tell(.completeWake(app, WakeChoice(), nil), at: 2)
    _ = host.takeLines()
    host.tell(.deliver(app, .region), at: 3)
    #expect(host.takeLines() == ["3s a denied region: budget"])
  }

  @Test func `counting continues at the end of time`() {
    let late = Instant.distantFuture - .seconds(1)
    for policy in [
      Policy.ios13,
      .ios13.with {
        $0.cpu = CPURules(share: 50, window: .milliseconds(600), holdsWhileCharging: true)
      },
    ] {
      var host = TestHost(policy, apps: [Manifest(backgroundModes: .voip)])
      host.tell(.launch(app), at: late)
      host.tell(.startSession(app, .voip), at: late)
      host.tell(.home(nil), at: late)
      for _ in 0..<3 {
        host.tell(.useCPU(app, share: 100, for: longest), at: late + .milliseconds(100))
      }
      host.tell(.useCPU(app, share: 90, for: .milliseconds(1)), at: late + .milliseconds(200))
      host.tell(.useCPU(app, share: 100, for: longest), at: late + .milliseconds(300))
      host.run(to: .distantFuture - .nanoseconds(1))
      #expect((host.engine.state(of: app) == .background) == (policy == .ios13))
    }
  }

  @Test func `a hundred cores for a day are counted to the nanosecond`() {
    var host = TestHost(
      .ios13.with {
        $0.cpu = CPURules(
          share: CPURules.greatestShare - 1, window: CPURules.longestWindow,
          holdsWhileCharging: true)
      },
      apps: [Manifest(backgroundModes: .voip)])
    host.tell(.launch(app), at: 0)
    host.tell(.startSession(app, .voip), at: 0)
    host.tell(.home(nil), at: 0)
    host.tell(.useCPU(app, share: CPURules.greatestShare, for: longest), at: 0)
    _ = host.takeLines()
    host.run(to: 100_000)
    // 86,400 s at 10,000 %, minus one 10,000th.
    #expect(host.takeLines().first == "86391360ms a background → notRunning")
  }
}
