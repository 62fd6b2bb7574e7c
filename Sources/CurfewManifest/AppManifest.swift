public import CurfewEngine
public import CurfewText

/// What an app declares about itself, as its `Info.plist` does, what its user has set, and what it takes up.
public struct AppManifest: Hashable, Sendable {
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
  /// Whether each of its wakes has an expiration handler from the beginning, as a scenario's app has one; a program's wakes get theirs by `Wake.expirationHandler`.
  package var handlesWakeExpiration = false
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

  /// The engine's manifest, with the number that `number` gives each identifier.
  package func numbered(_ number: (String) -> UInt32) -> Manifest {
    Manifest(
      backgroundModes: backgroundModes, exitsOnSuspend: exitsOnSuspend, backgroundRefresh: backgroundRefresh,
      permittedIdentifiers: permittedIdentifiers.map(number), footprint: footprint, memoryLimit: memoryLimit,
      handlesWakeExpiration: handlesWakeExpiration)
  }

  /// What stands in a trace's manifests beside the fields: a scenario's app says it by what it does.
  package static let traced: [Attribute<AppManifest>] = [
    .init("wakeExpirationHandler", \.handlesWakeExpiration, .boolean, absent: false, "Whether its wakes have an expiration handler.")
  ]

  /// Its fields, in the order of files: the keys of a scenario's app, and of a trace's manifests.
  package static let fields: [Attribute<AppManifest>] = [
    .init("backgroundModes", \.backgroundModes, .words("mode"), absent: [], "UIBackgroundModes."),
    .init("exitsOnSuspend", \.exitsOnSuspend, .boolean, absent: false, "UIApplicationExitsOnSuspend; false where absent."),
    .init(
      "backgroundRefresh", \.backgroundRefresh, .word("status", among: [.available, .denied, .restricted]), absent: .available,
      "The app's own Background App Refresh switch; available where absent."),
    .init("permittedIdentifiers", \.permittedIdentifiers, .texts, absent: [], "BGTaskSchedulerPermittedIdentifiers; none where absent."),
    .init("footprint", \.footprint, .footprint, .optional, "Its memory; the policy's figure where absent."),
    .init("memoryLimit", \.memoryLimit, .size, .optional, "Its own memory limit; the policy's, if that has one, where absent."),
  ]
}

extension AppManifest {
  /// The manifest in an `Info.plist`, XML or binary.
  ///
  /// What is odd about the file stands in `warnings`: a mode that does not exist, a misspelt key, a variable that nobody filled.
  /// - Parameter variables: Build settings by name: `["PRODUCT_BUNDLE_IDENTIFIER": "com.example.mail"]` fills `$(PRODUCT_BUNDLE_IDENTIFIER)`.
  /// - Throws: What is wrong with the file, with its place.
  public init(infoPlist path: String, variables: [String: String] = [:]) throws(FileErrors) {
    self.init(try InfoPlist.read(path, variables: variables))
  }

  /// What `plist` declares, with its warnings.
  public init(_ plist: InfoPlist) {
    self.init(
      backgroundModes: plist.backgroundModes, exitsOnSuspend: plist.exitsOnSuspend, permittedIdentifiers: plist.permittedIdentifiers)
    remarks = ManifestRemarks(plist.warnings)
  }
}
