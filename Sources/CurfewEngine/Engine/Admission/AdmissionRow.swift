/// A kind's row of the policy, compiled: which facts deny it is one mask.
struct AdmissionRow {
  let `class`: AssertionKind.Class
  let traits: KindTraits
  var modes: BackgroundModes = []
  /// Facts that always deny it.
  var deniedBy: DenialReasons = []
  /// Facts that deny it to an app that is not running.
  var launchDeniedBy: DenialReasons = []
  var definesStart = false
  /// A session's.
  var linger = Interval.zero
  /// A wake's.
  var length = Interval.zero
  var warning = Interval.zero
  var overrun = WakeRules.Overrun.drop
  var code: TerminationCode?
  var schedule = WakeSchedule()
  var pendingLimit: UInt32?

  init(_ kind: AssertionKind, in policy: Policy) {
    `class` = kind.class
    traits = kind.traits
    switch kind.class {
    case .task: break
    case .session:
      modes = kind.sessionMode
      deniedBy = .exitsOnSuspend
      // The literal reading (rule F12): nothing goes on in the background.
      if policy.tasks.refreshGate == .seedStrict { deniedBy.formUnion(.backgroundRefresh) }
      guard let rules = policy.sessions[kind] else {
        deniedBy.insert(.modeNotInPolicy)
        break
      }
      definesStart = rules.stopsTaskClock
      linger = rules.linger
    case .wake:
      definesStart = true  // every wake, in every profile
      deniedBy = [.exitsOnSuspend, .terminating]
      guard let rules = policy.wakes[kind] else {
        deniedBy.insert(.kindNotInPolicy)
        break
      }
      modes = rules.modes
      deniedBy.formUnion(rules.deniedBy)
      launchDeniedBy = .beforeFirstUnlock
      if !rules.survivesForceQuit { launchDeniedBy.insert(.forceQuit) }
      if !rules.relaunches { launchDeniedBy.insert(.mayNotRelaunch) }
      (length, warning, overrun, code) = (rules.length, rules.warning, rules.overrun, rules.code)
      (schedule, pendingLimit) = (rules.schedule, rules.pendingLimit)
    }
    // Facts that hold whatever the app and the device do.
    if !policy.multitasking { deniedBy.insert(.noMultitasking) }
  }

  /// The bits of `deniedBy` that are true of every app and device.
  static let always: DenialReasons = [.noMultitasking, .kindNotInPolicy, .modeNotInPolicy]
}

/// Every kind's row, so that an admission looks nothing up.
struct AdmissionTable {
  private let rows: ContiguousArray<AdmissionRow>

  init(_ policy: Policy) { rows = ContiguousArray(AssertionKind.allCases.map { AdmissionRow($0, in: policy) }) }

  subscript(kind: AssertionKind) -> AdmissionRow {
    @inline(__always) _read { yield rows[Int(kind.rawValue)] }
  }
}
