/// The device's facts and the user's switches. A change takes effect at once, on everything that
/// is pending (rule B3).
extension Engine {
  /// `backgroundRefreshStatus`: the combination of the device's and the app's switch (rule B1). It
  /// is available if the policy has no such switch.
  public func backgroundRefreshStatus(of app: AppID) -> BackgroundRefreshStatus {
    let failing = circumstances(of: app).failing
    return failing.contains(.backgroundRefreshRestricted)
      ? .restricted : failing.contains(.backgroundRefreshDenied) ? .denied : .available
  }

  mutating func setRefresh(
    _ status: BackgroundRefreshStatus, of app: AppID?, _ actions: inout ActionBuffer
  ) {
    guard let app else {
      var facts = deviceFacts
      facts.backgroundRefresh = status
      return setDevice(facts)
    }
    guard exists(app) else { return illegal(app, &actions) }
    apps[app].flags.subtract([.refreshDenied, .refreshRestricted])
    apps[app].flags.formUnion(AppFlags(status, under: policy))
    reconsider(app, &actions)
    lookAgainAtRequests(of: app)
  }

  /// - Complexity: O(apps + requests).
  mutating func setDevice(_ facts: DeviceFacts) {
    precondition(
      facts.battery <= 100 && facts.memory ?? 0 >= 0,
      "A battery at \(facts.battery) %, a memory of \(facts.memory ?? 0) bytes")
    let before = deviceFacts
    deviceFacts = facts
    isBatteryLow = policy.isLow(facts.battery, before: isBatteryLow)
    device = Circumstances(facts, isBatteryLow: isBatteryLow, under: policy)
    if facts.memory != before.memory { memory.setCapacity(facts.memory) }
    if facts.charging != before.charging { armAllProcessors() }
    reconsiderAll()
    if let limit = policy.tasks.thermalExpiry, before.thermal < limit, facts.thermal >= limit {
      expireEverywhere(.thermal)
    }
  }

  /// Sets facts that the policy declares, to hold or not to hold.
  mutating func setFact(
    _ facts: FactSet, _ holds: Bool, of app: AppID?, _ actions: inout ActionBuffer
  ) {
    let declared = app == nil ? policy.facts.ofDevice : policy.facts.ofApps
    guard declared.isSuperset(of: facts) else { return illegal(app, .otherFact, &actions) }
    guard let app else {
      var changed = deviceFacts
      changed.declared.set(facts, holds: holds)
      return setDevice(changed)
    }
    guard exists(app) else { return illegal(app, &actions) }
    var declaration = declaration(of: app)
    declaration.facts.set(facts, holds: holds)
    setDeclaration(declaration, of: app)
    reconsider(app, &actions)
    lookAgainAtRequests(of: app)
  }

  /// Handles a change in the user's presence or in the lock: reconsiders everything if a row
  /// depends on it.
  /// - Complexity: O(1), or O(apps + requests) if a row depends on it.
  mutating func presenceHasChanged() {
    if !rows.facts.isDisjoint(with: [.locked, .userPresent]) { reconsiderAll() }
  }

  private mutating func reconsiderAll() {
    for app in apps.ids
    where apps[app].otherAssertions > 0 || apps[app].flags.contains(.suspensionWaits) {
      agenda.append(AgendaItem(app: app, work: .reconsider))
    }
    lookAgainAtAllRequests()
  }

  /// Checks the admissions of an app again: wakes that have not been delivered, and sessions.
  /// Withdraws the admissions that are denied now.
  mutating func reconsider(_ app: AppID, _ actions: inout ActionBuffer) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let (kind, phase) = (assertions[place].kind, assertions[place].phase)
      guard kind != .finiteTask else { continue }
      if assertions[place].isWake {
        if phase == .fresh { reconsiderWake(place, kind, app, &actions) }
      } else if assertions[place].isOn, assertions[place].holds {
        // A deferred session is checked when it is renewed.
        reconsiderSession(place, kind, app, &actions)
      }
    }
    if !groups.facts.isEmpty { armRuns(of: app) }
    // If the policy reads the switch literally, the switch also decides how soon an app
    // is suspended.
    if policy.tasks.refreshGate == .seedStrict, apps[app].flags.contains(.suspensionWaits) {
      takeSuspensionAway(app)
    }
    if apps[app].state == .background { runLoop(app, &actions) }
  }

  private mutating func reconsiderWake(
    _ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) {
    let denied = rows[kind].denials(under: circumstances(of: app)).subtracting(.notSwitches)
    guard !denied.isEmpty else { return }
    deny(kind, of: assertions[place].wake, app, denied, next: nil, &actions)
    removeItem(ofWake: place, app)
    end(place)
  }

  private mutating func reconsiderSession(
    _ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer
  ) {
    let denied = denialsOfSession(kind, app)
    guard !denied.isEmpty else { return }
    deny(kind, app, denied, next: nil, &actions)
    stop(place, kind, app, &actions)
  }
}

extension DenialReasons {
  /// All reasons except those of facts, which the user and the battery change while apps run.
  static let notSwitches = DenialReasons(all).subtracting(StandardFact.reasons)
}
