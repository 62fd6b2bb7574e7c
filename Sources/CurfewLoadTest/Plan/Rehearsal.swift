import CurfewEngine
import CurfewPolicy
import CurfewUV

/// Runs a plan through the engine in virtual time, with apps whose callbacks take no time.
struct Rehearsal: ~Copyable {
  private let plan: LoadPlan
  private let scale: TimeScale
  private let rules: Policy
  private var driver: Driver
  /// The visit that each app is in, as an index in the plan; -1 before its first.
  private var current: [Int]
  /// The plan's tasks as the engine knows them.
  private var begun: [BackgroundTask?]
  private var watches: [Watch]
  /// The last call to each app.
  private var calls: [Call]
  private var outcomes: PlannedOutcomes

  /// Deadlines of an app that the task clock does not show, in nanoseconds of engine time; -1
  /// for none.
  private struct Watch {
    var kill: Int64 = -1
    var wake: Int64 = -1
    var linger: Int64 = -1
  }

  private enum Call {
    case entersBackground
    case expires(BackgroundTask)
    case other
  }

  init(_ plan: LoadPlan) {
    self.plan = plan
    scale = plan.options.scale
    rules = plan.options.policy.policy
    driver = Driver(Engine(policy: rules, device: plan.device, minimumCapacity: plan.apps.count))
    for app in plan.apps { _ = driver.addApp(app.manifest) }
    current = Array(repeating: -1, count: plan.apps.count)
    begun = Array(repeating: nil, count: plan.tasks.count)
    watches = Array(repeating: Watch(), count: plan.apps.count)
    calls = Array(repeating: .other, count: plan.apps.count)
    outcomes = PlannedOutcomes(
      visits: Array(repeating: VisitOutcome(), count: plan.visits.count),
      warnings: Array(repeating: nil, count: plan.tasks.count))
  }

  mutating func run() -> PlannedOutcomes {
    for (segment, steps) in plan.segments.enumerated() {
      let start = Int64(segment) * plan.options.segmentNanoseconds
      for step in steps { take(step, at: scale.engine(atWall: start + step.at)) }
      advance(to: scale.engine(atWall: start + plan.options.segmentNanoseconds))
    }
    return outcomes
  }

  /// Records the actions, and performs each app's turn when it is called.
  private mutating func advance(to instant: Instant) {
    while let item = driver.next(until: instant) {
      switch item {
      case .action(let action): note(action)
      case .turn(let app): takeTurn(app)
      case .due: break
      }
    }
  }

  private mutating func take(_ step: LoadStep, at instant: Instant) {
    advance(to: instant)
    let app = Int(step.app.rawValue)
    noteDistances(app, visit: Int(step.visit))
    switch step.verb {
    case .launch:
      current[app] = Int(step.visit)
      driver.say(.launch(step.app))
    case .home: driver.say(.home(step.app))
    case .endTask(let number):
      // An app cannot end a task that was never begun.
      guard let task = begun[plan.visits[Int(step.visit)].firstTask + Int(number)] else {
        return outcomes.illegalSteps += 1
      }
      driver.say(.endTask(step.app, task))
    case .startSession(let kind): driver.say(.startSession(step.app, kind))
    case .stopSession(let kind): driver.say(.stopSession(step.app, kind))
    case .deliver(let kind): driver.say(.deliver(step.app, kind))
    case .completeWake(let kind):
      driver.say(.completeWake(step.app, WakeChoice(kind: kind), .newData))
    }
  }

  /// Records the distances from this instant to the app's next deadlines and to its latest
  /// past deadlines.
  private mutating func noteDistances(_ app: Int, visit: Int) {
    func note(_ engineNanoseconds: Int64, _ outcome: inout VisitOutcome) {
      outcome.noteDistance(scale.length(Interval(nanoseconds: abs(engineNanoseconds))))
    }
    let now = driver.now.nanoseconds
    if let left = driver.engine.backgroundTimeRemaining(of: AppID(rawValue: UInt32(app))) {
      note(left.nanoseconds, &outcomes.visits[visit])
      note(left.nanoseconds - rules.tasks.warning.nanoseconds, &outcomes.visits[visit])
    }
    let warning = current[app] < 0 ? nil : outcomes.visits[current[app]].warning
    for deadline in [
      watches[app].kill, watches[app].wake, watches[app].linger, warning?.nanoseconds ?? -1,
    ] where deadline >= 0 {
      note(now - deadline, &outcomes.visits[visit])
    }
  }

  // MARK: Output

  /// Performs the app's turn after a call, and returns from the callback.
  private mutating func takeTurn(_ app: AppID) {
    let visit = plan.visits[current[Int(app.rawValue)]]
    switch calls[Int(app.rawValue)] {
    case .entersBackground:
      for task in plan.tasks(of: visit) {
        guard
          case .begun(let begun) = driver.ask(.beginTask(app, label: task.label, handler: .present))
        else { continue }
        self.begun[visit.firstTask + Int(task.label)] = begun
      }
    case .expires(let task):
      if plan.tasks[visit.firstTask + Int(task.label)].ending == .inHandler {
        driver.say(.endTask(app, task))
      }
    case .other: break
    }
    if driver.engine.owesReturn(app) { driver.say(.returned(app)) }
  }

  /// Records the planned warning and the end of its grant. The remaining time that the engine
  /// reports accounts for anything that stops the grant's clock.
  private mutating func notePlannedWarning(
    _ app: AppID, _ visit: Int, _ task: BackgroundTask, _ due: Instant
  ) {
    let end =
      driver.engine.backgroundTimeRemaining(of: app).map { driver.now + $0 } ?? due
      + rules.tasks.warning
    let start = Int64(plan.visits[visit].segment) * plan.options.segmentNanoseconds
    outcomes.warnings[plan.visits[visit].firstTask + Int(task.label)] = PlannedWarning(
      due: scale.wall(for: due) - start, end: scale.wall(for: end) - start)
  }

  private mutating func note(_ action: Action) {
    let now = driver.now
    guard let app = action.app.map({ Int($0.rawValue) }), current[app] >= 0 else { return }
    let visit = current[app]
    switch action {
    case .callback(_, let callback):
      calls[app] = callback == .didEnterBackground ? .entersBackground : .other
    case .event: calls[app] = .other
    case .expiration(let id, let task, _, let due):
      calls[app] = .expires(task)
      notePlannedWarning(id, visit, task, due)
      outcomes.visits[visit].warning = outcomes.visits[visit].warning ?? due
      outcomes.visits[visit].handlers += 1
    case .taskEnded: outcomes.visits[visit].lastEnd = now
    case .state(_, _, to: .suspended):
      outcomes.visits[visit].suspension = outcomes.visits[visit].suspension ?? now
    case .terminated(_, let end):
      (outcomes.visits[visit].death, outcomes.visits[visit].deathReason) = (now, end.reason)
      watches[app].kill = now.nanoseconds
    case .wakeBegan(_, let wake):
      calls[app] = .other
      watches[app].wake = (now + (rules.wakes[wake.kind]?.length ?? .zero)).nanoseconds
    case .wakeCompleted:
      outcomes.visits[visit].wakes += 1
      watches[app].wake = -1
    case .session(_, let kind, .ended):
      watches[app].linger = (now + (rules.sessions[kind]?.linger ?? .zero)).nanoseconds
    case .illegalEvent, .diagnostic(.unknownTask, _, _): outcomes.illegalSteps += 1
    default: break
    }
  }
}

extension Action {
  /// The app of the action.
  fileprivate var app: AppID? {
    switch self {
    case .callback(let app, _), .expiration(let app, _, _, _), .wakeBegan(let app, _),
      .event(let app, _), .taskBegan(let app, _),
      .taskEnded(let app, _), .state(let app, _, _), .terminated(let app, _),
      .wakeCompleted(let app, _), .session(let app, _, _),
      .diagnostic(_, let app?, _):
      app
    default: nil
    }
  }
}
