import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Turns a workload's tree into values, and finds errors that a shape cannot express: names that
/// the policy does not have, and distributions whose numbers contradict each other.
///
/// Values that do not fit their shape have been reported before this runs. They are skipped here,
/// so that one mistake gives one error.
struct WorkloadReader: PolicyNameReader {
  let source: SourceFile
  private let override: PolicyFile?
  private let settings: [ValueSetting]
  private(set) var known: PolicyFile?
  var findings = Findings()

  init(_ source: SourceFile, policy override: PolicyFile?, settings: [ValueSetting]) {
    self.source = source
    self.override = override
    self.settings = settings
  }

  mutating func read() throws(FileErrors) -> Workload {
    var root = try SourceDocument.parse(source, version: WorkloadSchema.version, &findings)
    for setting in settings { root = try set(setting, in: root) }
    findings.add(ShapeCheck.findings(in: root, .record(WorkloadSchema.file)))
    known = policy(root, unless: override)
    let apps = apps(root["apps"])
    let device = device(root)
    let user = user(root["user"])
    let recording = recording(root["usage"], apps)
    if let usage = root["usage"], root["user"] != nil {
      findings.warn(
        at: usage.place, "'usage' replaces 'user', of which only 'rhythm' has an effect")
    }
    let (radioTail, energy) = (root["radioTail"]?.interval, energy(root["energy"]))
    if recording == nil, root["usage"] == nil, root["user"] == nil {
      findings.error(
        at: root.place, "nobody uses these devices: a workload needs 'user' or 'usage'")
    }
    try findings.throwIfAny(in: source.name)
    guard let known else { preconditionFailure("The policy of \(source.name) is missing") }
    var workload = Workload(name: root["name"]?.text ?? "", policy: known, apps: apps)
    workload.about = root["about"]?.text
    (workload.device, workload.user, workload.recording, workload.energy) = (
      device, user, recording, energy
    )
    if let radioTail { workload.radioTail = radioTail }
    workload.file = source.name
    workload.settings = settings
    workload.digest = digest(root, recording?.log)
    workload.warnings = findings.warnings
    if let log = recording?.log { workload.warnings += log.overallWarnings + log.warnings }
    return workload
  }

  // MARK: Settings and the digest

  /// The tree with one value replaced. The place of the new value has the path as its
  /// file: `device.memory:1:1`.
  private mutating func set(_ setting: ValueSetting, in root: SourceNode) throws(FileErrors)
    -> SourceNode
  {
    let place = SourcePlace(file: setting.path, line: 1, column: 1)
    let keys = setting.path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = keys.first, !["", "curfew", "name", "about", "policy"].contains(first) else {
      findings.error(
        at: place,
        "expected keys of the workload with dots between them, such as device.memory or apps.NAME.count"
      )
      return root
    }
    guard let value = try SourceNode(text: setting.text, at: setting.path, &findings) else {
      return root
    }
    guard let changed = root.setting(value, at: setting.path) else {
      findings.error(
        at: place, "the workload has no such element: elements of lists are counted from 0")
      return root
    }
    return changed
  }

  /// The digest of the workload without its policy: all values except for its name and description,
  /// and the contents of the logs.
  private func digest(_ root: SourceNode, _ log: UsageLog?) -> String {
    var digest = TextDigest()
    var values = root
    values.content = .mapping(
      root.pairs.filter { !["curfew", "name", "about", "policy"].contains($0.key) })
    digest.add(values.canonicalText)
    for user in log?.users ?? [] {
      digest.add("\(user.name) \(user.origin) \(user.end)\n")
      for change in user.changes {
        digest.add(
          "\(change.at) \(log?.apps[change.app] ?? "") \(change.left.map { "\($0)" } ?? "")\n")
      }
    }
    return digest.digits
  }

  // MARK: Devices and users

  private mutating func device(_ root: SourceNode) -> DeviceModel {
    var device = DeviceModel()
    let node = root["device"]
    checkSizes(node)
    device.start = DeviceChange(node).applied(to: DeviceFacts())
    device.refreshOff = node?["refreshOff"]?.portion ?? 0
    if let battery = node?["batteryLife"], let lasts = battery["lasts"]?.interval,
      let charges = battery["charges"]?.interval
    {
      for key in ["lasts", "charges"]
      where battery[key]?.interval.map({ $0 < .seconds(100) }) ?? false {
        findings.error(at: battery[key]?.place ?? battery.place, "'\(key)' must be at least 100s")
      }
      device.battery = BatteryModel(
        lasts: lasts, charges: charges,
        lowPowerModeUnder: battery["lowPowerModeUnder"]?.text.flatMap {
          try? PercentageText.read($0)
        }.map { UInt8($0) })
    }
    let daily = root["daily"]?.elements ?? []
    device.daily = daily.compactMap { self.daily($0) }
    if let battery = node?["batteryLife"], node?["charging"]?.text != "true",
      !daily.contains(where: { $0["charging"]?.text == "true" })
    {
      findings.warn(
        at: battery.place,
        "the battery is never charged: it becomes empty and stays empty; add changes to 'daily', such as {at: 23h, charging: true} and {at: 7h, charging: false}"
      )
    }
    return device
  }

  private mutating func daily(_ node: SourceNode) -> DailyChange? {
    guard let at = node["at"]?.interval else { return nil }
    if at >= .seconds(86_400) {
      findings.error(
        at: node["at"]?.place ?? node.place, "'at' must be a time of the day, under 24h")
    }
    if let jitter = node["jitter"], (jitter.interval ?? .zero) >= .seconds(43_200) {
      findings.error(at: jitter.place, "'jitter' must be under 12h")
    }
    checkSizes(node)
    let change = DeviceChange(node)
    if change.isEmpty {
      findings.error(at: node.place, "nothing changes: name a fact of the device")
    }
    return DailyChange(
      at: at, jitter: node["jitter"]?.interval ?? .zero, chance: node["chance"]?.portion ?? 1
    ) {
      $0 = change.applied(to: $0)
    }
  }

  private mutating func user(_ node: SourceNode?) -> UserModel {
    var user = UserModel()
    guard let node else { return user }
    user.unlocks = node["unlocks"]?.decimal ?? 0
    user.rhythm = node["rhythm"]?.elements.compactMap(\.decimal) ?? []
    if let rhythm = node["rhythm"],
      rhythm.elements.count != 24 || rhythm.elements.allSatisfy({ $0.decimal == 0 })
    {
      findings.error(
        at: rhythm.place,
        "'rhythm' must be 24 numbers that are not all 0; found \(rhythm.elements.count)")
    }
    user.visits = node["visits"]?.decimal ?? 1
    user.visit = duration(node["visit"]) ?? user.visit
    user.recency = node["recency"]?.portion ?? 0
    user.recencyExponent = node["recencyExponent"]?.decimal ?? 1
    user.locks = node["locks"]?.portion ?? 0
    user.interruptions = node["interruptions"]?.portion ?? 0
    user.interruption = duration(node["interruption"]) ?? user.interruption
    user.accepted = node["accepted"]?.portion ?? 0
    user.forceQuits = node["forceQuits"]?.portion ?? 0
    return user
  }

  private func energy(_ node: SourceNode?) -> EnergyWeights {
    var weights = EnergyWeights()
    weights.backgroundSecond = node?["backgroundSecond"]?.decimal ?? weights.backgroundSecond
    weights.processorSecond = node?["processorSecond"]?.decimal ?? weights.processorSecond
    weights.radioSecond = node?["radioSecond"]?.decimal ?? weights.radioSecond
    weights.coldLaunch = node?["coldLaunch"]?.decimal ?? weights.coldLaunch
    return weights
  }

  mutating func duration(_ node: SourceNode?) -> Distribution? {
    node.flatMap { DistributionForm.duration.distribution($0, relativeTo: source.name, &findings) }
  }

  // MARK: Recorded users

  private mutating func recording(_ node: SourceNode?, _ apps: [WorkloadApp]) -> Workload.Recording?
  {
    guard let node, let file = node["file"]?.text, let format = usageFormat(node) else {
      return nil
    }
    var others: Int?
    if let name = node["others"], let text = name.text {
      if let place = apps.firstIndex(where: { $0.name == text }) {
        others = place
      } else {
        findings.error(at: name.place) {
          "unknown app '\(text)'" + $0.hint(for: text, among: apps.map(\.name), "expected one of")
        }
      }
    }
    if let longest = node["longestVisit"], longest.interval == .zero {
      findings.error(at: longest.place, "'longestVisit' must be more than 0s")
      return nil
    }
    do {
      let path = SourceFile.path(file, relativeTo: source.name)
      let log = try UsageLog.read(path, format, longestVisit: node["longestVisit"]?.interval)
      checkNames(of: log, apps, node, hasOthers: others != nil)
      return Workload.Recording(log, others: others ?? 0, zone: format.zone)
    } catch {
      findings.add(error)
      return nil
    }
  }

  /// Checks that each app of the log has a sort, and warns of sorts that the log never uses.
  private mutating func checkNames(
    of log: UsageLog, _ apps: [WorkloadApp], _ node: SourceNode, hasOthers: Bool
  ) {
    let named = Set(apps.map(\.name))
    let strangers = log.apps.filter { !named.contains($0) }
    if !hasOthers, !strangers.isEmpty, node["others"] == nil {
      let (isOne, count) = (strangers.count == 1, HumanCount.text(strangers.count, "app"))
      let first =
        strangers.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        + (strangers.count > 3 ? ", …" : "")
      findings.error(
        at: node.place,
        "\(count) of the log \(isOne ? "is" : "are") not among 'apps': \(first); set 'others' to the app that stands for \(isOne ? "it" : "them")"
      )
    }
    for user in log.users where user.end > .zero + .seconds(5 * 366 * 86_400) {
      findings.warn(
        at: node.place,
        "the log of '\(user.name)' lasts over five years; is one of its times wrong?")
    }
    for app in apps where !log.apps.contains(app.name) && app.name != node["others"]?.text {
      let hint = NearestName.to(app.name, among: strangers).map { "; did you mean '\($0)'?" } ?? ""
      findings.warn(
        at: node.place, "no app of the log is called '\(app.name)', so nobody uses it\(hint)")
    }
  }

  /// `duration: d`, or `duration: {column: d, unit: ms}`; nil without a column.
  private func durations(_ node: SourceNode?) -> UsageFormat.Rows? {
    guard let column = node?.text ?? node?["column"]?.text else { return nil }
    let unit = node?["unit"]?.text.flatMap { UsageFormat.DurationUnit(rawValue: $0) }
    return .visits(duration: column, unit: unit ?? .seconds)
  }

  private mutating func usageFormat(_ node: SourceNode) -> UsageFormat? {
    guard let columns = node["columns"], let time = columns["time"]?.text,
      let app = columns["app"]?.text
    else { return nil }
    let kinds = ["event", "rank", "duration"].filter { columns[$0] != nil }
    guard kinds.count < 2 else {
      let both = kinds.joined(separator: " and ")
      findings.error(
        at: columns.place, "a row is an event, a rank in a stack or a visit: 'columns' has \(both)"
      )
      return nil
    }
    let rows: UsageFormat.Rows? =
      switch kinds.first {
      case "event": .events(event: columns["event"]?.text ?? "")
      case "rank": .snapshots(rank: columns["rank"]?.text ?? "")
      case "duration": durations(columns["duration"])
      default: .openings
      }
    guard let rows else { return nil }
    if kinds.first == "event", node["events"] == nil {
      findings.error(
        at: columns.place, "'events' must define the words of the column 'event'")
    }
    var zone = UsageZone.utc
    if let name = node["zone"], let text = name.text {
      if let known = UsageZone(named: text) {
        zone = known
      } else {
        findings.error(at: name.place) {
          "unknown time zone '\(text)'"
            + $0.hint(for: text, among: UsageZone.knownNames, "such as", telling: ["Europe/Berlin"])
        }
      }
    }
    let events = (node["events"]?.pairs ?? []).compactMap { pair in
      pair.value.text.flatMap { UsageFormat.EventMeaning(rawValue: $0) }.map { (pair.key, $0) }
    }
    return UsageFormat(
      file: node["format"]?.text.flatMap { UsageFormat.File(rawValue: $0) },
      columns: UsageFormat.Columns(time: time, user: columns["user"]?.text, app: app, rows: rows),
      time: node["time"]?.text.flatMap { UsageFormat.TimeNotation(rawValue: $0) } ?? .unixSeconds,
      zone: zone,
      events: Dictionary(events, uniquingKeysWith: { first, _ in first }))
  }
}
