import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Turns a scenario's tree into values, and finds errors that a shape cannot express: names
/// of apps, the order of times, labels.
///
/// Values that do not fit their shape have been reported before this runs. They are skipped here,
/// so that one mistake gives one error.
struct ScenarioReader: PolicyNameReader {
  let source: SourceFile
  private let override: PolicyFile?
  /// The policy that the scenario runs under, once it has been read.
  private(set) var known: PolicyFile?
  var findings = Findings()
  var names = ScenarioNames()
  /// The property lists that were read, and their warnings.
  var manifests:
    (
      lists: [String: InfoPlist], files: [String], warnings: [FileDiagnostic],
      told: Set<FileDiagnostic>
    ) = ([:], [], [], [])
  private(set) var identifiers: [String] = []
  private var appIndex: [String: AppID] = [:]

  init(_ source: SourceFile, policy override: PolicyFile?) {
    self.source = source
    self.override = override
  }

  mutating func read() throws(FileErrors) -> Scenario {
    let root = try SourceDocument.parse(source, version: ScenarioSchema.version, &findings)
    findings.add(ShapeCheck.findings(in: root, .record(ScenarioSchema.file)))
    let policy = policy(root, unless: override)
    known = policy
    let facts = factsAtStart(root["device"])
    let device = deviceAtStart(root["device"], facts)
    let apps = apps(root["apps"])
    let timeline = timeline(root["timeline"], policy)
    let until = root["until"].flatMap { instant($0) }
    checkReach(
      of: root["apps"], after: [timeline.last?.at, until].compactMap(\.self).min() ?? .zero)
    let expectations = expectations(root["expect"])
    names.check(apps: identifiers, &findings)
    try findings.throwIfAny(in: source.name)
    guard let policy else { preconditionFailure("The policy of \(source.name) is missing") }
    return Scenario(
      name: root["name"]?.text ?? "", policy: policy, until: until, device: device, facts: facts,
      apps: apps, timeline: timeline,
      expectations: expectations, file: source.name,
      files: [source.path].compactMap(\.self) + manifests.files + policy.files,
      warnings: findings.warnings + manifests.warnings)
  }

  private mutating func deviceAtStart(_ node: SourceNode?, _ facts: NamedFacts) -> DeviceFacts {
    checkSizes(node)
    var device = DeviceChange(node).applied(to: DeviceFacts())
    if let policyNames { device.declared = facts.numbered(policyNames) }
    return device
  }

  private mutating func factsAtStart(_ node: SourceNode?) -> NamedFacts {
    guard let node = node?["facts"], let plain = node.plain(as: .list(.text)) else { return [:] }
    checkFacts(node, ofApp: false)
    return (try? Notation.facts.read(plain)) ?? [:]
  }

  private mutating func apps(_ node: SourceNode?) -> [ScenarioApp] {
    guard let node, case .mapping(let pairs) = node.content else { return [] }
    if pairs.isEmpty { findings.error(at: node.place, "a scenario needs at least one app") }
    for (index, pair) in pairs.enumerated() {
      identifiers.append(pair.key)
      appIndex[pair.key] = AppID(rawValue: UInt32(index))
    }
    return pairs.enumerated().map { index, pair in app(pair, AppID(rawValue: UInt32(index))) }
  }

  /// The app that `node` names; nil, with an error, if there is none.
  mutating func app(named node: SourceNode) -> AppID? {
    guard let name = node.text, !name.isEmpty else { return nil }
    if let app = appIndex[name] { return app }
    let known = identifiers
    findings.error(at: node.place) { search in
      "unknown app '\(name)'"
        + search.hint(for: name, among: known, "apps include", telling: Array(known.prefix(8)))
    }
    return nil
  }
}

extension SourceNode {
  /// A time of the timeline.
  var instant: Instant? { interval.map { Instant(nanoseconds: $0.nanoseconds) } }
  var interval: Interval? { text.flatMap { try? DurationText.read($0) } }
  var flag: Bool? { text.flatMap { try? BooleanText.read($0) } }
}
