extension Engine {
  func denialsOfTask(_ app: AppID) -> DenialReasons {
    var denied: DenialReasons = policy.multitasking ? [] : .noMultitasking
    if policy.tasks.refreshGate == .seedStrict {
      denied.formUnion(circumstances(of: app).failing.intersection(.backgroundRefresh))
    }
    if policy.tasks.lateBegin == .invalid, isPastWarning(app) { denied.insert(.budget) }
    return denied
  }

  func denialsOfSession(_ kind: AssertionKind, _ app: AppID) -> DenialReasons {
    let row = rows[kind]
    return row.denials(under: circumstances(of: app)).union(undeclared(row, app))
  }

  func denialsOfWake(_ kind: AssertionKind, _ app: AppID) -> DenialReasons {
    let row = rows[kind]
    var circumstances = circumstances(of: app)
    if apps[app].presence == .terminating { circumstances.failing.insert(.terminating) }
    var denied = row.denials(under: circumstances).union(undeclared(row, app))
    guard apps[app].state == .notRunning else { return denied }
    var failing = DenialReasons.mayNotRelaunch
    if apps[app].flags.contains(.forceQuit) { failing.insert(.forceQuit) }
    if !lock.hasBeenUnlocked { failing.insert(.beforeFirstUnlock) }
    denied.formUnion(row.launchDeniedBy.intersection(failing))
    return denied
  }

  /// All denials of a wake now, and the instant at which its budgets have room again.
  mutating func denialsAndBudget(_ kind: AssertionKind, _ app: AppID) -> (
    denied: DenialReasons, next: Instant?
  ) {
    let denied = denialsOfWake(kind, app)
    guard let budget = budgetDenial(kind, app) else { return (denied, nil) }
    return (denied.union(.budget(full: budget.full)), budget.next)
  }

  /// The denials of a wake that neither the user nor the device can lift: the denials by the app's
  /// manifest and by the policy.
  func standingDenials(_ kind: AssertionKind, _ app: AppID) -> DenialReasons {
    let row = rows[kind]
    let standing = circumstances(of: app).failing.intersection(
      AdmissionRow.always.union(.exitsOnSuspend))
    return row.deniedBy.intersection(standing).union(undeclared(row, app))
  }

  /// Emits a denial and returns it as the answer. `wake` is the wake that had been admitted before,
  /// if any.
  @discardableResult
  func deny(
    _ kind: AssertionKind, of wake: WakeID? = nil, _ app: AppID, _ denied: DenialReasons,
    next: Instant?, _ actions: inout ActionBuffer
  ) -> EventAnswer {
    actions.append(.decision(app, kind, wake: wake, denied: denied, next: next))
    return .decision(kind, denied: denied, next: next)
  }

  /// Whether the policy reads the refresh switch literally and the switch is off. The app is then
  /// suspended at once (rule F12).
  func isFrozenByRefresh(_ app: AppID) -> Bool {
    policy.tasks.refreshGate == .seedStrict
      && !circumstances(of: app).failing.isDisjoint(with: .backgroundRefresh)
  }

  /// The circumstances of an app: they depend on the device, the lock and the app's declaration.
  func circumstances(of app: AppID) -> Circumstances {
    var circumstances = device
    circumstances.failing.formUnion(AdmissionRow.always)
    let flags = apps[app].flags
    if flags.contains(.exitsOnSuspend) { circumstances.failing.insert(.exitsOnSuspend) }
    if flags.contains(.refreshDenied) { circumstances.failing.insert(.backgroundRefreshDenied) }
    if flags.contains(.refreshRestricted) {
      circumstances.failing.insert(.backgroundRefreshRestricted)
    }
    if !rows.facts.isEmpty {
      circumstances.holding.formUnion(factsHolding(for: app, circumstances.failing))
    }
    return circumstances
  }

  /// The facts that hold for an app, in addition to those of the device.
  private func factsHolding(for app: AppID, _ failing: DenialReasons) -> FactSet {
    var facts = declaration(of: app).facts.over(policy.facts.unset).intersection(
      policy.facts.ofApps)
    if failing.isDisjoint(with: .backgroundRefresh) { facts.insert(.backgroundRefresh) }
    if lock.isLocked { facts.insert(.locked) }
    if lock.isUserPresent { facts.insert(.userPresent) }
    return facts
  }

  private func undeclared(_ row: AdmissionRow, _ app: AppID) -> DenialReasons {
    row.modes.isEmpty || !row.modes.isDisjoint(with: declaration(of: app).modes)
      ? [] : .modeNotDeclared
  }
}

extension DenialReasons {
  static let backgroundRefresh: DenialReasons = [
    .backgroundRefreshDenied, .backgroundRefreshRestricted,
  ]

  /// The reasons under which a switch in this position denies.
  init(_ status: BackgroundRefreshStatus) {
    self =
      switch status {
      case .available: []
      case .denied: .backgroundRefreshDenied
      case .restricted: .backgroundRefreshRestricted
      }
  }
}

extension Circumstances {
  /// The circumstances of a device under a policy.
  init(_ device: DeviceFacts, isBatteryLow: Bool, under policy: Policy) {
    self.init(
      failing: [],
      holding: device.declared.over(policy.facts.unset).intersection(policy.facts.ofDevice))
    if policy.hasBackgroundRefresh { failing.formUnion(DenialReasons(device.backgroundRefresh)) }
    for fact in StandardFact.allCases
    where fact.holds(on: device, isBatteryLow: isBatteryLow, under: policy) {
      holding.insert(FactSet(place: fact.rawValue))
      failing.formUnion(fact.row.blocked)
    }
  }
}
