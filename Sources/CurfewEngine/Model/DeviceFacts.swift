/// `ProcessInfo.ThermalState`.
public enum ThermalState: UInt8, Hashable, Comparable, Sendable, BitwiseCopyable, CaseIterable {
  /// Normal.
  case nominal
  /// Slightly warm.
  case fair
  /// Hot: fans run, and apps should do less.
  case serious
  /// Too hot.
  case critical

  /// Whether `a` is cooler than `b`.
  public static func < (a: ThermalState, b: ThermalState) -> Bool { a.rawValue < b.rawValue }
}

/// The facts of a device that the engine reads.
public struct DeviceFacts: Hashable, Sendable {
  /// The Background App Refresh switch of the device.
  public var backgroundRefresh: BackgroundRefreshStatus
  /// Whether Low Power Mode is on.
  public var lowPowerMode: Bool
  /// The battery level in percent.
  public var battery: UInt8
  /// Whether the device is on external power.
  public var charging: Bool
  /// The network connection.
  public var network: Network
  /// The memory that apps share, in bytes; nil for the policy's figure.
  public var memory: Int64?
  /// The thermal state.
  public var thermal: ThermalState
  /// The values of the policy's own facts of the device, set by `Event.setFact`, or by files at
  /// the start.
  public package(set) var declared = FactValues()

  /// Creates facts with these values. The defaults are those of a charged, cool device on Wi-Fi.
  public init(
    backgroundRefresh: BackgroundRefreshStatus = .available, lowPowerMode: Bool = false,
    battery: UInt8 = 100, charging: Bool = false,
    network: Network = .wifi, memory: Int64? = nil, thermal: ThermalState = .nominal
  ) {
    self.backgroundRefresh = backgroundRefresh
    self.lowPowerMode = lowPowerMode
    self.battery = battery
    self.charging = charging
    self.network = network
    self.memory = memory
    self.thermal = thermal
  }

  /// Whether the device has a network connection.
  package var hasNetwork: Bool { network != .none }

  /// The kind of network connection.
  public enum Network: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// None.
    case none
    /// Mobile data.
    case cellular
    /// Wi-Fi.
    case wifi
  }
}
