import TestRuns
import TestSupport
import Testing

@testable import CurfewEngine

/// The calls that hosts may make to a driver, and its answers.
@Suite(.inTurn) struct DriverTests {
  let app = AppID(rawValue: 0)
  let other = AppID(rawValue: 1)

  func driver(
    _ policy: Policy = .ios13, device: DeviceFacts = DeviceFacts(), pace: Driver.Pace = .punctual
  ) -> Driver {
    var driver = Driver(Engine(policy: policy, device: device), pace: pace)
    for _ in 0..<2 { _ = driver.addApp(Manifest(footprint: 10 << 20)) }
    return driver
  }

  func seconds(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// Runs until `limit` and returns all actions as text; called apps return at once.
  func run(_ driver: inout Driver, until limit: Instant = .distantFuture) -> [String] {
    var lines: [String] = []
    while let item = driver.next(until: limit) {
      switch item {
      case .action(let action): lines.append("\(driver.now.text) \(action.text)")
      case .turn(let app): driver.say(.returned(app))
      case .due(let number): lines.append("\(driver.now.text) due \(number)")
      }
    }
    return lines
  }

  /// Pulls until it is an app's turn.
  func pullToTurn(_ driver: inout Driver) -> AppID? {
    while let item = driver.pull() { if case .turn(let app) = item { return app } }
    return nil
  }

  // MARK: Turns

  @Test func `C2 an app gets the turn after each of its calls, until it returns`() {
    var driver = driver()
    driver.say(.launch(app))
    var items: [Driver.Item] = []
    for _ in 0..<3 { if let item = driver.pull() { items.append(item) } }
    #expect(items.last == .turn(app))
    driver.say(.probe(app))
    #expect(driver.pull() == .action(.probe(app, .inactive, remaining: nil)))
    #expect(driver.pull() == .turn(app))
    driver.say(.returned(app))
    #expect(driver.pull() == .action(.callback(app, .didFinishLaunching)))
    #expect(driver.pull() == .turn(app))
  }

  @Test func `a turn is offered once, and an app that does nothing with it stays busy`() {
    var driver = driver()
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app && driver.pull() == nil && driver.isStepFinished == true)
    #expect(driver.engine.owesReturn(app) == true && driver.nextInstant == seconds(5))
    driver.say(.returned(app))
    #expect(driver.pull() == .action(.callback(app, .didFinishLaunching)))
  }

  @Test func `nothing is due at the end of time`() {
    var driver = driver()
    #expect(driver.nextInstant == nil && driver.isDue == false)
    driver.move(to: .distantFuture)
    #expect(driver.nextInstant == nil && driver.isDue == false)
  }

  @Test func `the app called first has the turn first, and keeps it until it returns`() {
    var driver = driver(.twoInFront)
    driver.say(.launch(app))
    driver.say(.launch(other))
    #expect(pullToTurn(&driver) == app)
    driver.say(.probe(app))
    #expect(pullToTurn(&driver) == app)
    driver.say(.returned(app))
    driver.say(.crash(other, .badAccess))
    #expect(pullToTurn(&driver) == app && pullToTurn(&driver) == nil)
  }

  @Test func `a process that has ended gets no turn, and one that is launched again gets one`() {
    var driver = driver()
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app)
    driver.say(.crash(app, .badAccess))
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app)
    driver.say(.returned(app))
    #expect(run(&driver).last == "0s a didBecomeActive")
  }

  @Test func `unfinished steps are completed`() async {
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      driver.say(.launch(driver.addApp()))
      _ = driver.step(until: .zero + .seconds(30))
    }
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      driver.say(.launch(driver.addApp()))
      driver.say(.home(nil), at: .zero + .seconds(1))
    }
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      driver.say(.launch(driver.addApp()))
      while driver.pull() != nil {}
      driver.move(to: .zero + .seconds(6))  // past the launch's warning
    }
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      driver.say(.launch(driver.addApp()))
      _ = Driver(driver.engine.copy())
    }
  }

  // MARK: Rests

  @Test func `an app that rests gets the turn again afterwards, and returns`() {
    var driver = driver()
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app)
    driver.rest(app, for: .seconds(3))
    #expect(driver.nextInstant == seconds(3) && driver.hasOnlyOpportunities == false)
    #expect(driver.next(until: seconds(10)) == .turn(app) && driver.now == seconds(3))
  }

  @Test func `a rest ends with its callback and with its process`() {
    var driver = driver()
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app)
    driver.rest(app, for: .seconds(3))
    driver.say(.returned(app), at: seconds(2))
    _ = run(&driver, until: seconds(2))
    #expect(driver.nextInstant == nil && driver.hasOnlyOpportunities == true)
    driver.say(.home(nil))
    #expect(pullToTurn(&driver) == app)
    driver.rest(app, for: .seconds(3))
    driver.say(.crash(app, .badAccess))
    _ = run(&driver, until: seconds(2))
    #expect(driver.nextInstant == nil)
  }

  @Test
  func
    `A10 an app that rests too long is terminated, although its rest ends at the same instant`()
  {
    var driver = driver()
    driver.say(.launch(app))
    _ = run(&driver)
    driver.say(.home(app))
    #expect(pullToTurn(&driver) == app)
    driver.say(.returned(app))
    #expect(pullToTurn(&driver) == app)
    driver.rest(app, for: .seconds(10))
    #expect(run(&driver).contains("10s a terminated appWatchdog 0x8badf00d"))
  }

  @Test func `only the app with the turn can rest`() async {
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      let app = driver.addApp()
      driver.say(.launch(app))
      driver.rest(app, for: .seconds(1))
    }
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      _ = driver.plan(1 << 31, at: .zero)
    }
    await #expect(processExitsWith: .failure) {
      var driver = Driver(Engine(policy: .ios13))
      driver.move(to: .zero + .seconds(1))
      _ = driver.plan(1, at: .zero)
    }
  }

  // MARK: Plans

  @Test
  func `C2 plans run after deadlines of their instant, in the order in which they were made`() {
    var driver = driver()
    driver.say(.launch(app))
    _ = run(&driver)
    _ = (driver.plan(2, at: seconds(30)), driver.plan(1, at: seconds(30)))
    driver.say(.home(nil))
    while let item = driver.pull() {
      if case .action(.callback(_, .didEnterBackground)) = item {
        driver.say(.beginTask(app, label: 0, handler: .absent))
      }
      if case .turn(let app) = item { driver.say(.returned(app)) }
    }
    #expect(run(&driver).suffix(3) == ["30s a leaked 1 after 30s", "30s due 2", "30s due 1"])
  }

  @Test func `a cancelled plan does not run, and a plan that has run cannot be cancelled`() {
    var driver = driver()
    let first = driver.plan(1, at: seconds(1))
    driver.cancel(driver.plan(2, at: seconds(1)))
    #expect(run(&driver) == ["1s due 1"])
    // Another plan may have taken its place by now.
    driver.say(.launch(app))
    #expect(pullToTurn(&driver) == app)
    driver.rest(app, for: .seconds(1))
    driver.cancel(first)
    driver.cancel(.none)
    #expect(driver.next() == .turn(app))
  }

  @Test func `M1 calls that apps have planned come before the memory check of their instant`() {
    var driver = driver(device: DeviceFacts(memory: 100 << 20))
    driver.say(.launch(app))
    _ = run(&driver)
    _ = driver.plan(1, at: seconds(1))
    driver.say(.setFootprint(other, 0), at: seconds(1))
    driver.say(.setFootprint(app, 200 << 20))
    #expect(run(&driver).first == "1s due 1")
  }

  // MARK: Answers

  @Test func `A12 an app on the way to the front is not removed in the middle of that step`() {
    var driver = driver()
    driver.say(.launch(app))
    _ = run(&driver)
    // The place in front is taken, but the app is not running yet: the previous app is
    // called first.
    driver.say(.launch(other))
    driver.say(.removeApp(other))
    let lines = run(&driver)
    #expect(
      lines.contains { $0.hasSuffix("illegalEvent") } && driver.engine.state(of: other) == .active,
      "\(lines)")
    driver.say(.home(nil))
    #expect(
      !run(&driver).contains { $0.hasSuffix("illegalEvent") }
        && driver.engine.state(of: other) != .active)
    driver.engine.checkInvariants()
  }

  @Test func `ask returns the outcome, which agrees with the actions`() {
    var driver = driver()
    #expect(driver.ask(.beginTask(app, label: 0, handler: .absent)) == .nothing)  // not running
    #expect(
      driver.ask(.deliver(app, .fetch)) == .decision(.fetch, denied: .modeNotDeclared, next: nil))
    driver.say(.launch(app))
    _ = run(&driver)
    guard case .begun(let task) = driver.ask(.beginTask(app, label: 7, handler: .absent)) else {
      Issue.record("no task")
      return
    }
    #expect(driver.pull() == .action(.taskBegan(app, task)))
    #expect(
      driver.ask(.startSession(app, .audio))
        == .decision(.audio, denied: .modeNotDeclared, next: nil))
    let request = TaskRequest(identifier: 0, kind: .processing)
    #expect(driver.ask(.submitTask(app, request)) == .request(.processing, .refused(.notPermitted)))
    #expect(driver.ask(.endTask(app, task)) == .nothing)
  }

  // MARK: In the middle

  @Test
  func `any event in the middle of a step lets the step end without a contradiction`() {
    for seed in Campaign.seeds(80) {
      var random = SeededGenerator(seed: seed)
      var driver = driver(
        random.pick([.ios13, .twoInFront, .ios13.with { $0.foregroundLimit = nil }]),
        device: DeviceFacts(memory: 25 << 20))
      _ = driver.addApp(Manifest(footprint: 10 << 20))
      for _ in 0..<60 {
        let app = AppID(rawValue: UInt32(random.below(3)))
        let events: [Event] = [
          .launch(app), .launch(app), .home(nil), .home(app), .lock, .unlock, .interrupt(app),
          .acceptInterruption(app), .forceQuit(app),
          .reboot,
          .deliver(app, .region), .crash(app, .badAccess), .expireTasks(nil, .policyRevoked),
          .setFootprint(app, 20 << 20),
          .beginTask(app, label: 0, handler: .present), .useCPU(app, share: 90, for: .seconds(100)),
        ]
        for _ in 0..<random.below(3) {
          driver.say(random.pick(events))
          if random.oneIn(2) { _ = driver.pull() }
        }
        if random.oneIn(2) {
          _ = run(&driver, until: driver.now + .milliseconds(Int64(random.below(9000))))
        }
        if driver.isStepFinished { driver.engine.checkInvariants() }
      }
      _ = run(&driver, until: driver.now + .seconds(1000))
      driver.engine.checkInvariants()
    }
  }

  // MARK: Twice

  @Test func `a copy in the middle of a step continues from there`() {
    var driver = driver()
    driver.say(.launch(app))
    _ = (driver.pull(), driver.plan(3, at: seconds(2)))
    var copy = driver.copy()
    #expect(run(&driver) == run(&copy) && driver.now == copy.now)

    driver.say(.home(nil))
    #expect(pullToTurn(&driver) == app)
    driver.rest(app, for: .seconds(1))
    copy = driver.copy()
    #expect(
      run(&driver) == run(&copy) && driver.engine.state(of: app) == .suspended
        && copy.engine.state(of: app) == .suspended)
  }
}
