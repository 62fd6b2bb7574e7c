import TestSupport

@testable import CurfewEngine

/// The policies of random lives: the named ones, with numbers drawn from the seed so that
/// events collide.
extension FuzzRun {
  static let policies: [(name: String, policy: Policy)] = [
    ("ios13", .ios13), ("tiny", .tiny), ("noMultitasking", .noMultitasking),
    ("unlimitedForeground", .unlimitedForeground),
    (
      "tiny, strict, two in front",
      .tiny.with { ($0.tasks.lateBegin, $0.foregroundLimit) = (.invalid, 2) }
    ),
    ("slowToSuspend", .slowToSuspend),
    ("seedStrict", .seedStrict), ("zero", .zero), ("ios7", .ios7), ("endless", .endless(1 << 60)),
    ("twoInFront", .twoInFront),
    (
      "tiny, unlimited, slow to suspend",
      .tiny.with { ($0.foregroundLimit, $0.suspendDelay) = (nil, .milliseconds(4)) }
    ),
    ("seedStrict, slow to suspend", .seedStrict.with { $0.suspendDelay = .seconds(2) }),
  ]

  /// The time between events. A life lasts seconds or hours, so that events and intervals have
  /// the same scale.
  enum Pace {
    case seconds, hours

    /// Quarters of an hour, or seconds.
    var alignments: [Interval] {
      self == .hours ? [.seconds(900)] : [.zero, .seconds(1), .milliseconds(1500)]
    }
    var minimums: [Interval] {
      self == .hours ? [.zero, .seconds(900), .seconds(600)] : [.zero, .seconds(1), .seconds(2)]
    }
    /// The intervals that apps ask for.
    var intervals: [Interval] {
      self == .hours
        ? [.zero, .seconds(600), .seconds(900), .seconds(1800), .seconds(7200)]
        : [.zero, .seconds(1), .seconds(2), .seconds(7)]
    }
    /// The longest advance of time while opportunities repeat.
    var longest: Interval { self == .hours ? .seconds(20_000) : .seconds(40) }
    var windows: [Interval] {
      self == .hours
        ? [.seconds(60), .seconds(3600)] : [.milliseconds(5), .seconds(3), .seconds(60)]
    }
  }

  /// `policy` with colliding values for the numbers that matter in a life.
  static func colliding(_ policy: Policy, _ pace: Pace, _ random: inout SeededGenerator) -> Policy {
    var policy = policy
    policy.tasks.thermalExpiry = random.pick([nil, .fair, .serious, .critical])
    policy.lockedFiles.terminates = !random.oneIn(3)
    let (warning, reset) = random.pick(
      [(80, 75), (80, 75), (50, 50), (100, 0), (33, 32)] as [(UInt8, UInt8)])
    policy.memory = MemoryRules(
      capacity: random.pick([.max, .max, (400 << 20) + 7, 250 << 20, 150 << 20]),
      warningLevel: warning, resetLevel: reset,
      footprint: random.pick([0, 50 << 20]), appLimit: random.pick([nil, nil, nil, 110 << 20]))
    let (above, goal) = random.pick(
      [(100, nil), (100, nil), (100, 60), (70, nil), (80, 80), (50, 0), (90, 33)]
        as [(UInt8, UInt8?)])
    (policy.memory.purgeAbove, policy.memory.purgeTo) = (above, goal)
    policy.memory.purge = random.pick([.largest, .largest, .leastRecentlyUsed, .leastCostly])
    policy.memory.startCost = random.pick([.zero, .milliseconds(500)])
    policy.cpu = random.pick([
      nil, policy.cpu, CPURules(share: 50, window: .seconds(4), holdsWhileCharging: true),
      CPURules(share: 80, window: .milliseconds(5), holdsWhileCharging: false),
      CPURules(share: random.oneIn(4) ? 0 : 33, window: .seconds(1), holdsWhileCharging: false),
    ])
    policy.notifications = NotificationRules(
      kept: random.pick([0, 1, 2, 3, 64]), queued: random.pick([0, 1, 2, 100]),
      names: random.pick([nil, 0, 1, 2, 100]))
    if random.oneIn(2) { addOwn(to: &policy, &random) }
    if random.oneIn(2) { addGroups(to: &policy, pace, &random) }
    for kind in policy.kinds {
      guard var row = policy.wakes[kind] else { continue }
      let isRequested = kind == .processing || kind == .appRefresh || row.start == .request
      row.schedule = WakeSchedule(
        minimumInterval: isRequested && random.oneIn(2) ? .zero : random.pick(pace.minimums),
        alignment: kind == .fetch || (isRequested || row.start == .opportunity) && random.oneIn(2)
          ? random.pick(pace.alignments) : .zero,
        greatestBackoff: random.pick([1, 2, 5, 8]))
      space(&row, pace, &random)
      row.leeway = leeway(&random)
      row.budget = random.oneIn(2) ? budget(pace, &random) : nil
      row.budgets = random.oneIn(2) ? budgets(pace, groups: policy.groups.count, &random) : []
      row.coalescing = random.pick([.zero, .zero, .milliseconds(3), .seconds(2)])
      if isRequested { row.pendingLimit = random.pick([nil, 1, 2, 0]) }
      if kind == .processing || kind == .appRefresh { row.relaunches = !random.oneIn(4) }
      if random.oneIn(2) {
        row.warning = min(
          row.length, random.pick([.nanoseconds(1), .milliseconds(2), .seconds(5)]))
        row.unhandledWarning = random.pick([.end, .overrun])
      }
      row.leastRoom = leastRoom(&random)
      row.completedTwice = random.pick([.remark, .remark, .end])
      policy.wakes[kind] = row
    }
    for kind in policy.kinds {
      guard var row = policy.sessions[kind] else { continue }
      row.leeway = leeway(&random)
      if random.oneIn(2) { limit(&row, pace, groups: policy.groups.count, &random) }
      policy.sessions[kind] = row
    }
    policy.lowBatteryReset = random.pick([nil, nil, policy.lowBattery, 25, 100]).map {
      max($0, policy.lowBattery)
    }
    policy.tasks.whenLate = random.pick([.extend, .kill])
    return policy
  }

  private static func leeway(_ random: inout SeededGenerator) -> Interval {
    random.pick([
      .zero, .zero, .zero, .nanoseconds(700), .milliseconds(3), .seconds(5), .seconds(400),
    ])
  }

  /// Draws how long a session may run in the background.
  private static func limit(
    _ row: inout SessionRules, _ pace: Pace, groups: Int, _ random: inout SeededGenerator
  ) {
    row.length = random.pick([nil, .milliseconds(3), .milliseconds(3), .seconds(4), .seconds(30)])
    row.overrun = random.pick([.kill, .drop, .drop, .tell])
    row.code = random.pick([nil, TerminationCode(rawValue: 7)])
    row.warning = random.pick([.zero, .nanoseconds(1), .milliseconds(2), .seconds(5)])
    if row.length != nil, row.overrun == .drop, random.oneIn(2) {
      // Terms repeat, so their number is limited.
      row.length = pace == .hours ? .seconds(30) : random.pick([.milliseconds(300), .seconds(4)])
      row.deferral =
        pace == .hours
        ? .seconds(20) : random.pick([.nanoseconds(1), .milliseconds(3), .seconds(2)])
      row.deferralFactor = ScaleFactor(millionths: random.pick([1_000_000, 2_000_000, 1_500_000]))
      row.longestDeferral = random.pick([nil, .seconds(20), .seconds(70)])
    }
    if let length = row.length { row.warning = min(length, row.warning) }
    guard random.oneIn(2) else { return }
    row.budgets = budgets(pace, groups: groups, &random)
    row.leastRoom = leastRoom(&random)
    row.coalescing = random.pick([.zero, .zero, .milliseconds(3), .seconds(2)])
  }

  /// Draws the spacing of fetches beyond the interval.
  private static func space(_ row: inout WakeRules, _ pace: Pace, _ random: inout SeededGenerator) {
    guard random.oneIn(2) else { return }
    row.schedule.backoffFactor = ScaleFactor(
      millionths: random.pick([1_200_000, 1_200_000, 1_000_000, 2_500_001, 4_000_000]))
    row.schedule.backoffGrowth = random.pick([.results, .runs])
    row.schedule.backoffReset = random.pick([.newData, .use, .either])
    row.schedule.leadToUse = random.pick(
      [nil, nil, .seconds(86_500)] + pace.minimums.filter { $0 > .zero })
  }

  // MARK: The policy's own names

  static let names = PolicyNames(
    ownSessions: ["navigation"], ownWakes: ["backup", "beat", "glance"], ownModes: ["guidance"],
    ownFacts: ["parked", "restricted"])
  static let deviceFact = FactSet(place: FactSet.standardNames.count)
  static let appFact = FactSet(place: FactSet.standardNames.count + 1)

  /// A kind of the policy's own, if it has any.
  static func backup(_ policy: Policy) -> AssertionKind {
    policy.names.kind("backup") ?? .processing
  }
  static func beat(_ policy: Policy) -> AssertionKind {
    policy.names.kind("beat") ?? .voipKeepAlive
  }
  static func glance(_ policy: Policy) -> AssertionKind { policy.names.kind("glance") ?? .fetch }

  /// Adds kinds, a mode and facts of the policy's own, and conditions on some rows.
  private static func addOwn(to policy: inout Policy, _ random: inout SeededGenerator) {
    policy.names = names
    policy.facts = FactRules(
      ofDevice: deviceFact, ofApps: appFact, unset: random.pick([[], deviceFact, appFact]))
    let guidance = BackgroundModes(place: BackgroundModes.standardNames.count)
    if let navigation = names.kind("navigation"), random.oneIn(2) || policy.multitasking {
      policy.sessions[navigation] = SessionRules(
        modes: random.pick([nil, [], guidance, [.audio, guidance]]),
        stopsTaskClock: random.oneIn(2),
        linger: random.pick([.zero, .milliseconds(2), .seconds(1)]),
        conditions: conditions(&random), isPurgedLast: random.oneIn(2))
    }
    for (name, start) in [
      ("backup", WakeStart.request), ("beat", .interval), ("glance", .opportunity),
    ] as [(KindName, WakeStart)] {
      guard let kind = names.kind(name), !random.oneIn(6) else { continue }
      policy.wakes[kind] = WakeRules(
        modes: random.pick([[], guidance, [.fetch, guidance]]), relaunches: !random.oneIn(3),
        survivesForceQuit: random.oneIn(2),
        conditions: conditions(&random), start: start,
        waitsForIdle: start == .request && random.oneIn(2),
        stopsTaskClock: random.oneIn(2),
        linger: random.pick([.zero, .zero, .milliseconds(3), .seconds(2)]),
        isPurgedLast: random.oneIn(3),
        length: random.pick([.milliseconds(3), .seconds(4), .seconds(30)]),
        overrun: random.pick([.kill, .drop, .tell]), code: nil,
        pendingLimit: start == .request ? 2 : nil)
    }
    for kind in [AssertionKind.audio, .location, .voip] {
      if random.oneIn(3) { policy.sessions[kind]?.conditions = conditions(&random) }
    }
    for kind in [AssertionKind.fetch, .region, .processing, .appRefresh] {
      if random.oneIn(3) { policy.wakes[kind]?.conditions = conditions(&random) }
    }
  }

  /// - Parameter own: How many of the policy's own facts the conditions may use.
  private static func conditions(_ random: inout SeededGenerator, own: Int = 2) -> FactConditions {
    let facts: [FactSet] =
      [
        .charging, .connected, .wifi, .lowPowerMode, .lowBattery, .backgroundRefresh,
        .thermalSerious, .locked, .userPresent,
      ]
      + [deviceFact, appFact].prefix(own)
    var conditions = FactConditions()
    if random.oneIn(2) { conditions.blockedBy = random.pick(facts) }
    if random.oneIn(3) {
      conditions.requires = random.pick(facts).subtracting(conditions.blockedBy)
    }
    return conditions
  }

  /// Adds groups by disuse and by facts.
  private static func addGroups(
    to policy: inout Policy, _ pace: Pace, _ random: inout SeededGenerator
  ) {
    let own = policy.names
    policy.names = PolicyNames(
      ownSessions: own == names ? ["navigation"] : [],
      ownWakes: own == names ? ["backup", "beat", "glance"] : [],
      ownModes: own == names ? ["guidance"] : [],
      ownFacts: own == names ? ["parked", "restricted"] : [], groups: ["idle", "rare", "said"])
    policy.groups = [
      GroupRules(unusedFor: random.pick(pace.windows)),
      GroupRules(unusedFor: random.pick(pace.windows).adding(.seconds(1))),
      GroupRules(
        unusedFor: random.pick([.zero, .milliseconds(4)]),
        conditions: conditions(&random, own: own == names ? 2 : 0),
        rank: random.pick([0, 1])),
    ]
  }

  /// nil for the row's warning; else zero, part of a budget or all of it.
  private static func leastRoom(_ random: inout SeededGenerator) -> Interval? {
    random.pick([
      nil, nil, .zero, .zero, .nanoseconds(1), .milliseconds(1), .milliseconds(3), .seconds(2),
      .seconds(10),
    ])
  }

  private static func budgets(_ pace: Pace, groups: Int, _ random: inout SeededGenerator)
    -> [Budget]
  {
    (0..<random.pick([1, 2, 3])).map { _ in
      let group = groups > 0 && random.oneIn(2) ? AppGroup(rawValue: random.pick([0, 1, 2])) : nil
      let amount: Budget.Amount = random.pick([
        .admissions(random.pick([0, 1, 2, 3])), .sessions(random.pick([0, 1, 2])),
        .runTime(
          random.pick([
            .nanoseconds(1), .milliseconds(1), .milliseconds(7), .seconds(4), .seconds(20),
          ])),
        .runTime(random.pick([.milliseconds(2), .seconds(1), .seconds(31)])),
      ])
      return Budget(amount, in: random.pick(pace.windows), of: group)
    }
  }

  private static func budget(_ pace: Pace, _ random: inout SeededGenerator) -> WakeBudget {
    WakeBudget(
      window: random.pick(pace.windows), admissions: random.pick([nil, 0, 1, 1, 2, 3]),
      runTime: random.pick([nil, .milliseconds(1), .milliseconds(7), .seconds(4)]))
  }
}
