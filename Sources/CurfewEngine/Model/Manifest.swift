/// The manifest of an app, with the user's settings for it and its memory.
public struct Manifest: Hashable, Sendable {
  /// `UIBackgroundModes`.
  public var backgroundModes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`: the app opts out of the background (rule A9).
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// The values set for the policy's own facts of the app.
  public var facts: FactValues
  /// `BGTaskSchedulerPermittedIdentifiers`, as the host's numbers.
  public var permittedIdentifiers: [UInt32]
  /// The app's memory in bytes; nil for the policy's figure.
  public var footprint: Int64?
  /// The app's own memory limit in bytes; nil for the policy's limit, if the policy has a limit.
  public var memoryLimit: Int64?
  /// The cost of starting the app again after a purge; nil for the policy's figure. Used if
  /// the policy purges the `leastCostly` first.
  public var startCost: Interval?
  /// Whether each of its wakes has an expiration handler from the beginning (rule W6). A program
  /// sets a handler with `Event.setWakeHandler`.
  public var handlesWakeExpiration: Bool

  /// Creates a manifest with these values. The defaults are those of a plain app.
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
