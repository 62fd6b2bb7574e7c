/// The kinds of reason to run in the background. One table for all: a kind differs from another only in its row of the policy.
public enum AssertionKind: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// A finite-length task: `beginBackgroundTask`.
  case finiteTask

  // Sessions: on while the app is at it. A session's kind is its background mode.
  case audio, location, voip, externalAccessory, bluetoothCentral, bluetoothPeripheral

  // Wakes: an arriving event.
  case fetch, remoteNotification, newsstand, significantLocation, region, bluetoothData, accessoryData, voipPush, voipKeepAlive, urlSession
  case appRefresh, processing

  /// What a kind is: begun by the app and finite, on while the app is at it, or asked for by an event.
  package enum Class: UInt8, Hashable, Sendable, BitwiseCopyable { case task, session, wake }

  /// This kind's class.
  package var `class`: Class {
    switch self {
    case .finiteTask: .task
    case .audio, .location, .voip, .externalAccessory, .bluetoothCentral, .bluetoothPeripheral: .session
    case .fetch, .remoteNotification, .newsstand, .significantLocation, .region, .bluetoothData, .accessoryData, .voipPush,
      .voipKeepAlive, .urlSession, .appRefresh, .processing:
      .wake
    }
  }

  /// The mode that *is* this session; empty for tasks and wakes.
  package var sessionMode: BackgroundModes {
    switch self {
    case .audio: .audio
    case .location: .location
    case .voip: .voip
    case .externalAccessory: .externalAccessory
    case .bluetoothCentral: .bluetoothCentral
    case .bluetoothPeripheral: .bluetoothPeripheral
    case .finiteTask, .fetch, .remoteNotification, .newsstand, .significantLocation, .region, .bluetoothData, .accessoryData, .voipPush,
      .voipKeepAlive, .urlSession, .appRefresh, .processing:
      []
    }
  }
}

/// The values of `UIBackgroundModes`: what a manifest declares.
public struct BackgroundModes: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// One bit a mode.
  public let rawValue: UInt16

  /// The modes with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `audio`
  public static let audio = BackgroundModes(rawValue: 1 << 0)
  /// `location`
  public static let location = BackgroundModes(rawValue: 1 << 1)
  /// `voip`
  public static let voip = BackgroundModes(rawValue: 1 << 2)
  /// `external-accessory`
  public static let externalAccessory = BackgroundModes(rawValue: 1 << 3)
  /// `newsstand-content`
  public static let newsstandContent = BackgroundModes(rawValue: 1 << 4)
  /// `fetch`
  public static let fetch = BackgroundModes(rawValue: 1 << 5)
  /// `remote-notification`
  public static let remoteNotification = BackgroundModes(rawValue: 1 << 6)
  /// `bluetooth-central`
  public static let bluetoothCentral = BackgroundModes(rawValue: 1 << 7)
  /// `bluetooth-peripheral`
  public static let bluetoothPeripheral = BackgroundModes(rawValue: 1 << 8)
  /// `processing`
  public static let processing = BackgroundModes(rawValue: 1 << 9)
}
