import CurfewEngine
public import CurfewPolicy
public import CurfewText

/// The first line of a trace.
public struct TraceHeader: Hashable, Sendable {
  /// The version of the format.
  static let version = "trace/2"

  /// The scenario's name.
  public var name: String
  /// The policy's name.
  public var policy: String
  /// The digest of the policy's values; replay refuses another.
  public var policyDigest: String
  /// What a program had set of that policy, by path: the digest is of the whole.
  public var settings: [ValueSetting]
  /// The seed of whatever was drawn; 0 where nothing was.
  public var seed: UInt64
  /// What counted the time of a run in real time: `monotonic` or `boottime`. nil for virtual time.
  public var clock: String?
  /// The apps in file order, each once: the order in which device-wide steps serve them. Written
  /// where there are several, and where others come later (`addApp`).
  public var apps: [String]
  /// Whether an only app is written, too.
  package var namesOnlyApp = false
  /// What of the device was not as with a device at ease.
  public var device: DeviceChange
  /// What is said at the start of facts of the device that the policy declares.
  public var facts: NamedFacts = [:]
  /// What apps declare that a plain app does not; each of them is one of `apps`.
  public var manifests: [String: AppManifest]

  /// A header of these parts.
  package init(
    name: String, policy: String, policyDigest: String, settings: [ValueSetting] = [], seed: UInt64,
    clock: String? = nil, apps: [String],
    device: DeviceChange = DeviceChange(), facts: NamedFacts = [:],
    manifests: [String: AppManifest] = [:]
  ) {
    self.name = name
    self.policy = policy
    self.policyDigest = policyDigest
    self.settings = settings
    self.seed = seed
    self.clock = clock
    self.apps = apps
    self.device = device
    self.facts = facts
    self.manifests = manifests
  }
}

/// A whole trace.
public struct Trace: Hashable, Sendable {
  /// Its first line.
  public var header: TraceHeader
  /// The others, in order.
  public var lines: [TraceLine]

  /// A trace of these lines.
  public init(header: TraceHeader, lines: [TraceLine]) {
    self.header = header
    self.lines = lines
  }
}
