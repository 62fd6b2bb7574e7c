/// A value of the engine that has a name in files.
package protocol FileNamed: Sendable {
  /// Every value that has a name, in the order in which lists print them.
  static var named: [Self] { get }
  /// The name in policy, scenario and trace files.
  var fileName: String { get }
}

extension FileNamed {
  /// Creates the value that files call `fileName`, or returns nil.
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

extension BackgroundModes: FileNamed {
  /// The standard modes, in order.
  package static let named: [BackgroundModes] = standardNames.indices.map {
    BackgroundModes(place: $0)
  }

  /// The name of a single standard mode; for several, their names separated by commas.
  package var fileName: String { fileNames.joined(separator: ", ") }

  /// The names of the standard modes in this set, in order.
  package var fileNames: [String] {
    BackgroundModes.standardNames.indices.filter { contains(BackgroundModes(place: $0)) }.map {
      BackgroundModes.standardNames[$0]
    }
  }
}

extension BackgroundModes: CustomStringConvertible {
  /// The names of the standard modes: `audio, fetch`; `none` for no mode.
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
  /// The name as a key of `on:` and `returns:`. At a delivery, traces print UIKit's
  /// selector instead.
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

extension AppCall: FileNamed {
  /// Every value that has a name in all policies, in order.
  package static let named: [AppCall] =
    Callback.named.map(AppCall.callback) + [
      .expirationHandler, .wakeExpirationHandler, .sessionExpirationHandler,
    ]
    + AssertionKind.standard.filter { $0.asStandard?.class == .wake }.map {
      .wake(KindName.standard[Int($0.rawValue)])
    }

  /// The name in files.
  package var fileName: String {
    switch self {
    case .callback(let callback): callback.fileName
    case .expirationHandler: "expirationHandler"
    case .wakeExpirationHandler: "wakeExpirationHandler"
    case .sessionExpirationHandler: "sessionExpirationHandler"
    case .wake(let kind): kind.rawValue
    }
  }
}
