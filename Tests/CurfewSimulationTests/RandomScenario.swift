import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import TestSupport

/// The text of a scenario, drawn from a seed: some apps, their calls and callback lengths,
/// and the events.
///
/// Verbs, manifests and settings are drawn from the tables, so a new row is covered without
/// a change here. Times, returns and ends are mostly whole seconds, so that many of them share
/// an instant.
struct RandomScenario {
  /// The policies, used in turn by the seeds: the built-in profiles, and some of `Rules/policies`.
  static let policies = [
    "ios13", "policies/two-in-front.yaml", "ios4", "policies/suspend-delay.yaml", "ios7",
    "policies/f-short-grant.yaml",
    "policies/requests-at-once.yaml",
    "policies/unlimited-in-front.yaml", "ios3", "policies/strict.yaml", "policies/three-tasks.yaml",
    "policies/f-seed-strict.yaml",
    "policies/w-run-time.yaml", "policies/two-notifications.yaml", "policies/app-limit.yaml",
    "policies/thermal-serious.yaml",
    "policies/cpu-short-window.yaml", "policies/two-locations.yaml",
  ]

  /// The scenario's value of `policy:`.
  let policy: String
  /// Settings on top of the policy, if they fit the other values.
  private(set) var settings: [(path: String, text: String)] = []
  /// The file, one element per line.
  private(set) var lines: [String] = []

  private let apps: [String]
  private var random: SeededGenerator
  private var second = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    policy = RandomScenario.policies[Int(seed % UInt64(RandomScenario.policies.count))]
    apps = Array(["mail", "maps", "radio"].prefix(1 + random.below(3)))
    settings = RandomScenario.ownThings
    if random.oneIn(2) { for _ in 0...random.below(3) { settings.append(setting()) } }
    lines = ["curfew: scenario/1", "name: Random \(seed)", "policy: \(policy)"]
    if random.oneIn(4) { lines.append("until: \(random.pick([5, 10, 20, 33, 60, 200, 1000]))s") }
    let facts = random.oneIn(3) ? ["facts: [\(random.pick(["parked", "not parked"]))]"] : []
    lines.append(
      "device: {\((pairs(DeviceFact.starts, of: "device", oneIn: 3) + facts).joined(separator: ", "))}"
    )
    lines.append("apps:")
    for app in apps { addApp(app) }
    lines.append("timeline:")
    for _ in 0..<(3 + random.below(25)) {
      random.oneIn(4) ? addVisit(random.pick(apps)) : addLine(step())
    }
  }

  // MARK: The vocabulary

  /// Kinds, a mode and facts that are added to every policy here.
  private static let ownThings: [(path: String, text: String)] = [
    ("modes.guidance", "Turn-by-turn guidance."), ("facts.parked", "{of: device}"),
    ("facts.restricted", "{of: app, unset: false}"),
    (
      "sessions.navigation",
      "{mode: none, blockedBy: parked, linger: 2s, purgedLast: true, length: 4s, warning: 1s, deferral: 3s, deferralFactor: 2}"
    ),
    (
      "wakes.carUpdate",
      "{start: interval, minimumInterval: 31s, mode: [guidance, fetch], requires: connected, length: 10s, warning: 2s, overrun: tell, linger: 3s, stopsTaskClock: false}"
    ),
    (
      "wakes.backup",
      "{start: request, pending: 2, blockedBy: [restricted, userPresent], relaunches: true, length: 20s, overrun: drop}"
    ),
    (
      "wakes.glance",
      "{start: opportunity, minimumInterval: 10s, backoff: 4, relaunches: true, blockedBy: locked, length: 5s, overrun: kill}"
    ),
  ]

  /// Texts for keys whose shape would draw values that are too far apart.
  private static let own: [String: [String]] = [
    "device.backgroundRefresh": ["true", "true", "true", "false"],
    "device.lowPowerMode": ["false", "false", "true"], "memory": memories,
    "app.backgroundRefresh": ["available", "available", "denied", "restricted"],
    "exitsOnSuspend": ["false", "false", "false", "true"],
    "permittedIdentifiers": ["refresh", "x"], "memoryLimit": memories, "footprint": footprints,
    "identifier": identifiers,
    "deliver.kind": wakes, "completeWake.kind": wakes,
    "submitTask.kind": ["appRefresh", "processing", "backup"],
    "app.facts": ["restricted"], "setFact.fact": ["parked"],
    "setInterval.kind": ["carUpdate", "glance"],
    "mode": PolicyNames().kinds(.session).map(\.rawValue) + ["navigation", "navigation"],
    "post.name": ["location", "battery", "clock"], "value": ["low", "full"],
    "earliest": pauses, "in": pauses, "useCPU.for": ["0s", "10s", "300s"],
  ]
  /// Half of the entries are common kinds.
  private static let wakes =
    PolicyNames().kinds(.wake).map(\.rawValue)
    + Array(
      repeating: [
        "fetch", "region", "remoteNotification", "voipPush", "carUpdate", "backup", "glance",
      ], count: 4
    ).joined()
  /// One label needs escapes.
  private static let labels = ["x", "y", #""a \"z\" / ž""#]
  private static let moments =
    AppCall.fileNames.filter { $0 != "didReceiveMemoryWarning" } + [
      "carUpdate", "backup", "glance",
    ]
  /// The moments of most scenarios.
  static let usualMoments = [
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
    "didEnterBackground", "willEnterForeground",
    "willTerminate", "expirationHandler", "fetch", "region", "remoteNotification", "voipPush",
  ]
  /// Lengths near the limits of callbacks, and whole seconds that tie with the timeline.
  private static let lengths = [
    "1ns", "300ms", "1s", "1s", "1s", "2s", "2s", "3s", "4s", "5s", "6s", "10s", "20s",
  ]
  private static let gaps = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 5, 8, 10, 25, 30, 200, 900]
  private static let pauses = ["0s", "1s", "3s", "30s", "15m"]
  /// A few of these fill the memories below.
  private static let footprints = ["0B", "50MiB", "100MiB", "160MiB", "300MiB"]
  private static let memories = ["150MiB", "250MiB", "400MiB", "4GiB"]
  private static let identifiers = ["refresh", "clean", "x"]

  private mutating func pairs(_ fields: [Field], of owner: String, oneIn times: Int = 2) -> [String]
  {
    random.pairs(fields, of: owner, oneIn: times, RandomScenario.own)
  }

  private mutating func addApp(_ app: String) {
    lines.append("  \(app):")
    lines += pairs(AppManifest.fields.map(\.field), of: "app").map { "    \($0)" }
    if random.oneIn(2) { lines.append("    endsTasksOnExpiration: false") }
    let slow = someMoments()
    if !slow.isEmpty { lines.append("    returns:") }
    for moment in slow { lines.append("      \(moment): \(random.pick(RandomScenario.lengths))") }
    lines.append("    on:")
    for moment in someMoments() {
      lines.append("      \(moment):")
      // Handlers that begin tasks with such handlers continue until the app reaches the limit. With
      // a limit of a thousand the trace is long.
      let mayBegin = moment != "expirationHandler" || policy.hasSuffix("three-tasks.yaml")
      for _ in 0..<random.pick([1, 1, 2, 3]) {
        lines.append("        - {\(call(mayBegin: mayBegin))}")
      }
      // Two calls inside a wake's delivery complete the same wake.
      if RandomScenario.wakes.contains(moment), random.oneIn(4) {
        for _ in 1...2 { lines.append("        - {do: completeWake}") }
      }
    }
    // A task that an app ends, and a request that it cancels, must begin somewhere in the file.
    // This callback rarely comes.
    lines.append("      didReceiveMemoryWarning:")
    for label in RandomScenario.labels {
      lines.append("        - {do: beginTask, task: \(label)}")
      lines.append("        - {do: scheduleNotification, in: 3s, id: \(label)}")
    }
    for name in RandomScenario.identifiers {
      lines.append("        - {do: submitTask, identifier: \(name), kind: processing}")
    }
  }

  private mutating func someMoments() -> [String] {
    let times = random.pick([2, 3, 1000])
    let all = random.oneIn(3) ? RandomScenario.moments : RandomScenario.usualMoments
    return all.filter { _ in random.oneIn(times) }
  }

  // MARK: Settings

  private typealias Key = (table: String, name: String, shape: Shape)

  /// The places of each key: a row's key has one in the row of each kind.
  private static let keys = Dictionary(grouping: settable) { name(of: "\($0.table).\($0.name)") }
    .sorted { $0.key < $1.key }.map(\.value)

  /// Every key except the start of requested kinds, whose requests are refused with another start.
  private static let settable = PolicyFile.keys.filter {
    $0.name != "start" || !["wakes.appRefresh", "wakes.processing"].contains($0.table)
  }

  /// A key's path without the kind of its row: `wakes.length`.
  static func name(of path: String) -> String {
    let words = path.split(separator: ".")
    return words.count == 3 ? "\(words[0]).\(words[2])" : words.joined(separator: ".")
  }

  /// A key with its value, sometimes with others of its table, which it may need.
  private mutating func setting() -> (path: String, text: String) {
    let key = random.pick(random.pick(RandomScenario.keys))
    if key.table.isEmpty { return (key.name, random.plain(key.shape).yaml) }
    let times = random.pick([4, 1000])
    let keys = RandomScenario.settable.filter {
      $0.table == key.table && ($0.name == key.name || random.oneIn(times))
    }
    return (
      key.table,
      "{\(keys.map { "\($0.name): \(random.plain($0.shape).yaml)" }.joined(separator: ", "))}"
    )
  }

  /// `file` with the settings.
  func set(over file: PolicyFile) -> PolicyFile {
    var file = file
    for (path, text) in settings { try? file.set(path, text) }
    return file
  }

  // MARK: Events

  /// The relative frequency of each verb; 1 for verbs that are not listed.
  private static let weights: [InputVerb: Int] = [
    .launch: 14, .home: 8, .lock: 2, .unlock: 6, .interrupt: 2, .expireTasks: 2, .deliver: 12,
    .setRefresh: 2, .setDevice: 4, .post: 2,
    .beginTask: 15, .endTask: 9, .startSession: 6, .stopSession: 5, .completeWake: 6, .crash: 3,
    .probe: 6, .setFootprint: 2,
    .submitTask: 5, .cancelTask: 6, .setFact: 4, .setInterval: 3,
  ]
  private static let calls = weighted { $0 == .app }
  private static let deeds = weighted { $0 != .app && $0 != .host }

  private static func weighted(_ isSaid: (VerbRow.Speaker) -> Bool) -> [VerbRow] {
    InputVerb.rows.filter { isSaid($0.speaker) }.flatMap {
      Array(repeating: $0, count: weights[$0.verb] ?? 1)
    }
  }

  /// Sends an app to the background with some work begun, which random single lines seldom do.
  private mutating func addVisit(_ app: String) {
    addLine("do: launch, app: \(app)")
    for _ in 0..<random.below(3) { addLine("app: \(app), \(call())") }
    for _ in 0..<random.below(4) {
      addLine("app: \(app), \(deed(InputVerb.beginTask.row))\(handler())")
    }
    if random.oneIn(6) {
      for verb in [InputVerb.submitTask, .cancelTask] { addLine("app: \(app), \(deed(verb.row))") }
    }
    addLine("do: home\(inFront(app))")
  }

  private mutating func addLine(_ deed: String) {
    second += random.pick(RandomScenario.gaps)
    let at = random.oneIn(12) ? "\(second * 1000 + random.pick([1, 300, 999]))ms" : "\(second)s"
    if at.hasSuffix("ms") { second += 1 }
    lines.append("  - {at: \(at), \(deed)}")
  }

  private mutating func step() -> String {
    let app = random.pick(apps)
    if random.oneIn(5) { return "app: \(app), \(call())" }
    let row = random.pick(RandomScenario.deeds)
    return switch row.subject {
    case .none: deed(row)
    case .required: "\(deed(row)), app: \(app)"
    case .inFront: deed(row) + inFront(app)
    // A fact belongs to the device or to an app.
    case .optional where row.verb == .setFact && random.oneIn(2):
      "do: setFact, app: \(app), fact: restricted, is: \(random.oneIn(2))"
    case .optional: deed(row) + (row.verb == .setFact ? "" : random.pick(["", ", app: \(app)"]))
    }
  }

  private mutating func deed(_ row: VerbRow) -> String {
    let isChange = row.verb == .setDevice
    if row.verb == .crash { return "do: crash\(crash())" }
    var pairs: [String] = []
    repeat {
      pairs = self.pairs(row.values.map(\.field), of: row.name, oneIn: isChange ? 6 : 2)
    } while isChange && pairs.isEmpty
    if row.verb == .beginTask, random.oneIn(3) {
      pairs.append("for: \(random.pick([0, 1, 2, 3, 5, 10, 25, 30, 40]))s")
    }
    return (["do: \(row.name)"] + pairs).joined(separator: ", ")
  }

  /// The values of a crash, which depend on each other.
  private mutating func crash() -> String {
    random.pick([
      "", ", status: \(1 + random.below(255))", ", reason: abnormalExit", ", reason: badAccess",
      ", reason: illegalInstruction", ", reason: normalAppExit", ", reason: oomKill",
      ", reason: hostFailure", ", reason: signal, signal: \(1 + random.below(126))",
      ", reason: spawnFailed, error: \(random.pick(SpawnError.allCases).rawValue)",
    ])
  }

  /// The app of a step, required if several apps can be in front.
  private mutating func inFront(_ app: String) -> String {
    let isOne = !policy.hasSuffix("in-front.yaml") && !settings.contains { $0.path == "foreground" }
    return isOne && !random.oneIn(5) ? "" : ", app: \(app)"
  }

  /// A call that an app makes itself.
  private mutating func call(mayBegin: Bool = true, isInHandler: Bool = false) -> String {
    let row = random.pick(RandomScenario.calls)
    if row.verb == .beginTask, !mayBegin { return "do: probe" }
    return deed(row) + (row.verb == .beginTask && !isInHandler ? handler() : "")
  }

  private mutating func handler() -> String {
    switch random.below(8) {
    case 0: ", handler: none"
    case 1: ", handler: [{\(call(isInHandler: true))}]"
    case 2: ", handler: [{\(call(isInHandler: true))}, {\(call(isInHandler: true))}]"
    default: ""
    }
  }
}
