import CurfewEngine
import CurfewPolicy
import CurfewText

/// A header line as written; all keys are optional.
struct RawHeader: Decodable {
  var curfew: String?
  var name: String?
  var policy: String?
  var policyDigest: String?
  var set: [String: String]?
  var seed: UInt64?
  var clock: String?
  var continues: String?
  var apps: [String]?
  var device: [String: LooseValue]?
  var facts: [String]?
  var manifests: [String: [String: LooseValue]]?

  func header() throws(Refusal) -> TraceHeader {
    guard let version = curfew else {
      throw Refusal("a trace begins with a header: {\"curfew\":\"\(TraceHeader.version)\",…}")
    }
    guard version != "trace/1" else {
      throw Refusal(
        "trace/1 lacks values that a replay needs and is no longer read; record the run again: this version writes \(TraceHeader.version)"
      )
    }
    guard version == TraceHeader.version else {
      throw Refusal("expected '\(TraceHeader.version)', found '\(version)'")
    }
    if let clock, clock.isEmpty { throw Refusal("the key 'clock' is empty") }
    var apps = apps ?? []
    var known: Set<String> = []
    for app in apps where !known.insert(app).inserted {
      throw Refusal("the app '\(app)' occurs twice in 'apps'")
    }
    // Sorted by name, because a dictionary's order differs in each process, and so would the
    // first error.
    let declared = (self.manifests ?? [:]).sorted { $0.key < $1.key }
    var manifests: [String: AppManifest] = [:]
    for (app, object) in declared {
      var manifest = AppManifest()
      try object.read(AppManifest.fields + AppManifest.traced, into: &manifest)
      manifests[app] = manifest
    }
    var change = DeviceChange()
    if let device { try device.read(DeviceChange.values, into: &change) }
    // 'apps' is omitted if there is only one app.
    if apps.isEmpty, declared.count == 1 { apps = declared.map(\.key) }
    known = Set(apps)
    if let stranger = declared.first(where: { !known.contains($0.key) })?.key {
      throw Refusal("the app '\(stranger)' of 'manifests' is not in 'apps'")
    }
    var header = TraceHeader(
      name: try need(name, "name"), policy: try need(policy, "policy"),
      policyDigest: try need(policyDigest, "policyDigest"),
      settings: (set ?? [:]).sorted { $0.key < $1.key }.map {
        ValueSetting(path: $0.key, text: $0.value)
      }, seed: seed ?? 0, clock: clock,
      apps: apps, device: change, facts: try Notation.facts.read(.texts(facts ?? [])) ?? [:],
      manifests: manifests)
    header.continues = continues
    return header
  }

  private func need<Value>(_ value: Value?, _ key: String) throws(Refusal) -> Value {
    guard let value else { throw PlainObject.missing(key) }
    return value
  }
}
