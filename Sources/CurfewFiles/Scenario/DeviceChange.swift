public import CurfewEngine

/// Facts of a device that a file names; nil for what it leaves as it is.
public struct DeviceChange: Hashable, Sendable {
  /// The Background App Refresh switch: on or off.
  public var backgroundRefresh: Bool?
  /// Low Power Mode.
  public var lowPowerMode: Bool?
  /// The battery in percent.
  public var battery: UInt8?
  /// Whether the device is charging.
  public var charging: Bool?
  /// How it is connected.
  public var network: ScenarioDevice.Network?
  /// The memory that apps share, in bytes.
  public var memory: Int64?
  /// How hot it is.
  public var thermal: ThermalState?

  /// A change of these facts and no others.
  public init(
    backgroundRefresh: Bool? = nil, lowPowerMode: Bool? = nil, battery: UInt8? = nil, charging: Bool? = nil,
    network: ScenarioDevice.Network? = nil, memory: Int64? = nil, thermal: ThermalState? = nil
  ) {
    self.backgroundRefresh = backgroundRefresh
    self.lowPowerMode = lowPowerMode
    self.battery = battery
    self.charging = charging
    self.network = network
    self.memory = memory
    self.thermal = thermal
  }

  /// Whether it names no fact at all.
  public var isEmpty: Bool { self == DeviceChange() }

  /// `facts` with this change. A switch that is turned on is available, whatever it was.
  public func applied(to facts: DeviceFacts) -> DeviceFacts {
    var facts = facts
    if let backgroundRefresh { facts.backgroundRefresh = backgroundRefresh ? .available : .denied }
    if let lowPowerMode { facts.lowPowerMode = lowPowerMode }
    if let battery { facts.battery = battery }
    if let charging { facts.isCharging = charging }
    if let network { facts.hasNetwork = network != ScenarioDevice.Network.none }
    if let memory { facts.memory = memory }
    if let thermal { facts.thermal = thermal }
    return facts
  }
}
