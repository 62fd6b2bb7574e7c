@_spi(Seeds) import CurfewEngine
@_spi(Benchmarks) import CurfewSimulation

/// The canonical cycle through the driver: foreground, background with one task, the end of the
/// task's work or its expiration, suspension, foreground again.
final class CycleWork: Work {
  private enum Plan: UInt32 { case home, workDone, toFront }

  private struct HostedApp {
    var waiting = Driver.Plan.none
    var cycle: UInt32 = 0
    var task = BackgroundTask.invalid(label: 0)
  }

  private let draws = CycleDraws()
  private let goal: Int
  private let expected: UInt64
  private var driver: Driver
  private var hosted: [HostedApp]
  private var cycles = 0
  private var checksum: UInt64 = 0
  private(set) var mistake: String?

  /// Runs two cycles an app, so that the phases are mixed and storage no longer grows.
  init(apps: Int, cycles: Int, expected: UInt64) {
    driver = Driver(Engine(policy: .canonical, minimumCapacity: apps))
    hosted = Array(repeating: HostedApp(), count: apps)
    goal = 2 * apps + cycles
    self.expected = expected
    for app in 0..<UInt32(apps) { plan(.toFront, driver.addApp(), after: draws.suspended(app, 0)) }
    run(until: 2 * apps)
  }

  func run() {
    run(until: goal)
    mistake = mistake ?? difference("the checksum of the suspensions", checksum, expected)
  }

  private func run(until goal: Int) {
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
        driver.cancel(hosted[Int(app.rawValue)].waiting)
        driver.say(.endTask(app, expired))
        driver.say(.returned(app))
      case .action(.state(let app, _, .suspended)):
        cycles += 1
        checksum =
          (checksum &* 31) &+ UInt64(bitPattern: driver.now.nanoseconds) &+ UInt64(app.rawValue)
        hosted[Int(app.rawValue)].cycle += 1
        plan(.toFront, app, after: draws.suspended(app.rawValue, hosted[Int(app.rawValue)].cycle))
      case .action(.terminated(let app, _)): mistake = "app \(app.rawValue) was terminated"
      case .due(let number): take(number & 3, AppID(rawValue: number >> 2))
      // Every callback returns at once.
      case .action, .turn: break
      }
    }
  }

  private func begin(_ app: AppID) {
    if case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: .present)) {
      hosted[Int(app.rawValue)].task = task
    }
    plan(.workDone, app, after: draws.work(app.rawValue, hosted[Int(app.rawValue)].cycle))
  }

  private func plan(_ plan: Plan, _ app: AppID, after wait: Interval) {
    hosted[Int(app.rawValue)].waiting = driver.plan(
      app.rawValue << 2 | plan.rawValue, at: driver.now + wait)
  }

  private func take(_ plan: UInt32, _ app: AppID) {
    hosted[Int(app.rawValue)].waiting = .none
    switch Plan(rawValue: plan) {
    case .toFront: driver.say(.launch(app))
    case .home: driver.say(.home(app))
    case .workDone: driver.say(.endTask(app, hosted[Int(app.rawValue)].task))
    case nil: break
    }
  }
}

/// Exponential times, the same on every machine.
private struct CycleDraws {
  private var foreground: [Int64] = []
  private var work: [Int64] = []
  private var suspended: [Int64] = []

  init() {
    var numbers = SplitMix64(seed: 1)
    func exponential(mean: Double) -> Int64 {
      let unit = (Double(numbers.next() >> 11) + 0.5) / Double(1 << 53)
      return Int64(-mean * PortableMath.log(unit) * 1e9)
    }
    foreground = (0..<4096).map { _ in exponential(mean: 60) }
    work = (0..<4096).map { _ in exponential(mean: 20) }
    suspended = (0..<4096).map { _ in exponential(mean: 300) }
  }

  func foreground(_ app: UInt32, _ cycle: UInt32) -> Interval {
    .nanoseconds(foreground[index(app, cycle)])
  }
  func work(_ app: UInt32, _ cycle: UInt32) -> Interval { .nanoseconds(work[index(app, cycle)]) }
  func suspended(_ app: UInt32, _ cycle: UInt32) -> Interval {
    .nanoseconds(suspended[index(app, cycle)])
  }

  private func index(_ app: UInt32, _ cycle: UInt32) -> Int {
    let mixed = (UInt64(app) << 32 | UInt64(cycle)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 33) & 4095
  }
}
