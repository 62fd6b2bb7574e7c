/// The device's facts, and the user's switches: a change takes effect at once, on everything that is pending (rule B3).
extension Engine {
  /// `backgroundRefreshStatus`: what the device's and the app's switch come to (rule B1). Where the policy has no such switch it is on.
  public func backgroundRefreshStatus(of app: AppID) -> BackgroundRefreshStatus {
    let facts = facts(of: app)
    return facts.contains(.backgroundRefreshRestricted) ? .restricted : facts.contains(.backgroundRefreshDenied) ? .denied : .available
  }

  mutating func setRefresh(_ status: BackgroundRefreshStatus, of app: AppID?, _ actions: inout ActionBuffer) {
    guard let app else {
      var facts = deviceFacts
      facts.backgroundRefresh = status
      return setDevice(facts, &actions)
    }
    guard exists(app) else { return illegal(app, &actions) }
    apps[app].flags.subtract([.refreshDenied, .refreshRestricted])
    apps[app].flags.formUnion(AppFlags(status, under: policy))
    reconsider(app, &actions)
    lookAgainAtRequests(of: app)
  }

  /// - Complexity: O(apps + requests).
  mutating func setDevice(_ facts: DeviceFacts, _ actions: inout ActionBuffer) {
    precondition(facts.battery <= 100 && facts.memory ?? 0 >= 0, "A battery at \(facts.battery) %, a memory of \(facts.memory ?? 0) bytes")
    let before = deviceFacts
    deviceFacts = facts
    device = DenialReasons(facts, under: policy)
    if facts.memory != before.memory { memory.setCapacity(facts.memory) }
    if facts.isCharging != before.isCharging { armAllProcessors() }
    for app in apps.ids where apps[app].otherAssertions > 0 || apps[app].flags.contains(.suspensionWaits) {
      agenda.append(AgendaItem(app: app, work: .reconsider))
    }
    lookAgainAtAllRequests()
    if let limit = policy.tasks.thermalExpiry, before.thermal < limit, facts.thermal >= limit { expireEverywhere(.thermal) }
  }

  /// What was admitted and may not be any more: wakes that have not been delivered, and sessions.
  mutating func reconsider(_ app: AppID, _ actions: inout ActionBuffer) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let (kind, phase) = (assertions[place].kind, assertions[place].phase)
      switch kind.class {
      case .wake where phase == .fresh: reconsiderWake(place, kind, app, &actions)
      case .session where phase == .fresh: reconsiderSession(place, kind, app, &actions)
      case .task, .session, .wake: break
      }
    }
    // Where the policy reads the switch literally, it also decides how soon an app is suspended.
    if policy.tasks.refreshGate == .seedStrict, apps[app].flags.contains(.suspensionWaits) { takeSuspensionAway(app) }
    if apps[app].state == .background { runLoop(app, &actions) }
  }

  private mutating func reconsiderWake(_ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer) {
    let denied = rows[kind].deniedBy.intersection(facts(of: app)).intersection(.switches)
    guard !denied.isEmpty else { return }
    deny(kind, of: assertions[place].wake, app, denied, next: nil, &actions)
    removeItem(ofWake: place, app)
    end(place)
  }

  private mutating func reconsiderSession(_ place: Place<Assertion>, _ kind: AssertionKind, _ app: AppID, _ actions: inout ActionBuffer) {
    let denied = denialsOfSession(kind, app)
    guard !denied.isEmpty else { return }
    deny(kind, app, denied, next: nil, &actions)
    stop(place, kind, app, &actions)
  }
}

extension DenialReasons {
  /// What the user and the battery switch while apps run.
  static let switches: DenialReasons = [.backgroundRefreshDenied, .backgroundRefreshRestricted, .lowPowerMode, .lowBattery]
}
