import TestRuns
import Testing

@testable import CurfewEngine

/// Runs in which apps cause their own calls at one instant, and sound runs with as many steps
/// (rule C4).
@Suite(.inTurn) struct StandstillTests {
  private let app = AppID(rawValue: 0)

  /// A device of 100 MiB whose only app shrinks to 10 MiB and grows to 95 at each warning.
  private func warned(pace: Driver.Pace = .punctual) -> Driver {
    var driver = Driver(Engine(policy: .ios13, device: DeviceFacts(memory: 100 << 20)), pace: pace)
    _ = driver.addApp(Manifest(footprint: 10 << 20))
    driver.say(.launch(app))
    return driver
  }

  /// Runs until nothing more comes.
  /// - Returns: The number of steps at the last instant, deliveries included.
  private func run(
    _ driver: inout Driver, until limit: Instant = .distantFuture,
    _ answer: (inout Driver, AppCall?) -> Void
  ) -> Int {
    var (moment, steps, last) = (AppCall?.none, 0, driver.now)
    while true {
      while let item = driver.pull() {
        switch item {
        case .action(let action):
          if let called = action.moment(in: driver.engine.policy.names) {
            (moment, steps) = (called, steps + 1)
          }
        case .turn(let app):
          answer(&driver, moment)
          driver.say(.returned(app))
        case .due: answer(&driver, nil)
        }
      }
      guard driver.step(until: limit) else { break }
      if driver.now > last { (steps, last) = (0, driver.now) }
      steps += 1
    }
    return steps
  }

  private func grow(_ driver: inout Driver, _ moment: AppCall?) {
    guard moment == .callback(.didReceiveMemoryWarning) else { return }
    driver.say(.setFootprint(app, 10 << 20))
    driver.say(.setFootprint(app, 95 << 20))
  }

  @Test
  func
    `C4 time stands still if an app causes the warning that it answers, and the driver reports the cycle`()
    throws
  {
    var driver = warned()
    _ = run(&driver, until: .zero + .seconds(1), grow)
    #expect(driver.standstill == nil)
    driver.say(.setFootprint(app, 95 << 20))
    let steps = run(&driver, grow)
    #expect((980...1_001).contains(steps), "\(steps)")
    // The macro copies a value whose property it reads.
    let standstill = driver.standstill
    let found = try #require(standstill)
    #expect(
      found.instant == driver.now
        && found.answers.map(\.cause) == [.called(app, .callback(.didReceiveMemoryWarning))])
    #expect(
      found.answers.first?.events == [.setFootprint(app, 10 << 20), .setFootprint(app, 95 << 20)])
    // The last step is complete.
    #expect(driver.engine.owesReturn(app) == false && driver.isStepFinished == true)
    #expect(
      driver.nextInstant == nil && driver.step(until: .distantFuture) == false
        && driver.next() == nil)
  }

  @Test func `C4 a run that stands still continues if the app answers differently`() {
    var driver = warned()
    driver.say(.setFootprint(app, 95 << 20))
    _ = run(&driver, grow)
    #expect(driver.standstill != nil)
    driver.resume()
    _ = run(&driver) { driver, moment in
      if moment == .callback(.didReceiveMemoryWarning) {
        driver.say(.setFootprint(self.app, 10 << 20))
      }
    }
    #expect(driver.standstill == nil && driver.nextInstant == nil)
  }

  @Test
  func
    `C4 a cycle of two apps is reported in order, and a cycle within a step has no step between`()
    throws
  {
    var driver = Driver(Engine(policy: .ios13))
    let apps = [driver.addApp(), driver.addApp()]
    driver.say(.launch(apps[0]))
    var called = apps[0]
    repeat {
      while let item = driver.pull() {
        switch item {
        case .action(.callback(let app, .didBecomeActive)): called = app
        case .action(.callback): called = AppID(rawValue: 9)
        case .action, .due: break
        case .turn(let app):
          if app == called { driver.say(.launch(apps[1 - Int(app.rawValue)])) }
          called = AppID(rawValue: 9)
          driver.say(.returned(app))
        }
      }
    } while driver.step(until: .distantFuture)
    // The macro copies a value whose property it reads.
    let standstill = driver.standstill
    let found = try #require(standstill)
    let causes = apps.map { Driver.Standstill.Cause.called($0, .callback(.didBecomeActive)) }
    #expect(found.answers.map(\.cause) == causes || found.answers.map(\.cause) == causes.reversed())
    #expect(found.answers.allSatisfy { $0.events.count == 1 })
  }

  @Test
  func `C4 next stays where a cycle within a step stands still, although something is due later`() {
    var driver = Driver(Engine(policy: .ios13))
    let apps = [driver.addApp(), driver.addApp()]
    driver.say(.launch(apps[0]))
    _ = driver.plan(1, at: .zero + .seconds(1))
    var called = AppID?.none
    while let item = driver.next(until: .zero + .seconds(10)) {
      switch item {
      case .action(.callback(let app, .didBecomeActive)): called = app
      case .action, .due: break
      case .turn(let app):
        if app == called { driver.say(.launch(apps[1 - Int(app.rawValue)])) }
        called = nil
        driver.say(.returned(app))
      }
    }
    #expect(
      driver.standstill != nil && driver.now == .zero
        && driver.next(until: .zero + .seconds(10)) == nil && driver.now == .zero)
  }

  @Test
  func
    `C4 ten thousand handlers that are due at once and each cause a further step are sound`()
  {
    let policy = Policy.ios13.with { $0.tasks.limit = 20_000 }
    var driver = Driver(Engine(policy: policy))
    let app = driver.addApp()
    driver.say(.launch(app))
    for label in 0..<10_000 { driver.say(.beginTask(app, label: UInt32(label), handler: .present)) }
    driver.say(.home(nil))
    var dues = 0
    _ = run(&driver) { driver, moment in
      if moment == nil { dues += 1 }
      if moment == .expirationHandler { _ = driver.plan(1, at: driver.now) }
    }
    #expect(driver.standstill == nil && dues == 10_000)
  }

  @Test func `C4 ten thousand external events at one instant are sound`() {
    var driver = Driver(Engine(policy: .ios13))
    let app = driver.addApp()
    for _ in 0..<10_000 {
      driver.say(.launch(app))
      _ = run(&driver, until: .zero) { _, _ in }
      driver.say(.home(nil))
      _ = run(&driver, until: .zero) { _, _ in }
    }
    #expect(driver.standstill == nil && driver.engine.state(of: app) == .suspended)
  }

  @Test func `C4 time stands still if an app plans again at once`() throws {
    var driver = Driver(Engine(policy: .ios13))
    _ = driver.addApp()
    _ = driver.plan(5, at: .zero)
    var dues = 0
    while let item = driver.next() {
      guard case .due(let number) = item else { continue }
      dues += 1
      _ = driver.plan(number, at: driver.now)
    }
    #expect(dues <= 1_001 && driver.standstill?.answers.map(\.cause) == [.due(5)])
  }

  @Test func `C4 real time does not stand still`() {
    var driver = warned(pace: .late)
    driver.say(.setFootprint(app, 95 << 20))
    var warnings = 0
    _ = run(&driver, until: driver.now) { driver, moment in
      guard moment == .callback(.didReceiveMemoryWarning), warnings < 5_000 else { return }
      warnings += 1
      grow(&driver, moment)
    }
    #expect(warnings == 5_000 && driver.standstill == nil)
  }

  @Test func `C4 a copy stands still at the same step as its driver`() {
    var driver = warned()
    driver.say(.setFootprint(app, 95 << 20))
    _ = run(&driver, grow)
    let copy = driver.copy()
    #expect(copy.standstill == driver.standstill && copy.standstill != nil)
  }
}
