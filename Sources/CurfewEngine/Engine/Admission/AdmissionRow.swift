/// A kind's row of the policy, compiled: which facts deny it is a mask or two.
struct AdmissionRow {
  let `class`: AssertionClass
  var modes: BackgroundModes = []
  /// The reasons that deny it, those of facts among them that have reasons of their own.
  var deniedBy: DenialReasons = []
  /// Those that deny it to an app that is not running.
  var launchDeniedBy: DenialReasons = []
  /// The facts that deny it under their names.
  var conditions = FactConditions()
  var definesStart = false
  var isPurgedLast = false
  var linger = Interval.zero
  var leeway = Interval.zero
  /// Of a run.
  var length = Interval.greatest
  var warning = Interval.zero
  var overrun = Overrun.drop
  var code: TerminationCode?
  /// A session's.
  var deferral: Deferral?
  /// A wake's.
  var start = WakeStart.event
  var waitsForIdle = false
  var schedule = WakeSchedule()
  var pendingLimit: UInt32?

  init(_ kind: AssertionKind, in policy: Policy) {
    `class` = policy.names.class(of: kind)
    switch `class` {
    case .task: break
    case .session: readSession(kind, in: policy)
    case .wake: readWake(kind, in: policy)
    }
    let (reasons, others) = conditions.divided
    deniedBy.formUnion(reasons)
    conditions = others
    // Facts that hold whatever the app and the device do.
    if !policy.multitasking { deniedBy.insert(.noMultitasking) }
  }

  private mutating func readSession(_ kind: AssertionKind, in policy: Policy) {
    modes = kind.asStandard?.mode ?? []
    deniedBy = .exitsOnSuspend
    // The literal reading (rule F12): nothing goes on in the background.
    defer {
      if policy.tasks.refreshGate == .seedStrict { conditions.requires.insert(.backgroundRefresh) }
    }
    guard let rules = policy.sessions[kind] else { return deniedBy.formUnion(.modeNotInPolicy) }
    if let own = rules.modes { modes = own }
    leeway = rules.leeway
    (conditions, definesStart, isPurgedLast, linger) = (
      rules.conditions, rules.stopsTaskClock, rules.isPurgedLast, rules.linger
    )
    (length, warning, overrun, code) = (
      rules.length ?? .greatest, rules.warning, rules.overrun, rules.code
    )
    if rules.deferral > .zero {
      deferral = Deferral(
        first: rules.deferral, factor: rules.deferralFactor,
        longest: rules.longestDeferral ?? .greatest)
    }
  }

  private mutating func readWake(_ kind: AssertionKind, in policy: Policy) {
    start = policy.start(of: kind)
    definesStart = true
    deniedBy = [.exitsOnSuspend, .terminating]
    guard let rules = policy.wakes[kind] else { return deniedBy.formUnion(.kindNotInPolicy) }
    modes = rules.modes
    launchDeniedBy = .beforeFirstUnlock
    if !rules.survivesForceQuit { launchDeniedBy.insert(.forceQuit) }
    if !rules.relaunches { launchDeniedBy.insert(.mayNotRelaunch) }
    (conditions, definesStart, isPurgedLast, linger) = (
      rules.conditions, rules.stopsTaskClock, rules.isPurgedLast, rules.linger
    )
    leeway = rules.leeway
    (length, warning, overrun, code) = (rules.length, rules.warning, rules.overrun, rules.code)
    (schedule, pendingLimit, waitsForIdle) = (
      rules.schedule, rules.pendingLimit, rules.waitsForIdle
    )
  }

  /// What of it fails under these circumstances.
  @inline(__always)
  func denials(under circumstances: Circumstances) -> DenialReasons {
    DenialReasons(
      rawValue: deniedBy.rawValue & circumstances.failing.rawValue,
      blocked: conditions.blockedBy.intersection(circumstances.holding),
      missing: conditions.requires.subtracting(circumstances.holding))
  }

  /// The bits of `deniedBy` that are true of every app and device.
  static let always: DenialReasons = [.noMultitasking, .kindNotInPolicy, .modeNotInPolicy]
}

extension AdmissionRow {
  /// When the assertion ends of what is over now.
  func lingerEnd(from now: Instant) -> Instant {
    Leeway.roundest(from: now + linger, within: leeway)
  }

  /// How late the system's starts may come. Those that are aligned meet without.
  var leewayOfStarts: Interval { schedule.alignment > .zero ? .zero : leeway }
}

/// For how long a session that is held again and again is put off each time.
struct Deferral {
  let first: Interval
  let factor: Factor
  let longest: Interval

  /// The deferral after one of `last`, which is zero for none.
  func after(_ last: Interval) -> Interval {
    last == .zero ? first : min(longest, last.times(factor))
  }
}

/// What is so for an app, as far as rows look at it.
struct Circumstances {
  /// The switches, in the form in which they deny.
  var failing: DenialReasons
  /// The facts that hold.
  var holding: FactSet
}

/// Every kind's row, so that an admission looks nothing up.
struct AdmissionTable {
  private let rows: ContiguousArray<AdmissionRow>
  /// The facts that any row looks at, or a group.
  let facts: FactSet
  /// Whether any session has a limit to how long it may go on.
  let limitSessions: Bool

  init(_ policy: Policy) {
    rows = ContiguousArray(policy.kinds.map { AdmissionRow($0, in: policy) })
    limitSessions = policy.sessions.values.contains { $0.length != nil || !$0.budgets.isEmpty }
    let conditions = rows.map(\.conditions) + policy.groups.map(\.conditions)
    facts = conditions.reduce(into: []) { $0.formUnion($1.requires.union($1.blockedBy)) }
  }

  subscript(kind: AssertionKind) -> AdmissionRow {
    @inline(__always) _read { yield rows[Int(kind.rawValue)] }
  }

  /// A kind that comes in from outside.
  ///
  /// - Precondition: The policy knows it.
  @inline(__always)
  func known(_ kind: AssertionKind) -> AdmissionRow {
    precondition(
      Int(kind.rawValue) < rows.count,
      "The policy knows \(rows.count) kinds, and none of number \(kind.rawValue)")
    return self[kind]
  }
}
