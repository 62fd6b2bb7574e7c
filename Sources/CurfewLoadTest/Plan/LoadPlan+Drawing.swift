import CurfewEngine
import CurfewPolicy

extension LoadPlan {
  /// The time kept free at the end of each segment, for late hosts and for counting results.
  static let margin: Int64 = 100_000_000

  /// Draws a plan.
  ///
  /// Visits are spread evenly over a segment, each at a random place within its share of the
  /// segment, so that they neither crowd at the start nor form a rhythm.
  package init(_ options: LoadTestOptions) throws(LoadPlanError) {
    let policy = options.policy.policy
    try LoadPlan.check(options)
    let lengths = PlanLengths(policy, options.scale)
    var random = PlanRandom(seed: options.seed)
    let apps = LoadPlan.drawApps(options.apps, policy, &random)
    try LoadPlan.checkSegments(apps, options)
    var drawn: [(visit: LoadVisit, shape: VisitShape, isByHome: Bool)] = []
    var wakesLeft = apps.map { LoadPlan.greatestNumberOfWakes($0.role, policy) }
    for segment in 0..<options.segments {
      var starts = LoadPlan.starts(segment, apps, lengths, options, &wakesLeft, &random)
      // Sorted as in the plan, so that launches at one instant have the same order here and there.
      starts.sort { ($0.visit.app, $0.visit.launch) < ($1.visit.app, $1.visit.launch) }
      let stays = starts.map {
        ForegroundLine.Stay(launch: $0.visit.launch, home: $0.visit.launch + $0.shape.stay)
      }
      for (index, departure) in ForegroundLine.departures(stays, limit: policy.foregroundLimit)
        .enumerated()
      {
        starts[index].visit.departure = departure.at
        drawn.append((starts[index].visit, starts[index].shape, departure.isByHome))
      }
    }
    drawn.sort {
      ($0.visit.app, $0.visit.segment, $0.visit.launch) < (
        $1.visit.app, $1.visit.segment, $1.visit.launch
      )
    }

    var visits: [LoadVisit] = []
    var tasks: [LoadTask] = []
    var steps = Array(repeating: [LoadStep](), count: options.segments)
    var firstVisits = Array(repeating: 0, count: options.apps + 1)
    for (visit, shape, isByHome) in drawn {
      var visit = visit
      (visit.firstTask, visit.taskCount) = (tasks.count, shape.tasks.count)
      tasks += shape.tasks
      LoadPlan.append(
        shape, visit, number: visits.count, isByHome: isByHome, to: &steps[visit.segment])
      visits.append(visit)
      firstVisits[Int(visit.app.rawValue) + 1] += 1
    }
    for app in 0..<options.apps { firstVisits[app + 1] += firstVisits[app] }
    for segment in steps.indices {
      steps[segment].sort { ($0.at, $0.visit, $0.order) < ($1.at, $1.visit, $1.order) }
    }
    self.init(
      options: options, apps: apps, device: LoadPlan.device(options), visits: visits, tasks: tasks,
      segments: steps,
      firstVisits: firstVisits)
  }

  private static func device(_ options: LoadTestOptions) -> DeviceFacts {
    let memory = options.policy.policy.memory
    let needed = Int64(options.apps).multipliedReportingOverflow(by: max(1, memory.footprint))
    let (roomy, overflow) = needed.partialValue.multipliedReportingOverflow(by: 4)
    return DeviceFacts(memory: needed.overflow || overflow ? .max : max(memory.capacity, roomy))
  }

  // MARK: Apps

  /// Draws the apps: 15 % hold sessions and 15 % are woken, if the policy has suitable kinds.
  private static func drawApps(_ count: Int, _ policy: Policy, _ random: inout PlanRandom)
    -> [LoadApp]
  {
    let sessions = [AssertionKind.audio, .location].filter { isPlannable(session: $0, policy) }
    let wakes = AssertionKind.standard.filter { isPlannable($0, policy) }
    return (0..<count).map { _ in
      switch random.below(100) {
      case 0..<15 where !sessions.isEmpty:
        let kind = random.pick(sessions)
        return LoadApp(
          manifest: Manifest(backgroundModes: kind.asStandard?.mode ?? []), role: .session(kind))
      case 15..<30 where !wakes.isEmpty:
        let kind = random.pick(wakes)
        return LoadApp(
          manifest: Manifest(backgroundModes: policy.wakes[kind]?.modes ?? []), role: .wake(kind))
      default: return LoadApp(manifest: Manifest(), role: .plain)
      }
    }
  }

  /// Whether wakes of this kind may come at any time, whatever happened to the app. Excludes
  /// wakes on request. Also excludes wakes under a budget of run time or under several budgets,
  /// because they would make the end of one visit depend on another. The devices of a load test
  /// have Background App Refresh on, Low Power Mode off and a full battery, so that these facts
  /// deny nothing.
  private static func isPlannable(_ kind: AssertionKind, _ policy: Policy) -> Bool {
    guard let row = policy.wakes[kind], row.conditions.divided.others == FactConditions(),
      row.overrun != .tell
    else { return false }
    guard row.stopsTaskClock, row.linger == .zero, row.start != .request else { return false }
    return row.relaunches && row.pendingLimit == nil && row.budget?.runTime == nil
      && row.budgets.isEmpty && row.length > .zero
  }

  /// Whether sessions of this kind are admitted to every app that declares their mode, and are
  /// ended only by their app.
  private static func isPlannable(session kind: AssertionKind, _ policy: Policy) -> Bool {
    guard let row = policy.sessions[kind] else { return false }
    return row.modes == nil && row.conditions == FactConditions() && row.length == nil
      && row.budgets.isEmpty
  }

  /// The maximum number of wakes that the budget admits, whenever they come.
  private static func greatestNumberOfWakes(_ role: LoadApp.Role, _ policy: Policy) -> UInt32 {
    guard case .wake(let kind) = role else { return 0 }
    return policy.wakes[kind]?.budget?.admissions ?? .max
  }

  // MARK: Visits

  /// The visits of a segment, without their departures.
  private static func starts(
    _ segment: Int, _ apps: [LoadApp], _ lengths: PlanLengths, _ options: LoadTestOptions,
    _ wakesLeft: inout [UInt32],
    _ random: inout PlanRandom
  ) -> [(visit: LoadVisit, shape: VisitShape)] {
    let usable = options.segmentNanoseconds - margin
    let wanted = wantedVisits(options)
    let perApp = max(1, (wanted + apps.count - 1) / apps.count)
    // Some apps have one visit fewer than the others, so that the total is the requested number.
    let busiest = wanted - (perApp - 1) * apps.count
    // If there are more apps than visits, apps take turns.
    let served = min(apps.count, wanted)
    let order = random.permutation(served)
    var starts: [(visit: LoadVisit, shape: VisitShape)] = []
    for place in 0..<served {
      let app = UInt32((segment * served + place) % apps.count)
      let role = apps[Int(app)].role
      let fit = usable / lengths.longestVisit(role)
      let count = min(Int64(place < busiest ? perApp : max(1, perApp - 1)), fit)
      let window = usable / count
      for number in 0..<count {
        var own = PlanRandom(seed: options.seed, segment: segment, app: app, visit: Int(number))
        let shape = VisitShape(role, lengths, wakes: wakesLeft[Int(app)] > 0, &own)
        if shape.wake != nil { wakesLeft[Int(app)] -= 1 }
        let room = window - shape.span
        let share = Int64(order[place])
        let from = part(room, share, served)
        let launch =
          number * window + own.between(from, max(from + 1, part(room, share + 1, served)))
        starts.append(
          (
            LoadVisit(
              app: AppID(rawValue: app), segment: segment, launch: launch, departure: launch,
              firstTask: 0, taskCount: 0), shape
          ))
      }
    }
    return starts
  }

  /// `room` × `share` / `count`, without overflow.
  private static func part(_ room: Int64, _ share: Int64, _ count: Int) -> Int64 {
    let product = room.multipliedFullWidth(by: share)
    return Int64(count).dividingFullWidth(product).quotient
  }

  private static func append(
    _ shape: VisitShape, _ visit: LoadVisit, number: Int, isByHome: Bool, to steps: inout [LoadStep]
  ) {
    var order: UInt8 = 0
    func add(_ at: Int64, _ verb: LoadStep.Verb) {
      steps.append(
        LoadStep(at: at, visit: UInt32(number), app: visit.app, verb: verb, order: order))
      order += 1
    }
    add(visit.launch, .launch)
    if isByHome { add(visit.departure, .home) }
    for (index, task) in shape.tasks.enumerated() {
      if case .planned(let work) = task.ending {
        add(visit.departure + work, .endTask(UInt8(index)))
      }
    }
    if let (kind, start, stop) = shape.session {
      add(visit.departure + start, .startSession(kind))
      add(visit.departure + stop, .stopSession(kind))
    }
    if let (kind, delivery, completion) = shape.wake {
      add(visit.departure + delivery, .deliver(kind))
      add(visit.departure + completion, .completeWake(kind))
    }
  }
}
