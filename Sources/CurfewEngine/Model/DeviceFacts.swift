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
  /// How it is connected.
  public var network: Network
  /// The memory that apps share, in bytes; nil for the policy's figure.
  public var memory: Int64?
  /// How hot it is.
  public var thermal: ThermalState
  /// What has been said of the policy's own facts of the device: by `Event.setFact`, and by files
  /// at the start.
  public package(set) var declared = FactValues()

  /// Facts of these values; a device at ease where they are left out.
  public init(
    backgroundRefresh: BackgroundRefreshStatus = .available, lowPowerMode: Bool = false,
    battery: UInt8 = 100, isCharging: Bool = false,
    network: Network = .wifi, memory: Int64? = nil, thermal: ThermalState = .nominal
  ) {
    self.backgroundRefresh = backgroundRefresh
    self.lowPowerMode = lowPowerMode
    self.battery = battery
    self.isCharging = isCharging
    self.network = network
    self.memory = memory
    self.thermal = thermal
  }

  /// Whether it is connected at all.
  package var hasNetwork: Bool { network != .none }

  /// How a device is connected.
  public enum Network: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// Not at all.
    case none
    /// By mobile data.
    case cellular
    /// By Wi-Fi.
    case wifi
  }
}
