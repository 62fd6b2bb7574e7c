import TestRuns
import TestSupport
import Testing

@testable import CurfewEngine

/// The wishes of a driver's host: the kinds of actions that it gets, and its look at the next plan.
@Suite(.inTurn) struct HostWishTests {
  let app = AppID(rawValue: 0)

  private func seconds(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// A driver whose app has gone to the background.
  private func driver(_ kinds: ActionKinds, _ actions: inout [Action]) -> Driver {
    var driver = Driver(Engine(policy: .ios13), wanting: kinds)
    _ = driver.addApp()
    for event in [.launch(app), .home(nil)] as [Event] {
      driver.say(event)
      run(&driver, until: driver.now, &actions)
    }
    return driver
  }

  /// Runs until `limit`. The app begins tasks in its first three callbacks, and never ends one.
  private func run(_ driver: inout Driver, until limit: Instant, _ actions: inout [Action]) {
    while let item = driver.next(until: limit) {
      switch item {
      case .action(let action): actions.append(action)
      case .turn(let app):
        if driver.engine.openTaskCount(of: app) < 3 {
          driver.say(.beginTask(app, label: 0, handler: .present))
        }
        driver.say(.returned(app))
      case .due: break
      }
    }
  }

  private func life(_ kinds: ActionKinds) -> [Action] {
    var actions: [Action] = []
    var driver = driver(kinds, &actions)
    run(&driver, until: seconds(100), &actions)
    return actions
  }

  @Test func `a host gets the kinds that it wants, and every call and end, in the same order`() {
    let all = life(.all)
    #expect(all.contains { if case .terminated = $0 { true } else { false } })
    let single = (0..<17 as Range<UInt32>).map { ActionKinds(rawValue: 1 << $0) }
    for kinds in single + [[], .states, [.taskBegan, .openTasks], .state(to: .background)] {
      #expect(life(kinds) == all.filter { kinds.union(.calls).contains($0.kind) })
    }
    #expect(life([]).count < life(.state(to: .background)).count)
  }

  /// Hosts may keep the bits, so a kind never changes its bit.
  @Test func `each kind has its bit, and each action its kind`() {
    let task = BackgroundTask.invalid(label: 0)
    let wake = AdmittedWake(WakeID(rawValue: 1), .fetch, from: nil)
    let table: [(bit: UInt32, kind: ActionKinds, actions: [Action])] = [
      (0x0_0001, .state(to: .notRunning), [.state(app, from: .background, to: .notRunning)]),
      (0x0_0002, .state(to: .inactive), [.state(app, from: .active, to: .inactive)]),
      (0x0_0004, .state(to: .active), [.state(app, from: .inactive, to: .active)]),
      (0x0_0008, .state(to: .background), [.state(app, from: .suspended, to: .background)]),
      (0x0_0010, .state(to: .suspended), [.state(app, from: .background, to: .suspended)]),
      (0x0_0020, .taskBegan, [.taskBegan(app, task)]),
      (0x0_0040, .taskEnded, [.taskEnded(app, task)]),
      (0x0_0080, .decisions, [.decision(app, .fetch, denied: DenialReasons(), next: nil)]),
      (0x0_0100, .sessions, [.session(app, .audio, .began)]),
      (0x0_0200, .wakeCompleted, [.wakeCompleted(app, wake)]),
      (0x0_0400, .wakeOverran, [.wakeOverran(app, wake, .length)]),
      (
        0x0_0800, .notifications,
        [.notification(app, name: 0, value: nil), .localNotification(app, id: 0, .shown)]
      ),
      (0x0_1000, .requests, [.request(app, identifier: 0, .appRefresh, .submitted)]),
      (
        0x0_2000, .openTasks,
        [.stillOpen(app, tasks: 1), .leakedTask(app, task, age: .seconds(1))]
      ),
      (
        0x0_4000, .diagnostics,
        [
          .notificationDropped(app, name: 0), .alreadyCompleted(app, wake, at: .zero),
          .runsWithoutAssertion(app, .expirationHandler), .illegalEvent(app, .notRunning),
          .diagnostic(.slowLaunch, app, task),
        ]
      ),
      (0x0_8000, .probes, [.probe(app, .active, remaining: nil)]),
      (
        0x1_0000, .calls,
        [
          .callback(app, .didBecomeActive), .expiration(app, task, .timeLimit, due: .zero),
          .wakeBegan(app, wake), .wakeWarned(app, wake, due: .zero), .event(app, .fetch),
          .sessionWarned(app, .audio, due: .zero),
          .terminated(app, EngineProcessEnd(reason: .reboot)),
        ]
      ),
    ]
    for (bit, kind, actions) in table {
      #expect(kind.rawValue == bit)
      for action in actions { #expect(action.kind.rawValue == bit, "\(action)") }
    }
    #expect(ActionKinds.states.rawValue == 0x0_001f && ActionKinds.all.rawValue == 0x1_ffff)
  }

  @Test func `a copy emits every action, whatever its original's host wants`() {
    var (before, actions, calls) = ([Action](), [Action](), [Action]())
    _ = self.driver(.all, &before)
    var driver = self.driver([], &calls)
    var copy = driver.copy()
    run(&copy, until: seconds(100), &actions)
    #expect(before + actions == life(.all))
    calls = []
    run(&driver, until: seconds(100), &calls)
    #expect(calls == actions.filter { $0.kind == .calls } && calls.count < actions.count)
  }

  @Test func `the next plan is the host's plan that is due first`() {
    var driver = Driver(Engine(policy: .ios13))
    #expect(driver.nextPlan == nil)
    let later = driver.plan(7, at: seconds(2))
    _ = driver.plan(8, at: seconds(1))
    #expect(driver.nextPlan == 8)
    #expect(driver.next() == .due(8) && driver.nextPlan == 7)
    driver.cancel(later)
    #expect(driver.nextPlan == nil)
  }

  @Test func `the end of a rest is no plan of the host's`() {
    var driver = Driver(Engine(policy: .ios13))
    _ = driver.addApp()
    driver.say(.launch(app))
    while let item = driver.pull() {
      if case .turn(let app) = item {
        driver.rest(app, for: .seconds(1))
        break
      }
    }
    _ = driver.plan(7, at: seconds(2))
    #expect(driver.nextPlan == nil)
  }

  @Test func `a prefetch changes nothing, and takes any number`() {
    var actions: [Action] = []
    var driver = driver(.all, &actions)
    let next = driver.nextInstant
    for number in [0, 1, .max] as [UInt32] { driver.prefetch(AppID(rawValue: number)) }
    #expect(driver.nextInstant == next && driver.engine.state(of: app) == .background)
    run(&driver, until: seconds(100), &actions)
    driver.engine.checkInvariants()
  }
}
