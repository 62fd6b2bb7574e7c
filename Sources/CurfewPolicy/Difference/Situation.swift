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

  /// Where the app is, as far as that matters to an admission.
  enum Presence: CaseIterable { case inFront, suspended, notRunning, forceQuit, beforeFirstUnlock }

  /// Every combination of what rows look at; `modes` are what an app may declare, `batteries` the levels that are tried.
  static func all(presences: [Presence], modes: [[String]], batteries: Set<UInt8>) -> [Situation] {
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
  func denials(of kind: AssertionKind, in situation: Situation) -> [DenialReasons] {
    let device = DeviceFacts(
      backgroundRefresh: situation.refresh, lowPowerMode: situation.isLowPowerModeOn, battery: situation.battery,
      isCharging: situation.isCharging)
    var driver = Driver(Engine(policy: policy, device: device, minimumCapacity: 1))
    let modes = situation.modes.compactMap { BackgroundModes(fileName: $0) }.reduce(into: BackgroundModes()) { $0.formUnion($1) }
    let app = driver.addApp(Manifest(backgroundModes: modes))
    for event in situation.presence.events(app) { driver.settle(event) }
    let question: Event =
      switch kind.class {
      case .task: .beginTask(app, label: 0, handler: .absent)
      case .session: .startSession(app, kind)
      case .wake: .deliver(app, kind)
      }
    guard case .decision(_, let denied, _) = driver.ask(question) else { return [] }
    return denied.fileNames.compactMap { DenialReasons(fileName: $0) }
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
