/// A session's or wake's row, compiled: which facts deny it is one mask.
struct AdmissionRow {
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
  var overrun = WakeRules.Overrun.drop
  var code: TerminationCode?
  var schedule = WakeSchedule()
  var budget: WakeBudget?
  var pendingLimit: UInt32?

  init(_ kind: AssertionKind, in policy: Policy) {
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
      length = rules.length
      overrun = rules.overrun
      code = rules.code
      schedule = rules.schedule
      budget = rules.budget
      pendingLimit = rules.pendingLimit
    }
    // Facts that hold whatever the app and the device do.
    if !policy.multitasking { deniedBy.insert(.noMultitasking) }
  }

  /// The bits of `deniedBy` that are true of every app and device.
  static let always: DenialReasons = [.noMultitasking, .kindNotInPolicy, .modeNotInPolicy]
}

extension Engine {
  func denialsOfTask(_ app: UInt32) -> DenialReasons {
    var denied: DenialReasons = policy.multitasking ? [] : .noMultitasking
    if policy.tasks.refreshGate == .seedStrict { denied.formUnion(facts(of: app).intersection(.backgroundRefresh)) }
    if policy.tasks.lateBegin == .invalid, isPastWarning(app) { denied.insert(.budget) }
    return denied
  }

  func denialsOfSession(_ kind: AssertionKind, _ app: UInt32) -> DenialReasons {
    let row = rows[Int(kind.rawValue)]
    return row.deniedBy.intersection(facts(of: app)).union(undeclared(row, app))
  }

  func denialsOfWake(_ kind: AssertionKind, _ app: UInt32) -> DenialReasons {
    let row = rows[Int(kind.rawValue)]
    var facts = facts(of: app)
    if apps[app].presence == .terminating { facts.insert(.terminating) }
    var denied = row.deniedBy.intersection(facts).union(undeclared(row, app))
    guard apps[app].state == .notRunning else { return denied }
    facts = .mayNotRelaunch
    if apps[app].flags.contains(.forceQuit) { facts.insert(.forceQuit) }
    if !hasBeenUnlocked { facts.insert(.beforeFirstUnlock) }
    denied.formUnion(row.launchDeniedBy.intersection(facts))
    return denied
  }

  /// Everything that denies a wake now, and from when a budget that does would not.
  mutating func denialsAndBudget(_ kind: AssertionKind, _ app: UInt32) -> (denied: DenialReasons, next: Instant?) {
    var denied = denialsOfWake(kind, app)
    let budget = budgetDenial(kind, app)
    if budget.isUsedUp { denied.insert(.budget) }
    return (denied, budget.next)
  }

  /// What denies a wake to an app whatever the user and the device do: its manifest and the policy.
  func standingDenials(_ kind: AssertionKind, _ app: UInt32) -> DenialReasons {
    let row = rows[Int(kind.rawValue)]
    let standing = facts(of: app).intersection(AdmissionRow.always.union(.exitsOnSuspend))
    return row.deniedBy.intersection(standing).union(undeclared(row, app))
  }

  /// Writes a wake's or a session's decision; what is allowed counts towards its budget.
  mutating func decide(
    _ kind: AssertionKind, _ app: UInt32, _ denied: DenialReasons, next: Instant?, _ actions: inout ActionBuffer
  ) {
    actions.append(.decision(AppID(rawValue: app), kind, denied: denied, next: next))
    if denied.isEmpty { noteAdmission(kind, app) }
  }

  /// Whether the policy reads the refresh switch literally and it is off: then the app is suspended at once (rule F12).
  func isFrozenByRefresh(_ app: UInt32) -> Bool {
    policy.tasks.refreshGate == .seedStrict && !facts(of: app).isDisjoint(with: .backgroundRefresh)
  }

  func facts(of app: UInt32) -> DenialReasons {
    var facts = device.union(AdmissionRow.always)
    let flags = apps[app].flags
    if flags.contains(.exitsOnSuspend) { facts.insert(.exitsOnSuspend) }
    if flags.contains(.refreshDenied) { facts.insert(.backgroundRefreshDenied) }
    if flags.contains(.refreshRestricted) { facts.insert(.backgroundRefreshRestricted) }
    return facts
  }

  private func undeclared(_ row: AdmissionRow, _ app: UInt32) -> DenialReasons {
    row.modes.isEmpty || !row.modes.isDisjoint(with: apps[app].modes) ? [] : .modeNotDeclared
  }
}

extension DenialReasons {
  static let backgroundRefresh: DenialReasons = [.backgroundRefreshDenied, .backgroundRefreshRestricted]

  /// The facts of a device, as far as the policy knows of them.
  init(_ device: DeviceFacts, under policy: Policy) {
    self = []
    if policy.hasBackgroundRefresh { formUnion(DenialReasons(device.backgroundRefresh)) }
    if device.lowPowerMode, policy.hasLowPowerMode { insert(.lowPowerMode) }
    if device.battery < policy.lowBattery, !device.isCharging { insert(.lowBattery) }
  }

  /// What a switch in this position denies.
  init(_ status: BackgroundRefreshStatus) {
    self =
      switch status {
      case .available: []
      case .denied: .backgroundRefreshDenied
      case .restricted: .backgroundRefreshRestricted
      }
  }
}

extension AppFlags {
  /// What a manifest and its user's switch say, as far as the policy knows of it.
  init(_ manifest: Manifest, under policy: Policy) {
    self = AppFlags(manifest.backgroundRefresh, under: policy)
    if manifest.exitsOnSuspend { insert(.exitsOnSuspend) }
  }

  /// What the app's own switch says, where the policy has one.
  init(_ status: BackgroundRefreshStatus, under policy: Policy) {
    guard policy.hasBackgroundRefresh else {
      self = []
      return
    }
    self =
      switch status {
      case .available: []
      case .denied: .refreshDenied
      case .restricted: .refreshRestricted
      }
  }
}
