import CFetch
import CurfewEngine

/// The canonical cycle on the engine, through its driver: foreground, background with one task,
/// the end of the task's work or its expiration, suspension, foreground again.
final class EngineCycles: Contestant {
  private var cycle: EngineCycle

  var counts: CycleCounts { cycle.counts }

  init(_ plan: CyclePlan) { cycle = EngineCycle(plan) }

  func run(_ cycles: Int) { cycle.run(cycles) }

  func run(start: Int64) -> Measurement { .of { run(cycle.plan.cycles) } }

  func answer(to text: inout Text) { counts.append(to: &text) }
}

private struct EngineCycle: ~Copyable {
  private enum Due: UInt32 { case home, workDone, toFront }

  private struct HostedApp {
    var waiting = Driver.Plan.none
    var cycle: UInt32 = 0
    var task = BackgroundTask.invalid(label: 0)
  }

  let plan: CyclePlan
  private var driver: Driver
  /// The host waits for at most one plan per app at any time.
  private var hosted: [HostedApp]
  private(set) var counts = CycleCounts()

  init(_ plan: CyclePlan) {
    self.plan = plan
    driver = Driver(
      Engine(policy: .canonical, minimumCapacity: plan.apps), wanting: .state(to: .suspended))
    hosted = Array(repeating: HostedApp(), count: plan.apps)
    for app in 0..<UInt32(plan.apps) {
      wait(.toFront, driver.addApp(), for: plan.suspended(app, 0))
    }
  }

  mutating func run(_ cycles: Int) {
    counts.beginSegment()
    let goal = counts.suspensions + cycles
    while counts.suspensions < goal, let item = driver.next() {
      switch item {
      case .action(.callback(let app, let callback)):
        if callback == .didEnterBackground {
          begin(app)
        } else if callback == .didBecomeActive {
          wait(.home, app, for: plan.foreground(app.rawValue, hosted[Int(app.rawValue)].cycle))
        }
        driver.say(.returned(app))
      case .action(.expiration(let app, let expired, _, _)):
        counts.expirations += 1
        driver.cancel(hosted[Int(app.rawValue)].waiting)
        driver.say(.endTask(app, expired))
        driver.say(.returned(app))
      case .action(.state(let app, _, .suspended)):
        counts.noteSuspension(app.rawValue, at: driver.now)
        hosted[Int(app.rawValue)].cycle += 1
        wait(.toFront, app, for: plan.suspended(app.rawValue, hosted[Int(app.rawValue)].cycle))
      case .due(let number): take(number)
      // Every callback returns at once.
      case .action, .turn: break
      }
    }
  }

  private mutating func begin(_ app: AppID) {
    guard case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: .present)) else {
      preconditionFailure("App \(app.rawValue) has no task")
    }
    hosted[Int(app.rawValue)].task = task
    wait(.workDone, app, for: plan.work(app.rawValue, hosted[Int(app.rawValue)].cycle))
  }

  private mutating func wait(_ due: Due, _ app: AppID, for length: Interval) {
    hosted[Int(app.rawValue)].waiting = driver.plan(
      app.rawValue << 2 | due.rawValue, at: driver.now + length)
  }

  /// Loads the records of the app that acts next.
  private func prefetch(_ app: AppID) {
    driver.prefetch(app)
    hosted.withUnsafeBufferPointer { records in
      if let first = records.baseAddress { fetch_line(first + Int(app.rawValue)) }
    }
  }

  private mutating func take(_ number: UInt32) {
    let app = AppID(rawValue: number >> 2)
    hosted[Int(app.rawValue)].waiting = .none
    if let next = driver.nextPlan { prefetch(AppID(rawValue: next >> 2)) }
    switch Due(rawValue: number & 3) {
    case .toFront: driver.say(.launch(app))
    case .home: driver.say(.home(app))
    case .workDone: driver.say(.endTask(app, hosted[Int(app.rawValue)].task))
    case nil: preconditionFailure("A plan of number \(number) is due, which was not made")
    }
  }
}
