import CurfewEngine
import TestSupport

/// A scenario's text, made up from a seed: some apps, what they do and how long they take, and what happens to them.
///
/// Times are whole seconds mostly, and so are returns and ends, so that much falls on one instant.
struct RandomScenario {
  /// Each is the policy of every so many seeds: the built-in profiles, and some of `Rules/policies`.
  static let policies = [
    "ios13", "policies/two-in-front.yaml", "ios4", "policies/suspend-delay.yaml", "ios7", "policies/f-short-grant.yaml", "ios13",
    "policies/unlimited-in-front.yaml", "ios3", "policies/strict.yaml", "policies/three-tasks.yaml", "policies/f-seed-strict.yaml",
    "policies/w-run-time.yaml", "policies/two-notifications.yaml", "policies/app-limit.yaml", "policies/thermal-serious.yaml",
    "policies/cpu-short-window.yaml", "policies/two-locations.yaml",
  ]

  /// What the scenario has after `policy:`.
  let policy: String
  /// The file, an element of it on each line.
  private(set) var lines: [String] = []

  private let apps: [String]
  private var random: SeededGenerator
  private var second = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    policy = RandomScenario.policies[Int(seed % UInt64(RandomScenario.policies.count))]
    apps = Array(["mail", "maps", "radio"].prefix(1 + random.below(3)))
    lines = ["curfew: scenario/1", "name: Random \(seed)", "policy: \(policy)"]
    if random.oneIn(4) { lines.append("until: \(random.pick([5, 10, 20, 33, 60, 200]))s") }
    addDevice()
    lines.append("apps:")
    for app in apps { addApp(app) }
    lines.append("timeline:")
    for _ in 0..<(3 + random.below(25)) { random.oneIn(4) ? addVisit(random.pick(apps)) : addLine(deed()) }
  }

  // MARK: What there is

  private static let modes = BackgroundModes.named.map(\.fileName)
  private static let sessions = AssertionKind.sessions.map(\.fileName)
  private static let wakes = AssertionKind.wakes.map(\.fileName)
  /// One of them is written with an effort.
  private static let labels = ["x", "y", #""a \"z\" / ž""#]
  private static let moments = Moment.fileNames.filter { $0 != "didReceiveMemoryWarning" }
  /// The moments of most scenarios.
  static let usualMoments = [
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground",
    "willTerminate", "expirationHandler", "fetch", "region", "remoteNotification", "voipPush",
  ]
  private static let usualWakes = ["fetch", "region", "remoteNotification", "voipPush"]
  /// Around the limits of callbacks, and the wholes that tie with the timeline.
  private static let lengths = ["1ns", "300ms", "1s", "1s", "1s", "2s", "2s", "3s", "4s", "5s", "6s", "10s", "20s"]
  private static let pauses = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 5, 8, 10, 25, 30, 200, 900]
  /// Of which a few fill the memories below.
  private static let footprints = ["0B", "50MiB", "100MiB", "160MiB", "300MiB"]
  private static let memories = ["150MiB", "250MiB", "400MiB", "4GiB"]
  private static let identifiers = ["refresh", "clean", "x"]

  private mutating func addDevice() {
    var keys = ["backgroundRefresh: \(!random.oneIn(6))", "lowPowerMode: \(random.oneIn(6))"]
    if random.oneIn(6) { keys.append("battery: \(random.pick(["5%", "19%", "20%"]))") }
    if random.oneIn(8) { keys.append("charging: true") }
    if random.oneIn(8) { keys.append("network: \(random.pick(["none", "cellular"]))") }
    if random.oneIn(3) { keys.append("memory: \(random.pick(RandomScenario.memories))") }
    lines.append("device: {\(keys.joined(separator: ", "))}")
  }

  private mutating func addApp(_ app: String) {
    lines.append("  \(app):")
    lines.append("    exitsOnSuspend: \(random.oneIn(4))")
    if random.oneIn(6) { lines.append("    backgroundRefresh: \(random.pick(["denied", "restricted"]))") }
    if random.oneIn(2) { lines.append("    endsTasksOnExpiration: false") }
    let modes = random.oneIn(2) ? RandomScenario.modes : some(of: RandomScenario.modes, oneIn: 2)
    lines.append("    backgroundModes: [\(modes.joined(separator: ", "))]")
    if random.oneIn(2) { lines.append("    permittedIdentifiers: [refresh, x]") }
    if random.oneIn(4) { lines.append("    footprint: \(random.pick(RandomScenario.footprints))") }
    if random.oneIn(8) { lines.append("    memoryLimit: \(random.pick(RandomScenario.memories))") }
    let slow = someMoments()
    if !slow.isEmpty { lines.append("    returns:") }
    for moment in slow { lines.append("      \(moment): \(random.pick(RandomScenario.lengths))") }
    lines.append("    on:")
    for moment in someMoments() {
      lines.append("      \(moment):")
      // Handlers that begin tasks with such handlers go on until the app has too many: with a thousand that is a long trace.
      let mayBegin = moment != "expirationHandler" || policy.hasSuffix("three-tasks.yaml")
      for _ in 0..<random.pick([1, 1, 2, 3]) { lines.append("        - {\(call(mayBegin: mayBegin))}") }
    }
    // What an app ends or takes back it must make somewhere in the file: here, where it seldom comes.
    lines.append("      didReceiveMemoryWarning:")
    for label in RandomScenario.labels {
      lines.append("        - {do: beginTask, task: \(label)}")
      lines.append("        - {do: scheduleNotification, in: 3s, id: \(label)}")
    }
    for name in RandomScenario.identifiers { lines.append("        - {do: submitTask, identifier: \(name), kind: processing}") }
  }

  private mutating func someMoments() -> [String] {
    some(of: random.oneIn(3) ? RandomScenario.moments : RandomScenario.usualMoments, oneIn: random.pick([2, 3, 1000]))
  }

  private mutating func some(of all: [String], oneIn times: Int) -> [String] {
    var some: [String] = []
    for one in all where random.oneIn(times) { some.append(one) }
    return some
  }

  // MARK: What happens

  /// Into the background with some work begun, which few single lines would come to.
  private mutating func addVisit(_ app: String) {
    addLine("do: launch, app: \(app)")
    for _ in 0..<random.below(3) { addLine("app: \(app), \(call())") }
    for _ in 0..<random.below(4) { addLine("app: \(app), \(begin(handler()))") }
    addLine("do: home\(inFront(app))")
  }

  private mutating func addLine(_ deed: String) {
    second += random.pick(RandomScenario.pauses)
    let at = random.oneIn(12) ? "\(second * 1000 + random.pick([1, 300, 999]))ms" : "\(second)s"
    if at.hasSuffix("ms") { second += 1 }
    lines.append("  - {at: \(at), \(deed)}")
  }

  private mutating func deed() -> String {
    let app = random.pick(apps)
    switch random.below(36) {
    case 0...6: return "do: launch, app: \(app)"
    case 7...10: return "do: home\(inFront(app))"
    case 11: return "do: lock"
    case 12...14: return "do: unlock"
    case 15: return "do: interrupt\(inFront(app))"
    case 16: return "do: \(random.pick(["acceptInterruption", "ignoreInterruption"]))\(inFront(app))"
    case 17: return random.oneIn(3) ? "do: reboot" : "do: forceQuit, app: \(app)"
    case 18: return "do: expireTasks" + random.pick(["", ", app: \(app)", ", reason: thermal", ", app: \(app), reason: memory"])
    case 32: return "do: setRefresh, status: \(random.pick(["available", "denied", "restricted"]))" + random.pick(["", ", app: \(app)"])
    case 33...34: return "do: setDevice, \(change())"
    case 35: return "do: post, \(post())" + random.pick(["", ", app: \(app)"])
    case 19...24: return "do: deliver, app: \(app), kind: \(wake())"
    default: return "app: \(app), \(call())"
    }
  }

  private mutating func change() -> String {
    switch random.below(7) {
    case 0: "backgroundRefresh: \(random.oneIn(2))"
    case 1: "lowPowerMode: \(random.oneIn(2))"
    case 2: "battery: \(random.pick(["5%", "80%"]))"
    case 3: "charging: \(random.oneIn(2))"
    case 4: "network: \(random.pick(["none", "cellular", "wifi"]))"
    case 5: "memory: \(random.pick(RandomScenario.memories))"
    default: "thermal: \(random.pick(["nominal", "critical"])), battery: 19%"
    }
  }

  private mutating func post() -> String {
    random.pick(["name: location, value: here", "name: battery, value: low", "name: battery, value: full", "name: clock"])
  }

  /// Where several can be in front, a step has to say which.
  private mutating func inFront(_ app: String) -> String {
    policy.hasSuffix("in-front.yaml") || random.oneIn(5) ? ", app: \(app)" : ""
  }

  /// Something that an app does itself.
  private mutating func call(mayBegin: Bool = true, isInHandler: Bool = false) -> String {
    switch random.below(20) {
    case 16...19: return request()
    case 0...4 where mayBegin: return begin(isInHandler ? "" : handler())
    case 5...7: return "do: endTask, task: \(random.pick(RandomScenario.labels))"
    case 8...9: return "do: startSession, mode: \(random.pick(RandomScenario.sessions))"
    case 10: return "do: stopSession, mode: \(random.pick(RandomScenario.sessions))"
    case 11...12: return "do: completeWake" + random.pick(["", "", ", kind: \(wake())", ", result: newData"])
    case 13: return "do: crash" + random.pick(["", "", ", reason: badAccess", ", reason: illegalInstruction", ", reason: normalAppExit"])
    default: return "do: probe"
    }
  }

  /// What an app asks of the system, but for tasks and sessions, and what it uses up.
  private mutating func request() -> String {
    let pause = random.pick(["0s", "1s", "3s", "30s", "15m"])
    switch random.below(12) {
    case 0...1: return "do: setFootprint, footprint: \(random.pick(RandomScenario.footprints))"
    case 2: return "do: lockFile"
    case 3: return "do: unlockFile"
    case 4: return "do: useCPU, share: \(random.pick(["0%", "79%", "81%", "400%", "2000%"])), for: \(random.pick(["0s", "10s", "300s"]))"
    case 5: return "do: setMinimumFetchInterval, interval: \(random.pick(["never", "0s", "15m", "31m"]))"
    case 6: return "do: setKeepAlive, interval: \(random.pick(["never", "599s", "10m", "15m"]))"
    case 7...8:
      return "do: submitTask, identifier: \(random.pick(RandomScenario.identifiers)), kind: \(random.pick(["appRefresh", "processing"]))"
        + random.pick(["", ", earliest: \(pause)"]) + random.pick(["", ", requiresNetwork: true", ", requiresPower: true"])
    case 9: return "do: cancelTask, identifier: \(random.pick(RandomScenario.identifiers))"
    case 10: return "do: scheduleNotification, in: \(pause), id: \(random.pick(RandomScenario.labels))"
    default: return "do: cancelNotification, id: \(random.pick(RandomScenario.labels))"
    }
  }

  private mutating func begin(_ handler: String) -> String {
    let length = random.oneIn(3) ? ", for: \(random.pick([0, 1, 2, 3, 5, 10, 25, 30, 40]))s" : ""
    return "do: beginTask, task: \(random.pick(RandomScenario.labels))\(length)\(handler)"
  }

  private mutating func handler() -> String {
    switch random.below(8) {
    case 0: ", handler: none"
    case 1: ", handler: [{\(call(isInHandler: true))}]"
    case 2: ", handler: [{\(call(isInHandler: true))}, {\(call(isInHandler: true))}]"
    default: ""
    }
  }

  private mutating func wake() -> String { random.pick(random.oneIn(2) ? RandomScenario.wakes : RandomScenario.usualWakes) }
}
