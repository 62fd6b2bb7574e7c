/// What an app declares about itself, and what the user has set for it.
public struct Manifest: Hashable, Sendable {
  /// `UIBackgroundModes`.
  public var backgroundModes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`: the app opts out of the background (rule A9).
  public var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch.
  public var backgroundRefresh: BackgroundRefreshStatus

  /// A manifest of these values; as a plain app has them where they are left out.
  public init(
    backgroundModes: BackgroundModes = [], exitsOnSuspend: Bool = false, backgroundRefresh: BackgroundRefreshStatus = .available
  ) {
    self.backgroundModes = backgroundModes
    self.exitsOnSuspend = exitsOnSuspend
    self.backgroundRefresh = backgroundRefresh
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

/// The device's facts that admissions look at.
public struct DeviceFacts: Hashable, Sendable {
  /// The device's Background App Refresh switch.
  public var backgroundRefresh: Bool
  /// Low Power Mode.
  public var lowPowerMode: Bool
  /// Under 20 % and not charging.
  public var lowBattery: Bool

  /// Facts of these values; a device at ease where they are left out.
  public init(backgroundRefresh: Bool = true, lowPowerMode: Bool = false, lowBattery: Bool = false) {
    self.backgroundRefresh = backgroundRefresh
    self.lowPowerMode = lowPowerMode
    self.lowBattery = lowBattery
  }
}
