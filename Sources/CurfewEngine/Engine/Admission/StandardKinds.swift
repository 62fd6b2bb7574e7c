/// What the engine treats apart in a kind, beside its class and its row of the policy.
struct KindTraits: OptionSet {
  let rawValue: UInt8

  /// Apps submit requests for it (rule W5).
  static let isRequested = KindTraits(rawValue: 1 << 0)
  /// Runs only while nobody is at the device (rule W5).
  static let waitsForIdle = KindTraits(rawValue: 1 << 1)
  /// Its results move the next of the system's own (rule W3).
  static let isPacedByResults = KindTraits(rawValue: 1 << 2)
  /// Keeps an app from being purged as long as others are left (rule M1).
  static let isPurgedLast = KindTraits(rawValue: 1 << 3)
}

/// The one list: nothing else in the engine names a kind, but for the public tables in `AssertionKind`.
extension AssertionKind {
  /// What `beginTask` begins.
  static let ofTasks = finiteTask
  /// What `setMinimumFetchInterval` sets off.
  static let ofFetches = fetch
  /// What `setKeepAlive` sets off.
  static let ofKeepAlives = voipKeepAlive

  var traits: KindTraits {
    switch self {
    case .audio, .externalAccessory: .isPurgedLast
    case .fetch: .isPacedByResults
    case .appRefresh: .isRequested
    case .processing: [.isRequested, .waitsForIdle]
    case .finiteTask, .location, .voip, .bluetoothCentral, .bluetoothPeripheral, .remoteNotification, .newsstand, .significantLocation,
      .region, .bluetoothData, .accessoryData, .voipPush, .voipKeepAlive, .urlSession:
      []
    }
  }
}
