import CurfewEngine
import TestSupport

/// The policies that random lives are lived under: the named ones, with numbers of the seed's choice in which things collide.
extension FuzzRun {
  static let policies: [(name: String, policy: Policy)] = [
    ("ios13", .ios13), ("tiny", .tiny), ("noMultitasking", .noMultitasking), ("unlimitedForeground", .unlimitedForeground),
    ("tiny, strict, two in front", .tiny.with { ($0.tasks.lateBegin, $0.foregroundLimit) = (.invalid, 2) }),
    ("slowToSuspend", .slowToSuspend),
    ("seedStrict", .seedStrict), ("zero", .zero), ("ios7", .ios7), ("endless", .endless(1 << 60)), ("twoInFront", .twoInFront),
    ("tiny, unlimited, slow to suspend", .tiny.with { ($0.foregroundLimit, $0.suspendDelay) = (nil, .milliseconds(4)) }),
    ("seedStrict, slow to suspend", .seedStrict.with { $0.suspendDelay = .seconds(2) }),
  ]

  /// How long the times between things are: a life passes in seconds or in hours, so that neither is one long wait for the other.
  enum Pace {
    case seconds, hours

    /// Quarters of an hour, or seconds.
    var alignments: [Interval] { self == .hours ? [.seconds(900)] : [.zero, .seconds(1), .milliseconds(1500)] }
    var minimums: [Interval] { self == .hours ? [.zero, .seconds(900), .seconds(600)] : [.zero, .seconds(1), .seconds(2)] }
    /// What apps ask for.
    var intervals: [Interval] {
      self == .hours
        ? [.zero, .seconds(600), .seconds(900), .seconds(1800), .seconds(7200)] : [.zero, .seconds(1), .seconds(2), .seconds(7)]
    }
    /// The longest time in which opportunities come again and again.
    var longest: Interval { self == .hours ? .seconds(20_000) : .seconds(40) }
    var windows: [Interval] { self == .hours ? [.seconds(60), .seconds(3600)] : [.milliseconds(5), .seconds(3), .seconds(60)] }
  }

  /// `policy`, and what of its numbers a life depends on.
  static func colliding(_ policy: Policy, _ pace: Pace, _ random: inout SeededGenerator) -> Policy {
    var policy = policy
    policy.tasks.thermalExpiry = random.pick([nil, .fair, .serious, .critical])
    policy.lockedFiles.terminates = !random.oneIn(3)
    let (warning, reset) = random.pick([(80, 75), (80, 75), (50, 50), (100, 0), (33, 32)] as [(UInt8, UInt8)])
    policy.memory = MemoryRules(
      capacity: random.pick([.max, .max, (400 << 20) + 7, 250 << 20, 150 << 20]), warningLevel: warning, resetLevel: reset,
      footprint: random.pick([0, 50 << 20]), appLimit: random.pick([nil, nil, nil, 110 << 20]))
    policy.cpu = random.pick([
      nil, policy.cpu, CPURules(share: 50, window: .seconds(4), holdsWhileCharging: true),
      CPURules(share: 80, window: .milliseconds(5), holdsWhileCharging: false),
      CPURules(share: random.oneIn(4) ? 0 : 33, window: .seconds(1), holdsWhileCharging: false),
    ])
    policy.notifications = NotificationRules(
      kept: random.pick([0, 1, 2, 3, 64]), queued: random.pick([0, 1, 2, 100]), names: random.pick([nil, 0, 1, 2, 100]))
    for kind in AssertionKind.allCases {
      guard var row = policy.wakes[kind] else { continue }
      let isRequested = kind == .processing || kind == .appRefresh
      row.schedule = WakeSchedule(
        minimumInterval: isRequested && random.oneIn(2) ? .zero : random.pick(pace.minimums),
        alignment: kind == .fetch || isRequested && random.oneIn(2) ? random.pick(pace.alignments) : .zero,
        greatestBackoff: random.pick([1, 2, 5, 8]))
      row.budget = random.oneIn(2) ? budget(pace, &random) : nil
      if kind == .appRefresh || kind == .processing { row.pendingLimit = random.pick([nil, 1, 2, 0]) }
      if kind == .processing || kind == .appRefresh { row.relaunches = !random.oneIn(4) }
      if random.oneIn(2) { row.warning = min(row.length, random.pick([.nanoseconds(1), .milliseconds(2), .seconds(5)])) }
      policy.wakes[kind] = row
    }
    policy.tasks.whenLate = random.pick([.extend, .kill])
    return policy
  }

  private static func budget(_ pace: Pace, _ random: inout SeededGenerator) -> WakeBudget {
    WakeBudget(
      window: random.pick(pace.windows), admissions: random.pick([nil, 1, 1, 2, 3]),
      runTime: random.pick([nil, .milliseconds(1), .milliseconds(7), .seconds(4)]))
  }
}
