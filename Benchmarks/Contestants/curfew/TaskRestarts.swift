import CurfewEngine

/// Background tasks that end and begin again while as many apps hold one as the plan has timers. An
/// app enters the background an hour, the grant less the warning, before its timer's deadline, so
/// that its clock is due at that deadline. Virtual time stands still during a segment, so a task
/// that begins again gets what is left of the grant, and its clock the same deadline (rules F2 to
/// F4). No app has another assertion, so each end sets a suspension, and each begin takes it back.
final class TaskRestarts: Contestant {
  private var state: State

  init(_ plan: inout Plan) throws { state = State(try RestartPlan(&plan)) }

  func run(start: Int64) -> Measurement { .of { state.run() } }

  func answer(to text: inout Text) { state.append(to: &text) }

  private struct State: ~Copyable {
    /// All deadlines of a plan are from one to two hours after its start.
    private static let hour = Interval.seconds(3_600)
    /// A clock is due at the warning, five seconds before the end of the grant.
    private static let grant = Interval.seconds(3_605)

    private let plan: RestartPlan
    /// The timers in the order of their deadlines.
    private let order: [Int]
    private var driver: Driver
    private var tasks: [BackgroundTask]
    /// The instant from which the deadlines count.
    private var start = Instant.zero

    init(_ plan: RestartPlan) {
      self.plan = plan
      order = plan.dues.indices.sorted { plan.dues[$0] < plan.dues[$1] }
      driver = Driver(
        Engine(
          policy: .simple(grant: State.grant), minimumCapacity: plan.dues.count),
        wanting: [])
      tasks = Array(repeating: .invalid(label: 0), count: plan.dues.count)
      for _ in plan.dues { _ = driver.addApp() }
      begin()
    }

    /// Lets each app enter the background an hour before its deadline, with an open task.
    private mutating func begin() {
      for timer in order {
        let app = AppID(rawValue: UInt32(timer))
        let due: Instant = start + .nanoseconds(plan.dues[timer])
        run(until: due - State.hour)
        say(.launch(app))
        say(.home(app))
        beginTask(app)
      }
      let last: Instant = start + State.hour
      run(until: last - .nanoseconds(1))
    }

    mutating func run() {
      for _ in 0..<plan.rounds {
        for restart in plan.restarts {
          let app = AppID(rawValue: restart.timer)
          say(.endTask(app, tasks[Int(restart.timer)]))
          beginTask(app)
        }
      }
    }

    @inline(__always)
    private mutating func beginTask(_ app: AppID) {
      guard case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: .present)) else {
        preconditionFailure("App \(app.rawValue) has no task")
      }
      tasks[Int(app.rawValue)] = task
      pull()
    }

    /// Sends an event. Every callback returns at once.
    @inline(__always)
    private mutating func say(_ event: Event) {
      driver.say(event)
      pull()
    }

    @inline(__always)
    private mutating func pull() {
      while let item = driver.pull() { answer(item) }
    }

    @inline(__always)
    private mutating func answer(_ item: Driver.Item) {
      if case .turn(let app) = item { driver.say(.returned(app)) }
    }

    private mutating func run(until instant: Instant) {
      while let item = driver.next(until: instant) { answer(item) }
    }

    /// Lets time go on until every task has expired and ended, and begins anew.
    mutating func append(to text: inout Text) {
      var (sum, expired): (UInt64, Int) = (0, 0)
      while let item = driver.next(until: start + State.hour + State.hour) {
        answer(item)
        guard case .action(.expiration(let app, let task, _, let due)) = item else { continue }
        sum &+= UInt64((due - start).nanoseconds)
        expired += 1
        driver.say(.endTask(app, task))
      }
      start = driver.now
      begin()
      text.append("sum", text: sum)
      text.append("outstanding", expired)
    }
  }
}
