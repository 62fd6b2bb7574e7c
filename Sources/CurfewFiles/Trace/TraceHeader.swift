public import CurfewEngine

/// The first line of a trace.
public struct TraceHeader: Hashable, Sendable {
  /// The scenario's name.
  public var name: String
  /// The policy's name.
  public var policy: String
  /// The digest of the policy's values; replay refuses another.
  public var policyDigest: String
  /// The seed of whatever was drawn; 0 where nothing was.
  public var seed: UInt64
  /// What counted the time of a run in real time: `monotonic` or `boottime`. nil for virtual time.
  ///
  /// Where there is one, every return and every advance that did something has a line, and replay guesses nothing.
  public var clock: String?
  /// The apps in file order, each once: the order in which device-wide steps serve them. Written where there are several.
  public var apps: [String]
  /// What of the device was not as with a device at ease.
  public var device: DeviceChange
  /// What apps declare that a plain app does not; each of them is one of `apps`.
  public var manifests: [String: TraceManifest]

  /// A header of these parts.
  public init(
    name: String, policy: String, policyDigest: String, seed: UInt64, clock: String? = nil, apps: [String],
    device: DeviceChange = DeviceChange(), manifests: [String: TraceManifest] = [:]
  ) {
    self.name = name
    self.policy = policy
    self.policyDigest = policyDigest
    self.seed = seed
    self.clock = clock
    self.apps = apps
    self.device = device
    self.manifests = manifests
  }
}

/// What an app declares about itself, what its user has set, and what it takes up: the engine's `Manifest` with texts for numbers.
public struct TraceManifest: Hashable, Sendable {
  /// `UIBackgroundModes`.
  public var backgroundModes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`.
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// `BGTaskSchedulerPermittedIdentifiers`.
  public var permittedIdentifiers: [String]
  /// Its memory in bytes; nil for the policy's figure.
  public var footprint: Int64?
  /// Its own memory limit in bytes; nil for the policy's.
  public var memoryLimit: Int64?
  /// See `warnings`.
  package var remarks = ManifestRemarks()

  /// A manifest of these values; as a plain app has them where they are left out.
  public init(
    backgroundModes: BackgroundModes = [], exitsOnSuspend: Bool = false, backgroundRefresh: BackgroundRefreshStatus = .available,
    permittedIdentifiers: [String] = [], footprint: Int64? = nil, memoryLimit: Int64? = nil
  ) {
    self.backgroundModes = backgroundModes
    self.exitsOnSuspend = exitsOnSuspend
    self.backgroundRefresh = backgroundRefresh
    self.permittedIdentifiers = permittedIdentifiers
    self.footprint = footprint
    self.memoryLimit = memoryLimit
  }

  /// `manifest`, whose identifiers are indices into `labels`.
  public init(_ manifest: Manifest, labels: [String]) {
    self.init(
      backgroundModes: manifest.backgroundModes, exitsOnSuspend: manifest.exitsOnSuspend, backgroundRefresh: manifest.backgroundRefresh,
      permittedIdentifiers: manifest.permittedIdentifiers.map { labels[Int($0)] }, footprint: manifest.footprint,
      memoryLimit: manifest.memoryLimit)
  }

  /// The engine's manifest, with the number that `number` gives each identifier.
  func manifest(_ number: (String) -> UInt32) -> Manifest {
    Manifest(
      backgroundModes: backgroundModes, exitsOnSuspend: exitsOnSuspend, backgroundRefresh: backgroundRefresh,
      permittedIdentifiers: permittedIdentifiers.map(number), footprint: footprint, memoryLimit: memoryLimit)
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
