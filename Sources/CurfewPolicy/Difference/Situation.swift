import CurfewEngine
import CurfewManifest
import CurfewText

/// What is so when something is asked of a policy: what the app declares, where it is, the switches and the battery.
struct Situation: Hashable {
  /// The background modes that the app declares, by their names.
  var modes: [String] = []
  var presence = Presence.suspended
  var refresh = BackgroundRefreshStatus.available
  var isLowPowerModeOn = false
  /// In percent.
  var battery: UInt8 = 100
  var isCharging = false
  /// A fact that a policy's row looks at beside these, and whether it holds; all others are as they are with a device at ease.
  var fact: Fact?

  struct Fact: Hashable {
    var name: String
    var holds: Bool
  }

  /// Where the app is, as far as that matters to an admission.
  enum Presence: CaseIterable { case inFront, suspended, notRunning, forceQuit, beforeFirstUnlock }

  /// Every combination of what rows look at, with each of `facts` in both its states, one at a time: a fact that fails denies by itself. `modes` are what an app may
  /// declare, `batteries` the levels that are tried.
  static func all(presences: [Presence], modes: [[String]], batteries: Set<UInt8>, facts: [String]) -> [Situation] {
    let plain = all(presences: presences, modes: modes, batteries: batteries)
    let varied = facts.flatMap { name in
      [true, false].flatMap { holds in
        plain.map { situation in
          var situation = situation
          situation.fact = Fact(name: name, holds: holds)
          return situation
        }
      }
    }
    return plain + varied
  }

  private static func all(presences: [Presence], modes: [[String]], batteries: Set<UInt8>) -> [Situation] {
    var all: [Situation] = []
    let powers = batteries.sorted().flatMap { [($0, false), ($0, true)] }
    for presence in presences {
      for modes in modes {
        for refresh in BackgroundRefreshStatus.allCases.reversed() {
          for isLowPowerModeOn in [false, true] {
            for (battery, isCharging) in powers {
              all.append(
                Situation(
                  modes: modes, presence: presence, refresh: refresh, isLowPowerModeOn: isLowPowerModeOn, battery: battery,
                  isCharging: isCharging))
            }
          }
        }
      }
    }
    return all
  }
}

extension PolicyFile {
  /// The kinds that have a row, by their names, in the language's order: `rows(of: "wakes")`.
  func rows(of group: String) -> [String] {
    var rows: [String] = []
    for entry in entries {
      let keys = entry.path.split(separator: ".")
      if keys.count == 3, keys[0] == group, rows.last != String(keys[1]) { rows.append(String(keys[1])) }
    }
    return rows
  }

  /// Why `kind` is denied in `situation`: what an engine under this policy answers. Nothing where it is admitted.
  func denials(of name: KindName, in situation: Situation) -> [Denials] {
    let names = policy.names
    guard let kind = names.kind(name) else { return [] }
    var driver = Driver(Engine(policy: policy, device: situation.device, minimumCapacity: 2))
    let modes = situation.modes.compactMap(names.mode).reduce(into: BackgroundModes()) { $0.formUnion($1) }
    let (app, other) = (driver.addApp(Manifest(backgroundModes: modes)), driver.addApp())
    for event in situation.presence.events(app) + situation.events(app, beside: other, policy) { driver.settle(event) }
    let question: Event =
      switch names.class(of: kind) {
      case .task: .beginTask(app, label: 0, handler: .absent)
      case .session: .startSession(app, kind)
      case .wake: .deliver(app, kind)
      }
    guard case .decision(_, let denied, _) = driver.ask(question) else { return [] }
    return names.denials(denied).each
  }
}

extension Situation {
  /// What the device is like.
  fileprivate var device: DeviceFacts {
    var device = DeviceFacts(
      backgroundRefresh: refresh, lowPowerMode: isLowPowerModeOn, battery: battery, isCharging: isCharging)
    guard let fact else { return device }
    switch (fact.name, fact.holds) {
    case ("charging", let holds): device.isCharging = holds
    case ("connected", false): device.network = .none
    case ("wifi", false): device.network = .cellular
    case ("thermalFair", true): device.thermal = .fair
    case ("thermalSerious", true): device.thermal = .serious
    case ("thermalCritical", true): device.thermal = .critical
    default: break
    }
    return device
  }

  /// What brings its fact about where no device begins with it; `other` is an app for the user to be at.
  fileprivate func events(_ app: AppID, beside other: AppID, _ policy: Policy) -> [Event] {
    guard let fact else { return [] }
    switch (fact.name, fact.holds) {
    case ("locked", true): return presence == .beforeFirstUnlock ? [] : [.lock]
    case ("userPresent", true): return presence == .inFront || presence == .beforeFirstUnlock ? [] : [.launch(other)]
    default:
      guard let own = policy.names.fact(fact.name), policy.facts.ofDevice.union(policy.facts.ofApps).isSuperset(of: own) else { return [] }
      return [.setFact(policy.facts.ofApps.isSuperset(of: own) ? app : nil, own, holds: fact.holds)]
    }
  }
}

extension Situation.Presence {
  /// What brings an app there that is not running.
  fileprivate func events(_ app: AppID) -> [Event] {
    switch self {
    case .inFront: [.launch(app)]
    case .suspended: [.launch(app), .home(app)]
    case .notRunning: []
    case .forceQuit: [.launch(app), .forceQuit(app)]
    case .beforeFirstUnlock: [.reboot]
    }
  }
}

extension Driver {
  /// Says it, and has every callback return at once.
  fileprivate mutating func settle(_ event: Event) {
    say(event)
    while let item = next(until: now) { if case .turn(let app) = item { say(.returned(app)) } }
  }
}
