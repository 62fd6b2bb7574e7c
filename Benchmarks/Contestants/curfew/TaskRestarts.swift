import CurfewEngine

/// Tasks that end and begin again while as many task clocks run as the plan has timers. Each app
/// is in the background, where its audio session holds it. A restart is the end of the app's
/// only task, which stops its clock, and the begin of another one, which starts the clock again.
final class TaskRestarts: Contestant {
  private var state: State

  init(_ plan: inout Plan) throws { state = State(try RestartPlan(&plan)) }

  func run(start: Int64) -> Measurement { .of { state.run() } }

  func answer(to text: inout Text) { state.append(to: &text) }

  private struct State: ~Copyable {
    /// The time that passes between the end of a task and the next begin. Without it, all restarts
    /// would be at one instant, and every clock would keep its deadline.
    private static let pause = Interval.nanoseconds(50_000)

    private let plan: RestartPlan
    private var driver: Driver
    /// The open task of each app. Its label is the number of the restart that began it; the tasks
    /// of the set-up have the numbers after the restarts.
    private var tasks: [BackgroundTask] = []

    init(_ plan: RestartPlan) {
      self.plan = plan
      driver = Driver(Engine(policy: .held, minimumCapacity: plan.dues.count))
      tasks = Array(repeating: .invalid(label: 0), count: plan.dues.count)
      for _ in plan.dues { _ = driver.addApp(Manifest(backgroundModes: .audio)) }
      // The clocks start in the order of the deadlines, so that they are as far apart as the
      // plan's deadlines.
      let order = plan.dues.indices.sorted { (plan.dues[$0], $0) < (plan.dues[$1], $1) }
      let first = order.first.map { plan.dues[$0] } ?? 0
      for timer in order {
        let app = AppID(rawValue: UInt32(timer))
        driver.say(.launch(app), at: .zero + .nanoseconds(plan.dues[timer] - first))
        pull()
        driver.say(.startSession(app, .audio))
        pull()
        driver.say(.home(app))
        pull()
        begin(app, label: plan.restarts.count + timer)
      }
    }

    mutating func run() {
      for _ in 0..<plan.rounds {
        for (number, restart) in plan.restarts.enumerated() {
          let app = AppID(rawValue: restart.timer)
          driver.say(.endTask(app, tasks[Int(restart.timer)]))
          pull()
          driver.move(to: driver.now + State.pause)
          begin(app, label: number)
        }
      }
    }

    private mutating func begin(_ app: AppID, label: Int) {
      guard
        case .begun(let task) = driver.ask(
          .beginTask(app, label: UInt32(label), handler: .present))
      else { preconditionFailure("App \(app.rawValue) has no task") }
      tasks[Int(app.rawValue)] = task
      pull()
    }

    /// Every callback returns at once.
    @inline(__always)
    private mutating func pull() {
      while let item = driver.pull() {
        if case .turn(let app) = item { driver.say(.returned(app)) }
      }
    }

    /// The sum of the deadlines for which the open tasks were begun, and the number of apps
    /// whose clock runs.
    borrowing func append(to text: inout Text) {
      var (sum, running): (UInt64, Int) = (0, 0)
      for (timer, task) in tasks.enumerated() {
        let number = Int(task.label)
        let due =
          number < plan.restarts.count
          ? plan.restarts[number].due : plan.dues[number - plan.restarts.count]
        sum &+= UInt64(due)
        let app = AppID(rawValue: UInt32(timer))
        let isOpen = driver.engine.openTaskCount(of: app) == 1
        if isOpen, driver.engine.state(of: app) == .background { running += 1 }
      }
      text.append("sum", text: sum)
      text.append("outstanding", running)
    }
  }
}

extension Policy {
  /// A policy under which an audio session holds its app, while the clock of tasks runs. A day
  /// is enough for more than 10⁹ restarts.
  fileprivate static let held = simple(
    grant: .seconds(86_405), ageWarning: .seconds(86_400),
    sessions: [.audio: SessionRules(stopsTaskClock: false, linger: .zero)])
}
