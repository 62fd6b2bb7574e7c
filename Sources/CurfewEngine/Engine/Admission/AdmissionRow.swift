/// A kind's row of the policy, compiled so that one or two masks find the facts that deny it.
struct AdmissionRow {
  let `class`: AssertionClass
  var modes: BackgroundModes = []
  /// The reasons that deny the kind. A fact that has a reason of its own is represented by
  /// that reason.
  var deniedBy: DenialReasons = []
  /// The reasons that deny the kind only to an app that is not running.
  var launchDeniedBy: DenialReasons = []
  /// The facts that deny the kind and have no reason of their own; a denial names the fact.
  var conditions = FactConditions()
  var definesStart = false
  var isPurgedLast = false
  var linger = Interval.zero
  var leeway = Interval.zero
  /// The times of a run, the consequence of an overrun, and the termination code.
  var length = Interval.greatest
  var warning = Interval.zero
  var overrun = Overrun.drop
  var code: TerminationCode?
  /// For sessions.
  var deferral: Deferral?
  /// For wakes.
  var start = WakeStart.event
  var unhandledWarning = UnhandledWarning.overrun
  var completedTwice = CompletedTwice.remark
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
    // This holds regardless of the app and the device.
    if !policy.multitasking { deniedBy.insert(.noMultitasking) }
  }

  private mutating func readSession(_ kind: AssertionKind, in policy: Policy) {
    modes = kind.asStandard?.mode ?? []
    deniedBy = .exitsOnSuspend
    // `seedStrict` (rule F12) denies sessions if Background App Refresh is off.
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
    (unhandledWarning, completedTwice) = (rules.unhandledWarning, rules.completedTwice)
  }

  /// The reasons and facts that deny the kind under these circumstances.
  @inline(__always)
  func denials(under circumstances: Circumstances) -> DenialReasons {
    DenialReasons(
      rawValue: deniedBy.rawValue & circumstances.failing.rawValue,
      blocked: conditions.blockedBy.intersection(circumstances.holding),
      missing: conditions.requires.subtracting(circumstances.holding))
  }

  /// The bits of `deniedBy` that hold for every app and device.
  static let always: DenialReasons = [.noMultitasking, .kindNotInPolicy, .modeNotInPolicy]
}

extension AdmissionRow {
  /// The end of a linger that begins now.
  func lingerEnd(from now: Instant) -> Instant {
    Leeway.roundest(from: now + linger, within: leeway)
  }

  /// The leeway of the system's starts. Aligned starts coincide anyway and get no leeway.
  var leewayOfStarts: Interval { schedule.alignment > .zero ? .zero : leeway }
}

/// The deferrals of a session that is renewed repeatedly.
struct Deferral {
  let first: Interval
  let factor: ScaleFactor
  let longest: Interval

  /// The length of the deferral that follows one of length `last`. If `last` is zero, there
  /// was none.
  func after(_ last: Interval) -> Interval {
    last == .zero ? first : min(longest, last.times(factor))
  }
}

/// The circumstances of an app on which rows depend.
struct Circumstances {
  /// The reasons whose switches and facts are in the denying position.
  var failing: DenialReasons
  /// The facts that hold.
  var holding: FactSet
}

/// The rows of all kinds, so that an admission needs no lookup.
struct AdmissionTable {
  private let rows: ContiguousArray<AdmissionRow>
  /// The facts that any row or group depends on.
  let facts: FactSet
  /// Whether any session is limited by a length or budgets.
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

  /// The row of a kind that a caller of the engine names.
  ///
  /// - Precondition: The policy knows the kind.
  @inline(__always)
  func known(_ kind: AssertionKind) -> AdmissionRow {
    precondition(
      Int(kind.rawValue) < rows.count,
      "The policy knows \(rows.count) kinds, but not number \(kind.rawValue)")
    return self[kind]
  }
}
