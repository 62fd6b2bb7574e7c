import CurfewEngine

/// Turns a scenario's tree into values, and finds what a shape cannot tell: names of apps, the order of time, labels.
///
/// What does not fit its shape has been reported when this runs; it is skipped here, so that one mistake gives one error.
struct ScenarioReader {
  let source: SourceFile
  private let override: PolicyFile?
  var findings = Findings()
  private(set) var labels: [String] = []
  private var labelIndex: [String: UInt32] = [:]
  private(set) var identifiers: [String] = []
  private var appIndex: [String: AppID] = [:]
  /// The labels under which an app begins tasks anywhere in the file.
  private var begun: Set<LabelOfApp> = []
  private var ended: [(label: LabelOfApp, place: SourcePlace)] = []

  /// A label belongs to the app that uses it.
  private struct LabelOfApp: Hashable {
    var app: AppID
    var label: UInt32
  }

  init(_ source: SourceFile, policy override: PolicyFile?) {
    self.source = source
    self.override = override
  }

  mutating func read() throws(FileErrors) -> Scenario {
    let root = try SourceDocument.parse(source, version: ScenarioSchema.version, &findings)
    findings.add(ShapeCheck.findings(in: root, .record(ScenarioSchema.file)))
    let policy = policy(root)
    let device = device(root["device"])
    let apps = apps(root["apps"])
    let timeline = timeline(root["timeline"], policy)
    checkLabels()
    try findings.throwIfAny(in: source.name)
    guard let policy else { preconditionFailure("No policy for \(source.name), and no error") }
    return Scenario(
      name: root["name"]?.text ?? "", policy: policy, until: root["until"]?.instant, device: device, apps: apps, timeline: timeline,
      labels: labels, file: source.name, files: [source.path].compactMap(\.self) + policy.files, warnings: findings.warnings)
  }

  private mutating func policy(_ root: SourceNode) -> PolicyFile? {
    if let override { return override }
    guard let node = root["policy"], let name = node.text, !name.isEmpty else { return nil }
    do {
      return try PolicyFile.load(name, at: node.place)
    } catch {
      findings.add(error)
      return nil
    }
  }

  private mutating func device(_ node: SourceNode?) -> ScenarioDevice {
    let (battery, isCharging) = (node?["battery"]?.percentage ?? 100, node?["charging"]?.flag ?? false)
    for pair in node?.pairs ?? [] {
      switch pair.key {
      case "network": findings.warn(at: pair.keyPlace, "'network' has no effect yet: nothing that waits for it is simulated")
      case "memory": findings.warn(at: pair.keyPlace, "'memory' has no effect yet: memory is not simulated")
      default: break
      }
    }
    return ScenarioDevice(
      facts: DeviceFacts(
        backgroundRefresh: node?["backgroundRefresh"]?.flag ?? true, lowPowerMode: node?["lowPowerMode"]?.flag ?? false,
        lowBattery: battery < 20 && !isCharging),
      network: node?["network"]?.text.flatMap(ScenarioDevice.Network.init(rawValue:)) ?? .wifi, memory: node?["memory"]?.size,
      battery: battery, isCharging: isCharging)
  }

  private mutating func apps(_ node: SourceNode?) -> [ScenarioApp] {
    guard let node, case .mapping(let pairs) = node.content else { return [] }
    if pairs.isEmpty { findings.error(at: node.place, "a scenario needs an app at least") }
    for (index, pair) in pairs.enumerated() {
      identifiers.append(pair.key)
      appIndex[pair.key] = AppID(rawValue: UInt32(index))
    }
    return pairs.enumerated().map { index, pair in app(pair, AppID(rawValue: UInt32(index))) }
  }

  private mutating func app(_ pair: SourceNode.Pair, _ id: AppID) -> ScenarioApp {
    let node = pair.value
    for pair in node.pairs where pair.key == "footprint" || pair.key == "memoryLimit" {
      findings.warn(at: pair.keyPlace, "'\(pair.key)' has no effect yet: memory is not simulated")
    }
    let modes = (node["backgroundModes"]?.elements ?? []).compactMap { $0.text.flatMap(BackgroundModes.init(fileName:)) }
    var returns: [Moment: Interval] = [:]
    for (moment, node) in moments(node["returns"]) { returns[moment] = node.interval }
    var on: [Moment: [Step]] = [:]
    for (moment, node) in moments(node["on"]) { on[moment] = ownCalls(node, of: id) }
    return ScenarioApp(
      identifier: pair.key,
      manifest: Manifest(
        backgroundModes: modes.reduce(into: []) { $0.formUnion($1) }, exitsOnSuspend: node["exitsOnSuspend"]?.flag ?? false,
        backgroundRefresh: node["backgroundRefresh"]?.text.flatMap(BackgroundRefreshStatus.init(fileName:)) ?? .available),
      footprint: node["footprint"]?.size, memoryLimit: node["memoryLimit"]?.size, returns: returns,
      endsTasksOnExpiration: node["endsTasksOnExpiration"]?.flag ?? true, on: on, place: pair.keyPlace)
  }

  private mutating func moments(_ node: SourceNode?) -> [(Moment, SourceNode)] {
    (node?.pairs ?? []).compactMap { pair in
      guard let moment = Moment(fileName: pair.key) else { return nil }
      if moment == .callback(.didReceiveMemoryWarning) {
        findings.warn(at: pair.keyPlace, "'didReceiveMemoryWarning' has no effect yet: memory is not simulated")
      }
      return (moment, pair.value)
    }
  }
}

extension ScenarioReader {
  /// The app that `node` names, or nil with an error.
  mutating func app(named node: SourceNode) -> AppID? {
    guard let name = node.text, !name.isEmpty else { return nil }
    if let app = appIndex[name] { return app }
    let some = Array(identifiers.prefix(8))
    let hint =
      NearestName.to(name, among: identifiers).map { "; did you mean '\($0)'?" } ?? NearestName.hint(for: name, among: some, "there are")
    findings.error(at: node.place, "unknown app '\(name)'\(hint)")
    return nil
  }

  mutating func begin(_ text: String, of app: AppID) -> UInt32 {
    let label = index(of: text)
    begun.insert(LabelOfApp(app: app, label: label))
    return label
  }

  mutating func end(_ text: String, of app: AppID, at place: SourcePlace) -> UInt32 {
    let label = index(of: text)
    ended.append((LabelOfApp(app: app, label: label), place))
    return label
  }

  private mutating func index(of label: String) -> UInt32 {
    if let index = labelIndex[label] { return index }
    let index = UInt32(labels.count)
    labels.append(label)
    labelIndex[label] = index
    return index
  }

  /// Ending a task that nobody begins is a slip of the pen; ending one twice, or too early, is something to simulate.
  private mutating func checkLabels() {
    for (end, place) in ended where !begun.contains(end) {
      let app = identifiers[Int(end.app.rawValue)]
      let own = labels.indices.filter { begun.contains(LabelOfApp(app: end.app, label: UInt32($0))) }.map { labels[$0] }
      let label = labels[Int(end.label)]
      let hint = NearestName.to(label, among: own).map { "; did you mean '\($0)'?" } ?? ""
      findings.error(at: place, "'\(app)' begins no task '\(label)' in this file\(hint)")
    }
  }
}
