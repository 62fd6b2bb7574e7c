import CurfewEngine

/// Grants that end and begin again while as many grants run as the plan has timers. In the engine,
/// a grant is a wake whose own length ends at the plan's deadline. A restart completes the wake of
/// an app and delivers the next one. Each app is in the background, where its audio session holds
/// it between two wakes.
final class GrantRestarts: Contestant {
  private var state: State

  init(_ plan: inout Plan) throws { state = State(try RestartPlan(&plan)) }

  func run(start: Int64) -> Measurement { .of { state.run() } }

  func answer(to text: inout Text) { state.append(to: &text) }

  private struct State: ~Copyable {
    /// All deadlines of a plan are less than two hours after its start.
    private static let span = Interval.seconds(7_200)
    /// The time from one restart to the next. The driver takes many restarts at one instant
    /// for a loop that never ends.
    private static let pause = Interval.nanoseconds(1_000)

    private let plan: RestartPlan
    private var driver: Driver
    /// The instant from which the deadlines count.
    private var start = Instant.zero

    init(_ plan: RestartPlan) {
      self.plan = plan
      driver = Driver(
        Engine(policy: .held, minimumCapacity: plan.dues.count), wanting: .wakeOverran)
      for due in plan.dues {
        let app = driver.addApp(Manifest(backgroundModes: .audio))
        for event in [.launch(app), .startSession(app, .audio), .home(app)] as [Event] {
          say(event)
        }
        begin(app, due: due)
      }
    }

    mutating func run() {
      for _ in 0..<plan.rounds {
        for restart in plan.restarts {
          let app = AppID(rawValue: restart.timer)
          say(.completeWake(app, WakeChoice(), nil))
          begin(app, due: restart.due)
          let next = driver.now + State.pause
          while let item = driver.next(until: next) { answer(item) }
        }
      }
    }

    private mutating func begin(_ app: AppID, due: Int64) {
      let length = start + .nanoseconds(due) - driver.now
      say(.deliver(app, .voipPush, for: RunTimes(length: length, warning: .zero)))
    }

    /// Sends an event. Every callback returns at once.
    @inline(__always)
    private mutating func say(_ event: Event) {
      driver.say(event)
      while let item = driver.pull() { answer(item) }
    }

    @inline(__always)
    private mutating func answer(_ item: Driver.Item) {
      if case .turn(let app) = item { driver.say(.returned(app)) }
    }

    /// Lets the engine run through the whole span, so that every grant ends at its deadline. Each
    /// one then begins again, with its deadline in the next span.
    mutating func append(to text: inout Text) {
      var (sum, ended): (UInt64, Int) = (0, 0)
      while let item = driver.next(until: start + State.span) {
        answer(item)
        guard case .action(.wakeOverran(let app, _, _)) = item else { continue }
        sum &+= UInt64((driver.now - start).nanoseconds)
        ended += 1
        driver.say(.deliver(app, .voipPush, for: RunTimes(length: State.span, warning: .zero)))
      }
      start = driver.now
      text.append("sum", text: sum)
      text.append("outstanding", ended)
    }
  }
}

extension Policy {
  /// A policy under which an audio session holds its app, and a wake ends with its own length.
  fileprivate static let held = simple(
    grant: .seconds(30), ageWarning: nil,
    sessions: [.audio: SessionRules(stopsTaskClock: false, linger: .zero)],
    wakes: [
      .voipPush: WakeRules(
        modes: [], relaunches: true, survivesForceQuit: true, length: .seconds(7_200),
        overrun: .drop, code: nil)
    ])
}
