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
  /// The digest of the policy's values. Replay refuses any other policy.
  public var policyDigest: String
  /// The policy's values that a program set, by path. The digest includes them.
  public var settings: [ValueSetting]
  /// The seed of random numbers; 0 if none were drawn.
  public var seed: UInt64
  /// The clock of a run in real time: `monotonic` or `boottime`. nil for virtual time.
  public var clock: String?
  /// The apps in file order, each once. A step of the whole device handles the apps in this order.
  /// The key is written if there are several apps, or if apps are added later (`addApp`).
  public var apps: [String]
  /// Whether `apps` is written even for a single app.
  package var namesOnlyApp = false
  /// The device's facts that differ from the defaults.
  public var device: DeviceChange
  /// The initial values of the device's facts that the policy declares.
  public var facts: NamedFacts = [:]
  /// The name of the older file that the trace continues; nil if there is none.
  public var continues: String?
  /// The manifests that differ from the default, by app; each of these apps is one of `apps`.
  public var manifests: [String: AppManifest]

  /// Creates a header.
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
  /// The first line.
  public var header: TraceHeader
  /// The other lines, in order.
  public var lines: [TraceLine]

  /// Creates a trace of these lines.
  public init(header: TraceHeader, lines: [TraceLine]) {
    self.header = header
    self.lines = lines
  }
}
