@_spi(Seeds) import CurfewEngine
@_spi(Benchmarks) import CurfewSimulation

/// Cycles of apps that have done two cycles before, so that the phases are mixed and storage
/// no longer grows.
func cycle(apps: Int, cycles: Int, checksum: UInt64) -> Work {
  let cycle = Cycle(apps: apps)
  cycle.run(until: 2 * apps)
  return {
    cycle.run(until: 2 * apps + cycles)
    return difference("checksum of the suspensions", cycle.checksum, checksum)
  }
}

/// The canonical cycle through the driver: foreground, background with one task, the end of the
/// task's work or its expiration, suspension, foreground again.
private final class Cycle {
  private enum Plan: UInt32 { case home, workDone, toFront }

  private struct HostedApp {
    var waiting = Driver.Plan.none
    var cycle: UInt32 = 0
    var task = BackgroundTask.invalid(label: 0)
  }

  /// Exponential times of mean 1 s, the same on every machine.
  private let times: [Double]
  private var driver: Driver
  private var hosted: [HostedApp]
  private var cycles = 0
  private(set) var checksum: UInt64 = 0

  init(apps: Int) {
    var numbers = SplitMix64(seed: 1)
    times = (0..<4096).map { _ in
      -1e9 * portableLog((Double(numbers.next() >> 11) + 0.5) / Double(1 << 53))
    }
    driver = Driver(Engine(policy: .canonical, minimumCapacity: apps))
    hosted = Array(repeating: HostedApp(), count: apps)
    for _ in 0..<apps { plan(.toFront, driver.addApp(), mean: 300) }
  }

  func run(until goal: Int) {
    while cycles < goal, let item = driver.next() {
      switch item {
      case .action(.callback(let app, let callback)):
        if callback == .didEnterBackground {
          if case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: .present)) {
            hosted[Int(app.rawValue)].task = task
          }
          plan(.workDone, app, mean: 20)
        } else if callback == .didBecomeActive {
          plan(.home, app, mean: 60)
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
        plan(.toFront, app, mean: 300)
      case .due(let number): take(number & 3, AppID(rawValue: number >> 2))
      // Every callback returns at once.
      case .action, .turn: break
      }
    }
  }

  /// Plans an act after an exponential time. The time depends only on the plan, the app and the
  /// cycle, not on the order in which apps are served.
  private func plan(_ plan: Plan, _ app: AppID, mean seconds: Double) {
    let cycle = UInt64(app.rawValue) << 32 | UInt64(hosted[Int(app.rawValue)].cycle)
    let mixed = (cycle &* 4 &+ UInt64(plan.rawValue)) &* 0x9e37_79b9_7f4a_7c15
    let time = times[Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 33) & 4095]
    hosted[Int(app.rawValue)].waiting = driver.plan(
      app.rawValue << 2 | plan.rawValue, at: driver.now + .nanoseconds(Int64(time * seconds)))
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

extension Policy {
  /// The values of ios13 that the cycle uses, with any number of apps in the foreground.
  static var canonical: Policy {
    Policy(
      multitasking: true, foregroundLimit: nil, hasBackgroundRefresh: true, hasLowPowerMode: true,
      suspendDelay: .zero,
      limits: CallbackLimits(
        launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(5),
        willTerminate: .seconds(5), code: nil),
      tasks: TaskRules(
        grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1000,
        limitCode: nil, code: nil, ageWarning: .seconds(30), lateBegin: .valid,
        refreshGate: .open),
      sessions: [:], wakes: [:])
  }
}
