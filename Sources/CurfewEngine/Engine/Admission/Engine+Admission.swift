extension Engine {
  func denialsOfTask(_ app: AppID) -> DenialReasons {
    var denied: DenialReasons = policy.multitasking ? [] : .noMultitasking
    if policy.tasks.refreshGate == .seedStrict { denied.formUnion(facts(of: app).intersection(.backgroundRefresh)) }
    if policy.tasks.lateBegin == .invalid, isPastWarning(app) { denied.insert(.budget) }
    return denied
  }

  func denialsOfSession(_ kind: AssertionKind, _ app: AppID) -> DenialReasons {
    let row = rows[kind]
    return row.deniedBy.intersection(facts(of: app)).union(undeclared(row, app))
  }

  func denialsOfWake(_ kind: AssertionKind, _ app: AppID) -> DenialReasons {
    let row = rows[kind]
    var facts = facts(of: app)
    if apps[app].presence == .terminating { facts.insert(.terminating) }
    var denied = row.deniedBy.intersection(facts).union(undeclared(row, app))
    guard apps[app].state == .notRunning else { return denied }
    facts = .mayNotRelaunch
    if apps[app].flags.contains(.forceQuit) { facts.insert(.forceQuit) }
    if !lock.hasBeenUnlocked { facts.insert(.beforeFirstUnlock) }
    denied.formUnion(row.launchDeniedBy.intersection(facts))
    return denied
  }

  /// Everything that denies a wake now, and from when a budget that does would not.
  mutating func denialsAndBudget(_ kind: AssertionKind, _ app: AppID) -> (denied: DenialReasons, next: Instant?) {
    let denied = denialsOfWake(kind, app)
    guard let budget = budgetDenial(kind, app) else { return (denied, nil) }
    return (denied.union(.budget), budget.next)
  }

  /// What denies a wake to an app whatever the user and the device do: its manifest and the policy.
  func standingDenials(_ kind: AssertionKind, _ app: AppID) -> DenialReasons {
    let row = rows[kind]
    let standing = facts(of: app).intersection(AdmissionRow.always.union(.exitsOnSuspend))
    return row.deniedBy.intersection(standing).union(undeclared(row, app))
  }

  /// Writes a denial and answers it; of a wake that had been admitted before, where one is named.
  @discardableResult
  func deny(
    _ kind: AssertionKind, of wake: WakeID? = nil, _ app: AppID, _ denied: DenialReasons, next: Instant?, _ actions: inout ActionBuffer
  ) -> Answer {
    actions.append(.decision(app, kind, wake: wake, denied: denied, next: next))
    return .decision(kind, denied: denied, next: next)
  }

  /// Whether the policy reads the refresh switch literally and it is off: then the app is suspended at once (rule F12).
  func isFrozenByRefresh(_ app: AppID) -> Bool {
    policy.tasks.refreshGate == .seedStrict && !facts(of: app).isDisjoint(with: .backgroundRefresh)
  }

  func facts(of app: AppID) -> DenialReasons {
    var facts = device.union(AdmissionRow.always)
    let flags = apps[app].flags
    if flags.contains(.exitsOnSuspend) { facts.insert(.exitsOnSuspend) }
    if flags.contains(.refreshDenied) { facts.insert(.backgroundRefreshDenied) }
    if flags.contains(.refreshRestricted) { facts.insert(.backgroundRefreshRestricted) }
    return facts
  }

  private func undeclared(_ row: AdmissionRow, _ app: AppID) -> DenialReasons {
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
