/// A value of the engine that files call by a name.
package protocol FileNamed: Sendable {
  /// Every value that has a name, in the order in which lists tell them.
  static var named: [Self] { get }
  /// The name in policy, scenario and trace files.
  var fileName: String { get }
}

extension FileNamed {
  /// The value that files call `fileName`, or nil.
  ///
  /// - Complexity: O(n) in the number of names.
  package init?(fileName: String) {
    guard let value = Self.named.first(where: { $0.fileName == fileName }) else { return nil }
    self = value
  }

  /// Every name, in order.
  package static var fileNames: [String] { named.map(\.fileName) }
}

extension FileNamed where Self: CaseIterable {
  /// Every value, in the order of declaration.
  package static var named: [Self] { Array(allCases) }
}

extension AppState: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .notRunning: "notRunning"
    case .inactive: "inactive"
    case .active: "active"
    case .background: "background"
    case .suspended: "suspended"
    }
  }
}

extension AssertionKind: FileNamed {
  /// A session's name is its mode's.
  package var fileName: String {
    switch self {
    case .finiteTask: "finiteTask"
    case .audio: "audio"
    case .location: "location"
    case .voip: "voip"
    case .externalAccessory: "external-accessory"
    case .bluetoothCentral: "bluetooth-central"
    case .bluetoothPeripheral: "bluetooth-peripheral"
    case .fetch: "fetch"
    case .remoteNotification: "remoteNotification"
    case .newsstand: "newsstand"
    case .significantLocation: "significantLocation"
    case .region: "region"
    case .bluetoothData: "bluetoothData"
    case .accessoryData: "accessoryData"
    case .voipPush: "voipPush"
    case .voipKeepAlive: "voipKeepAlive"
    case .urlSession: "urlSession"
    case .appRefresh: "appRefresh"
    case .processing: "processing"
    }
  }

  /// The kinds that are sessions.
  package static let sessions = allCases.filter { $0.class == .session }
  /// The kinds that are wakes.
  package static let wakes = allCases.filter { $0.class == .wake }
}

extension BackgroundModes: FileNamed {
  /// Every value that has a name, in order.
  package static let named: [BackgroundModes] = [
    .audio, .location, .voip, .externalAccessory, .newsstandContent, .fetch, .remoteNotification, .bluetoothCentral, .bluetoothPeripheral,
    .processing,
  ]

  /// The name of a single mode; of several, their names with commas.
  package var fileName: String {
    switch self {
    case .audio: "audio"
    case .location: "location"
    case .voip: "voip"
    case .externalAccessory: "external-accessory"
    case .newsstandContent: "newsstand-content"
    case .fetch: "fetch"
    case .remoteNotification: "remote-notification"
    case .bluetoothCentral: "bluetooth-central"
    case .bluetoothPeripheral: "bluetooth-peripheral"
    case .processing: "processing"
    default: fileNames.joined(separator: ", ")
    }
  }

  /// The names of the modes in this set, in order.
  package var fileNames: [String] { BackgroundModes.named.filter(contains).map(\.fileName) }
}

extension BackgroundModes: CustomStringConvertible {
  /// Their names: `audio, fetch`; `none` for no mode.
  public var description: String { isEmpty ? "none" : fileName }
}

extension BackgroundRefreshStatus: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .restricted: "restricted"
    case .denied: "denied"
    case .available: "available"
    }
  }
}

extension ThermalState: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .nominal: "nominal"
    case .fair: "fair"
    case .serious: "serious"
    case .critical: "critical"
    }
  }
}

extension DeviceFacts.Network: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .none: "none"
    case .cellular: "cellular"
    case .wifi: "wifi"
    }
  }
}

extension LocalNotificationFate: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .shown: "shown"
    case .delivered: "delivered"
    }
  }
}

extension Callback: FileNamed {
  /// The name as a key of `on:` and `returns:`; traces print UIKit's selectors where a callback is delivered.
  package var fileName: String {
    switch self {
    case .willFinishLaunching: "willFinishLaunching"
    case .didFinishLaunching: "didFinishLaunching"
    case .didBecomeActive: "didBecomeActive"
    case .willResignActive: "willResignActive"
    case .didEnterBackground: "didEnterBackground"
    case .willEnterForeground: "willEnterForeground"
    case .willTerminate: "willTerminate"
    case .didReceiveMemoryWarning: "didReceiveMemoryWarning"
    }
  }
}

extension Moment: FileNamed {
  /// Every value that has a name, in order.
  package static let named: [Moment] =
    Callback.named.map(Moment.callback) + [.expirationHandler, .wakeExpirationHandler] + AssertionKind.wakes.map(Moment.wake)

  /// The name in files.
  package var fileName: String {
    switch self {
    case .callback(let callback): callback.fileName
    case .expirationHandler: "expirationHandler"
    case .wakeExpirationHandler: "wakeExpirationHandler"
    case .wake(let kind): kind.fileName
    }
  }
}
