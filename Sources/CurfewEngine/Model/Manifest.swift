/// What an app declares about itself, what the user has set for it, and what it takes up.
public struct Manifest: Hashable, Sendable {
  /// `UIBackgroundModes`.
  public var backgroundModes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`: the app opts out of the background (rule A9).
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// `BGTaskSchedulerPermittedIdentifiers`, by the host's numbers for them.
  public var permittedIdentifiers: [UInt32]
  /// Its memory in bytes; nil for the policy's figure.
  public var footprint: Int64?
  /// Its own memory limit in bytes; nil for the policy's, if that has one.
  public var memoryLimit: Int64?

  /// A manifest of these values; as a plain app has them where they are left out.
  public init(
    backgroundModes: BackgroundModes = [], exitsOnSuspend: Bool = false, backgroundRefresh: BackgroundRefreshStatus = .available,
    permittedIdentifiers: [UInt32] = [], footprint: Int64? = nil, memoryLimit: Int64? = nil
  ) {
    self.backgroundModes = backgroundModes
    self.exitsOnSuspend = exitsOnSuspend
    self.backgroundRefresh = backgroundRefresh
    self.permittedIdentifiers = permittedIdentifiers
    self.footprint = footprint
    self.memoryLimit = memoryLimit
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

/// `ProcessInfo.ThermalState`.
public enum ThermalState: UInt8, Hashable, Comparable, Sendable, BitwiseCopyable, CaseIterable {
  /// At ease.
  case nominal
  /// Slightly warm.
  case fair
  /// Hot: fans run, apps should do less.
  case serious
  /// Too hot.
  case critical

  /// Whether `a` is cooler than `b`.
  public static func < (a: ThermalState, b: ThermalState) -> Bool { a.rawValue < b.rawValue }
}

/// The device's facts that the engine looks at.
public struct DeviceFacts: Hashable, Sendable {
  /// The device's Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// Low Power Mode.
  public var lowPowerMode: Bool
  /// The battery in percent.
  public var battery: UInt8
  /// Whether it is on external power.
  public var isCharging: Bool
  /// Whether there is a network.
  public var hasNetwork: Bool
  /// The memory that apps share, in bytes; nil for the policy's figure.
  public var memory: Int64?
  /// How hot it is.
  public var thermal: ThermalState

  /// Facts of these values; a device at ease where they are left out.
  public init(
    backgroundRefresh: BackgroundRefreshStatus = .available, lowPowerMode: Bool = false, battery: UInt8 = 100, isCharging: Bool = false,
    hasNetwork: Bool = true, memory: Int64? = nil, thermal: ThermalState = .nominal
  ) {
    self.backgroundRefresh = backgroundRefresh
    self.lowPowerMode = lowPowerMode
    self.battery = battery
    self.isCharging = isCharging
    self.hasNetwork = hasNetwork
    self.memory = memory
    self.thermal = thermal
  }
}
