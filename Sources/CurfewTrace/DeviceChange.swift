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
  public var network: DeviceFacts.Network?
  /// The memory that apps share, in bytes.
  public var memory: Int64?
  /// How hot it is.
  public var thermal: ThermalState?
  /// Whether the Background App Refresh switch is off and not the user's to turn on. No scenario says so; a program's device may be.
  public var isRestricted = false
  /// Whether the memory is from now on what the policy says. Nor does a scenario say this.
  public var hasPolicysMemory = false

  /// A change of these facts and no others.
  public init(
    backgroundRefresh: Bool? = nil, lowPowerMode: Bool? = nil, battery: UInt8? = nil, charging: Bool? = nil,
    network: DeviceFacts.Network? = nil, memory: Int64? = nil, thermal: ThermalState? = nil
  ) {
    self.backgroundRefresh = backgroundRefresh
    self.lowPowerMode = lowPowerMode
    self.battery = battery
    self.charging = charging
    self.network = network
    self.memory = memory
    self.thermal = thermal
  }

  /// A change to `facts`, naming all of them.
  public init(_ facts: DeviceFacts) {
    self.init(
      backgroundRefresh: facts.backgroundRefresh == .available, lowPowerMode: facts.lowPowerMode, battery: facts.battery,
      charging: facts.isCharging, network: facts.network, memory: facts.memory,
      thermal: facts.thermal)
    isRestricted = facts.backgroundRefresh == .restricted
    hasPolicysMemory = facts.memory == nil
  }

  /// What is not as with a device at ease: a header's `device`.
  public init(differencesOf facts: DeviceFacts) {
    let ease = DeviceChange(DeviceFacts())
    self.init(facts)
    if backgroundRefresh == ease.backgroundRefresh { backgroundRefresh = nil }
    if lowPowerMode == ease.lowPowerMode { lowPowerMode = nil }
    if battery == ease.battery { battery = nil }
    if charging == ease.charging { charging = nil }
    if network == ease.network { network = nil }
    if thermal == ease.thermal { thermal = nil }
    hasPolicysMemory = false
  }

  /// Whether it names no fact at all.
  public var isEmpty: Bool { self == DeviceChange() }

  /// `facts` with this change. A switch that is turned on is available, whatever it was.
  public func applied(to facts: DeviceFacts) -> DeviceFacts {
    var facts = facts
    if let backgroundRefresh { facts.backgroundRefresh = backgroundRefresh ? .available : .denied }
    if isRestricted { facts.backgroundRefresh = .restricted }
    if let lowPowerMode { facts.lowPowerMode = lowPowerMode }
    if let battery { facts.battery = battery }
    if let charging { facts.isCharging = charging }
    if let network { facts.network = network }
    if let memory { facts.memory = memory }
    if hasPolicysMemory { facts.memory = nil }
    if let thermal { facts.thermal = thermal }
    return facts
  }
}
