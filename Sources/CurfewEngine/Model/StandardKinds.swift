/// A kind that every policy knows by name, even without a row for it.
package struct StandardKind: Sendable {
  /// The name in files.
  package let name: String
  /// The class.
  package let `class`: AssertionClass
  /// For a session, the mode that the session requires by default; the session *is* this mode.
  package let mode: BackgroundModes
  /// For a wake, how it starts.
  package let start: WakeStart

  /// All standard kinds. A kind's number is its place.
  package static let all: [StandardKind] = [
    StandardKind(name: "finiteTask", class: .task, mode: [], start: .event),
    .session("audio", .audio), .session("location", .location), .session("voip", .voip),
    .session("external-accessory", .externalAccessory),
    .session("bluetooth-central", .bluetoothCentral),
    .session("bluetooth-peripheral", .bluetoothPeripheral),
    .wake("fetch", .opportunity), .wake("remoteNotification"), .wake("newsstand"),
    .wake("significantLocation"), .wake("region"),
    .wake("bluetoothData"), .wake("accessoryData"), .wake("voipPush"),
    .wake("voipKeepAlive", .interval), .wake("urlSession"),
    .wake("appRefresh", .request), .wake("processing", .request),
  ]

  private static func session(_ name: String, _ mode: BackgroundModes) -> StandardKind {
    StandardKind(name: name, class: .session, mode: mode, start: .event)
  }

  private static func wake(_ name: String, _ start: WakeStart = .event) -> StandardKind {
    StandardKind(name: name, class: .wake, mode: [], start: start)
  }
}

// This is the only list: nothing else in the engine names a kind or a mode.

extension AssertionKind {
  /// A finite-length task: `beginBackgroundTask`.
  public static let finiteTask = AssertionKind(rawValue: 0)

  /// Audio is playing.
  public static let audio = AssertionKind(rawValue: 1)
  /// Location updates are on.
  public static let location = AssertionKind(rawValue: 2)
  /// A call is active.
  public static let voip = AssertionKind(rawValue: 3)
  /// An external accessory is in use.
  public static let externalAccessory = AssertionKind(rawValue: 4)
  /// A Bluetooth connection is in use, with the device as central.
  public static let bluetoothCentral = AssertionKind(rawValue: 5)
  /// A Bluetooth connection is in use, with the device as peripheral.
  public static let bluetoothPeripheral = AssertionKind(rawValue: 6)

  /// Background fetch.
  public static let fetch = AssertionKind(rawValue: 7)
  /// A silent push.
  public static let remoteNotification = AssertionKind(rawValue: 8)
  /// A new issue of a magazine is available.
  public static let newsstand = AssertionKind(rawValue: 9)
  /// The device has moved a significant distance.
  public static let significantLocation = AssertionKind(rawValue: 10)
  /// The device has entered or left a region.
  public static let region = AssertionKind(rawValue: 11)
  /// A Bluetooth device has sent data.
  public static let bluetoothData = AssertionKind(rawValue: 12)
  /// An external accessory has sent data.
  public static let accessoryData = AssertionKind(rawValue: 13)
  /// A call is coming in.
  public static let voipPush = AssertionKind(rawValue: 14)
  /// `setKeepAliveTimeout`.
  public static let voipKeepAlive = AssertionKind(rawValue: 15)
  /// A background transfer is complete.
  public static let urlSession = AssertionKind(rawValue: 16)
  /// `BGAppRefreshTask`.
  public static let appRefresh = AssertionKind(rawValue: 17)
  /// `BGProcessingTask`.
  public static let processing = AssertionKind(rawValue: 18)

  /// The standard kinds, in the order of their numbers.
  package static let standard = StandardKind.all.indices.map { AssertionKind(rawValue: UInt8($0)) }

  /// The kind's entry in the standard list; nil for a policy's own kind.
  package var asStandard: StandardKind? {
    StandardKind.all.indices.contains(Int(rawValue)) ? StandardKind.all[Int(rawValue)] : nil
  }
}

extension BackgroundModes {
  /// `audio`
  public static let audio = BackgroundModes(place: 0)
  /// `location`
  public static let location = BackgroundModes(place: 1)
  /// `voip`
  public static let voip = BackgroundModes(place: 2)
  /// `external-accessory`
  public static let externalAccessory = BackgroundModes(place: 3)
  /// `newsstand-content`
  public static let newsstandContent = BackgroundModes(place: 4)
  /// `fetch`
  public static let fetch = BackgroundModes(place: 5)
  /// `remote-notification`
  public static let remoteNotification = BackgroundModes(place: 6)
  /// `bluetooth-central`
  public static let bluetoothCentral = BackgroundModes(place: 7)
  /// `bluetooth-peripheral`
  public static let bluetoothPeripheral = BackgroundModes(place: 8)
  /// `processing`
  public static let processing = BackgroundModes(place: 9)

  /// The names of the standard modes, in the order of their bits.
  package static let standardNames = [
    "audio", "location", "voip", "external-accessory", "newsstand-content", "fetch",
    "remote-notification", "bluetooth-central",
    "bluetooth-peripheral", "processing",
  ]
}
