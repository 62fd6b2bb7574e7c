import CurfewEngine

/// The canonical cycle on the engine, through its driver: foreground, background with one task,
/// the end of the task's work or its expiration, suspension, foreground again.
struct EngineCycle: ~Copyable {
  private enum Plan: UInt32 { case home, workDone, toFront }

  private struct HostedApp {
    var waiting = Driver.Plan.none
    var cycle: UInt32 = 0
    var task = BackgroundTask.invalid(label: 0)
  }

  private let draws: Draws
  private var driver: Driver
  /// The host waits for at most one plan per app at any time.
  private var hosted: [HostedApp]

  private(set) var cycles = 0
  private(set) var expirations = 0
  private(set) var checksum: UInt64 = 0

  init(apps: Int, draws: Draws) {
    self.draws = draws
    driver = Driver(Engine(policy: .canonical, minimumCapacity: apps))
    hosted = Array(repeating: HostedApp(), count: apps)
    for app in 0..<UInt32(apps) { plan(.toFront, driver.addApp(), after: draws.suspended(app, 0)) }
  }

  mutating func run(cycles count: Int) {
    let goal = cycles + count
    while cycles < goal, let item = driver.next() {
      switch item {
      case .action(.callback(let app, let callback)):
        if callback == .didEnterBackground {
          begin(app)
        } else if callback == .didBecomeActive {
          plan(.home, app, after: draws.foreground(app.rawValue, hosted[Int(app.rawValue)].cycle))
        }
        driver.say(.returned(app))
      case .action(.expiration(let app, let expired, _, _)):
        expirations += 1
        driver.cancel(hosted[Int(app.rawValue)].waiting)
        driver.say(.endTask(app, expired))
        driver.say(.returned(app))
      case .action(.state(let app, _, .suspended)):
        cycles += 1
        checksum =
          (checksum &* 31) &+ UInt64(bitPattern: driver.now.nanoseconds) &+ UInt64(app.rawValue)
        hosted[Int(app.rawValue)].cycle += 1
        plan(.toFront, app, after: draws.suspended(app.rawValue, hosted[Int(app.rawValue)].cycle))
      case .action(.terminated(let app, let termination)):
        fatalError("app \(app.rawValue) was terminated: \(termination.reason)")
      case .due(let number): take(Plan(rawValue: number & 3)!, AppID(rawValue: number >> 2))
      // Every callback returns at once.
      case .action, .turn: break
      }
    }
  }

  private mutating func begin(_ app: AppID) {
    guard case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: .present)) else {
      fatalError("app \(app.rawValue) has no task")
    }
    hosted[Int(app.rawValue)].task = task
    plan(.workDone, app, after: draws.work(app.rawValue, hosted[Int(app.rawValue)].cycle))
  }

  private mutating func plan(_ plan: Plan, _ app: AppID, after wait: Interval) {
    hosted[Int(app.rawValue)].waiting = driver.plan(
      app.rawValue << 2 | plan.rawValue, at: driver.now + wait)
  }

  private mutating func take(_ plan: Plan, _ app: AppID) {
    hosted[Int(app.rawValue)].waiting = .none
    switch plan {
    case .toFront: driver.say(.launch(app))
    case .home: driver.say(.home(app))
    case .workDone: driver.say(.endTask(app, hosted[Int(app.rawValue)].task))
    }
  }
}

extension Policy {
  /// The values of ios13 that the cycle uses, with any number of apps in the foreground.
  static let canonical = Policy(
    multitasking: true, foregroundLimit: nil, hasBackgroundRefresh: true, hasLowPowerMode: true,
    suspendDelay: .zero,
    limits: CallbackLimits(
      launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(5),
      willTerminate: .seconds(5), code: nil),
    tasks: TaskRules(
      grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1000,
      limitCode: nil, code: nil,
      ageWarning: .seconds(30), lateBegin: .valid, refreshGate: .open),
    sessions: [:], wakes: [:])
}
