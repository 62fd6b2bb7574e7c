@testable import CurfewEngine

/// Facts, and decisions about them: which apps may run (rules B1–B3, D1, W1).
extension RuleChecker {
  /// Denials by the user, the device and the battery at this instant.
  func facts(_ app: Int) -> DenialReasons {
    var facts: DenialReasons = []
    for status in [device.backgroundRefresh, standing[app].refresh]
    where policy.hasBackgroundRefresh {
      if status == .denied { facts.insert(.backgroundRefreshDenied) }
      if status == .restricted { facts.insert(.backgroundRefreshRestricted) }
    }
    if policy.hasLowPowerMode, device.lowPowerMode { facts.insert(.lowPowerMode) }
    if isBatteryLow, !device.charging { facts.insert(.lowBattery) }
    return facts
  }

  mutating func noteBattery() {
    if device.battery < policy.lowBattery { isBatteryLow = true }
    if device.battery >= policy.lowBatteryReset ?? policy.lowBattery { isBatteryLow = false }
  }

  /// The facts that hold for an app.
  func holding(_ app: Int) -> FactSet {
    var holding: FactSet = []
    let own = policy.facts
    for bit in 0..<64 {
      let fact = FactSet(rawValue: 1 << UInt64(bit))
      let said: Bool? =
        if own.ofDevice.contains(fact) {
          device.declared.set.contains(fact) ? device.declared.holding.contains(fact) : nil
        } else {
          standing[app].facts[fact]
        }
      if own.ofDevice.union(own.ofApps).contains(fact), said ?? own.unset.contains(fact) {
        holding.insert(fact)
      }
    }
    if facts(app).isDisjoint(with: .refresh) { holding.insert(.backgroundRefresh) }
    if facts(app).contains(.lowPowerMode) { holding.insert(.lowPowerMode) }
    if facts(app).contains(.lowBattery) { holding.insert(.lowBattery) }
    if device.charging { holding.insert(.charging) }
    if device.network != .none { holding.insert(.connected) }
    if device.network == .wifi { holding.insert(.wifi) }
    if device.thermal != .nominal { holding.insert(.thermalFair) }
    if device.thermal == .serious || device.thermal == .critical { holding.insert(.thermalSerious) }
    if device.thermal == .critical { holding.insert(.thermalCritical) }
    if isLocked { holding.insert(.locked) }
    if isUserPresent { holding.insert(.userPresent) }
    return holding
  }

  /// Denials by a row's conditions. A fact with its own reason is reported under that reason.
  func failing(_ conditions: FactConditions, _ app: Int) -> DenialReasons {
    let holding = holding(app)
    var blocked = conditions.blockedBy.intersection(holding)
    var missing = conditions.requires.subtracting(holding)
    var reasons: DenialReasons = []
    if blocked.remove(.lowPowerMode) != nil { reasons.insert(.lowPowerMode) }
    if blocked.remove(.lowBattery) != nil { reasons.insert(.lowBattery) }
    if missing.remove(.backgroundRefresh) != nil {
      reasons.formUnion(facts(app).intersection(.refresh))
    }
    return reasons.union(DenialReasons(rawValue: 0, blocked: blocked, missing: missing))
  }

  /// Denials by the policy and the manifest, which are permanent.
  func standingDenials(_ kind: AssertionKind, _ app: Int) -> DenialReasons {
    var denied: DenialReasons = policy.multitasking ? [] : .noMultitasking
    if standing[app].manifest.exitsOnSuspend { denied.insert(.exitsOnSuspend) }
    guard let row = policy.wakes[kind] else { return denied.union(.kindNotInPolicy) }
    if !row.modes.isEmpty, row.modes.isDisjoint(with: standing[app].manifest.backgroundModes) {
      denied.insert(.modeNotDeclared)
    }
    return denied
  }

  func wakeDenials(_ kind: AssertionKind, _ app: Int) -> DenialReasons {
    var denied = standingDenials(kind, app)
    if apps[app].quit != nil { denied.insert(.terminating) }
    guard let row = policy.wakes[kind] else { return denied }
    denied.formUnion(failing(row.conditions, app))
    if isUsedUp(kind, app) { denied.insert(.budget) }
    guard apps[app].state == .notRunning else { return denied }
    if standing[app].isForceQuit, !row.survivesForceQuit { denied.insert(.forceQuit) }
    if !hasBeenUnlocked { denied.insert(.beforeFirstUnlock) }
    if !row.relaunches { denied.insert(.mayNotRelaunch) }
    return denied
  }

  func sessionDenials(_ kind: AssertionKind, _ app: Int) -> DenialReasons {
    var denied: DenialReasons = policy.multitasking ? [] : .noMultitasking
    if standing[app].manifest.exitsOnSuspend { denied.insert(.exitsOnSuspend) }
    let modes = policy.sessions[kind]?.modes ?? kind.asStandard?.mode ?? []
    if policy.sessions[kind] == nil { denied.insert(.modeNotInPolicy) }
    if !modes.isEmpty, standing[app].manifest.backgroundModes.isDisjoint(with: modes) {
      denied.insert(.modeNotDeclared)
    }
    if let row = policy.sessions[kind] { denied.formUnion(failing(row.conditions, app)) }
    if policy.tasks.refreshGate == .seedStrict {
      denied.formUnion(facts(app).intersection(.refresh))
    }
    return denied
  }

  // MARK: Decisions

  mutating func noteDecision(
    _ kind: AssertionKind, _ wake: WakeID?, _ denied: DenialReasons, _ next: Instant?, _ app: Int
  ) {
    decisions += 1
    let id = AppID(rawValue: UInt32(app))
    if withdrawing == app { return }  // compared as a whole
    if isRenewing(kind, app) {
      return demand(
        denied == sessionDenials(kind, app) && next == nil, "\(kind) was denied for \(denied.text)")
    }
    switch event {
    case .deliver(id, kind, _):
      demand(
        denied == wakeDenials(kind, app),
        "\(kind) was denied for \(denied.text), not \(wakeDenials(kind, app).text)")
    case .startSession(id, kind, _): return checkStart(of: kind, denied, next, app)
    case .beginTask(id, _, _):
      let (expected, isUnclear) = taskDenials(app)
      demand(
        kind == .finiteTask && (denied == expected || isUnclear),
        "a task was denied for \(denied.text), not \(expected.text)")
      demand(!denied.isEmpty, "an allowed begin was reported as a decision")
    case .setRefresh(id, _), .setFact(id, _, _), .setInterval(id, _, _): return  // as well
    case nil: noteOwnDecision(kind, denied, app)
    default: demand(false, "a decision about \(kind) has no cause")
    }
    guard policy.names.class(of: kind) == .wake else {
      return demand(next == nil, "\(kind) has no next")
    }
    checkNext(next, kind, denied, app)
    guard denied.isEmpty else { return demand(wake == nil, "\(kind) was denied, but has a number") }
    noteAdmission(kind, app)
    arrivals += 1
    standing[app].wakes += 1
    demand(wake?.rawValue == standing[app].wakes, "wake \(standing[app].wakes) has another number")
    apps[app].wakes.append(
      Wake(id: standing[app].wakes, kind: kind, identifier: started, arrival: arrivals))
    if case .deliver(id, kind, let times) = event {
      apps[app].wakes[apps[app].wakes.count - 1].own = times
    }
    apps[app].wakes[apps[app].wakes.count - 1].hasHandler =
      standing[app].manifest.handlesWakeExpiration
    apps[app].waiting.append(.wake(kind))
  }

  /// A decision that the system made by itself.
  private mutating func noteOwnDecision(_ kind: AssertionKind, _ denied: DenialReasons, _ app: Int)
  {
    let expected = wakeDenials(kind, app)
    demand(denied == expected, "\(kind) was denied for \(denied.text), not \(expected.text)")
    switch start(of: kind) {
    case .opportunity: noteFetch(isAllowed: denied.isEmpty, of: kind, app)
    case .interval: noteKeepAlive(kind, app)
    case .request: if !denied.isEmpty { noteDenial(kind, denied, app) }
    case .event, nil: demand(false, "no app requested \(kind)")
    }
  }

  // MARK: Changes

  /// Rule B3: admitted and pending work is decided again, for one app at once, and for every app
  /// in the following calls in file order.
  mutating func reconsider(_ event: Event, _ actions: [Action]) {
    switch event {
    case .setRefresh(let app?, _), .setFact(let app?, _, _): withdraw(Int(app.rawValue), actions)
    case .setRefresh(nil, _), .setDevice, .setFact(nil, _, _): reconsidering = Array(apps.indices)
    default: break
    }
  }

  mutating func goOnReconsidering(_ actions: [Action]) {
    reconsidering.removeFirst(reconsidering.prefix { withdrawals($0).isEmpty }.count)
    guard let app = reconsidering.first, actions.contains(where: \.isVerdict) else { return }
    reconsidering.removeFirst()
    withdraw(app, actions)
    withdrawing = app
  }

  /// The assertions that an app may no longer have, oldest first.
  func withdrawals(_ app: Int) -> [Action] {
    let id = AppID(rawValue: UInt32(app))
    let wakes = apps[app].wakes.filter { $0.delivered == nil }.map {
      ($0.arrival, $0.kind, WakeID?.some(WakeID(rawValue: $0.id)))
    }
    let sessions = apps[app].sessions.filter { $0.isOn && $0.isHeld }.map {
      ($0.arrival, $0.kind, WakeID?.none)
    }
    return (wakes + sessions).sorted { $0.0 < $1.0 }.flatMap { _, kind, wake -> [Action] in
      let isWake = policy.names.class(of: kind) == .wake
      let denied = isWake ? deniedBySwitches(kind, app) : sessionDenials(kind, app)
      if denied.isEmpty { return [] }
      return [.decision(id, kind, wake: wake, denied: denied, next: nil)]
        + (isWake ? [] : [.session(id, kind, .ended)])
    }
  }

  private func deniedBySwitches(_ kind: AssertionKind, _ app: Int) -> DenialReasons {
    guard let row = policy.wakes[kind] else { return [] }
    return failing(row.conditions, app)
  }

  private mutating func withdraw(_ app: Int, _ actions: [Action]) {
    let (expected, told) = (withdrawals(app), actions.filter(\.isVerdict))
    demand(told == expected, "\(expected.map(\.text)) expected, got \(told.map(\.text))")
    for case .decision(_, let kind, _, _, _) in expected where policy.names.class(of: kind) == .wake
    {
      apps[app].wakes.removeAll { $0.kind == kind && $0.delivered == nil }
      apps[app].waiting.removeAll { $0 == .wake(kind) }
      settleQuiet(app, at: now)
    }
  }
}

extension Action {
  /// Whether the action is about permission.
  fileprivate var isVerdict: Bool {
    switch self {
    case .decision, .session: true
    default: false
    }
  }
}

extension DenialReasons {
  /// The two ways in which Background App Refresh is off.
  static let refresh: DenialReasons = [.backgroundRefreshDenied, .backgroundRefreshRestricted]
}
