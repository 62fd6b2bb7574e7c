import CurfewEngine
import CurfewText

/// A header's line as it is written, all keys optional.
struct RawHeader: RawObject {
  var curfew: String?
  var name: String?
  var policy: String?
  var policyDigest: String?
  var seed: UInt64?
  var clock: String?
  var apps: [String]?
  var device: RawDevice?
  var manifests: [String: RawManifest]?

  func header() throws(Refusal) -> TraceHeader {
    guard let version = curfew else { throw Refusal("a trace begins with a header: {\"curfew\":\"trace/1\",…}") }
    guard version == "trace/1" else { throw Refusal("this reads trace/1, found '\(version)'") }
    if let clock, clock.isEmpty { throw Refusal("the key 'clock' names no clock") }
    var apps = apps ?? []
    var known: Set<String> = []
    for app in apps where !known.insert(app).inserted { throw Refusal("the app '\(app)' stands twice in 'apps'") }
    // By name: a dictionary's own order is another in each process, and so would be the error that comes first.
    let declared = (self.manifests ?? [:]).sorted { $0.key < $1.key }
    var manifests: [String: TraceManifest] = [:]
    for (app, raw) in declared { manifests[app] = try raw.manifest() }
    // An app that is the only one is not in 'apps'.
    if apps.isEmpty, declared.count == 1 { apps = declared.map(\.key) }
    known = Set(apps)
    if let stranger = declared.first(where: { !known.contains($0.key) })?.key {
      throw Refusal("the app '\(stranger)' of 'manifests' is not in 'apps'")
    }
    return TraceHeader(
      name: try need(name, "name"), policy: try need(policy, "policy"), policyDigest: try need(policyDigest, "policyDigest"),
      seed: seed ?? 0, clock: clock, apps: apps, device: try device?.change() ?? DeviceChange(), manifests: manifests)
  }
}

/// A device's facts as they are written.
struct RawDevice: RawObject {
  var backgroundRefresh: Switch?
  var lowPowerMode: Bool?
  var battery: String?
  var charging: Bool?
  var network: String?
  var memory: String?
  var thermal: String?

  /// On, off, or a word.
  enum Switch: Decodable {
    case flag(Bool)
    case word(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else {
        self = .word(try container.decode(String.self))
      }
    }
  }

  func change() throws(Refusal) -> DeviceChange {
    var change = DeviceChange(lowPowerMode: lowPowerMode, charging: charging)
    switch backgroundRefresh {
    case nil: break
    case .flag(let isOn): change.backgroundRefresh = isOn
    case .word(DeviceWords.restricted): (change.backgroundRefresh, change.isRestricted) = (false, true)
    case .word(let word): throw unknown(word, "backgroundRefresh")
    }
    if let battery { change.battery = UInt8(try PercentageText.read(battery)) }
    if let network {
      change.network = try named(network, "network")
    }
    if memory == DeviceWords.policysMemory {
      change.hasPolicysMemory = true
    } else if let memory {
      change.memory = try SizeText.read(memory)
    }
    if let thermal { change.thermal = try named(thermal, "thermal") }
    return change
  }
}

/// A manifest as it is written.
struct RawManifest: RawObject {
  var backgroundModes: [String]?
  var exitsOnSuspend: Bool?
  var backgroundRefresh: String?
  var permittedIdentifiers: [String]?
  var footprint: String?
  var memoryLimit: String?

  func manifest() throws(Refusal) -> TraceManifest {
    var manifest = TraceManifest(exitsOnSuspend: exitsOnSuspend ?? false, permittedIdentifiers: permittedIdentifiers ?? [])
    for name in backgroundModes ?? [] { manifest.backgroundModes.formUnion(try named(name, "backgroundModes")) }
    if let backgroundRefresh { manifest.backgroundRefresh = try named(backgroundRefresh, "backgroundRefresh") }
    if let footprint { manifest.footprint = try SizeText.read(footprint) }
    if let memoryLimit { manifest.memoryLimit = try SizeText.read(memoryLimit) }
    return manifest
  }
}
