/// What an app declares about itself, what the user has set for it, and what it takes up.
public struct Manifest: Hashable, Sendable {
  /// `UIBackgroundModes`.
  public var backgroundModes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`: the app opts out of the background (rule A9).
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// What has been said of the policy's own facts of an app.
  public var facts: FactValues
  /// `BGTaskSchedulerPermittedIdentifiers`, by the host's numbers for them.
  public var permittedIdentifiers: [UInt32]
  /// Its memory in bytes; nil for the policy's figure.
  public var footprint: Int64?
  /// Its own memory limit in bytes; nil for the policy's, if that has one.
  public var memoryLimit: Int64?
  /// What it costs to start it again once it has been purged; nil for the policy's figure. Looked
  /// at where the policy purges the `leastCostly` first.
  public var startCost: Interval?
  /// Whether each of its wakes has an expiration handler from the beginning (rule W6). A program's
  /// gets one by `Event.setWakeHandler`.
  public var handlesWakeExpiration: Bool

  /// A manifest of these values; as a plain app has them where they are left out.
  public init(
    backgroundModes: BackgroundModes = [], exitsOnSuspend: Bool = false,
    backgroundRefresh: BackgroundRefreshStatus = .available,
    facts: FactValues = FactValues(), permittedIdentifiers: [UInt32] = [], footprint: Int64? = nil,
    memoryLimit: Int64? = nil,
    startCost: Interval? = nil, handlesWakeExpiration: Bool = false
  ) {
    self.backgroundModes = backgroundModes
    self.exitsOnSuspend = exitsOnSuspend
    self.backgroundRefresh = backgroundRefresh
    self.facts = facts
    self.permittedIdentifiers = permittedIdentifiers
    self.footprint = footprint
    self.memoryLimit = memoryLimit
    self.startCost = startCost
    self.handlesWakeExpiration = handlesWakeExpiration
  }
}

/// `UIBackgroundRefreshStatus` (rule B1).
public enum BackgroundRefreshStatus: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// Off, and the user cannot turn it on.
  case restricted
  /// Off, for the app or the device.
  case denied
  /// On.
  case available
}
