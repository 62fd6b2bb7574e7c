/// A fact that every policy knows by name. This file alone defines it: its name and bit, when it
/// holds, the reasons under which it denies, and its texts for people.
///
/// A case's raw value is its bit in a `FactSet`.
package enum StandardFact: Int, CaseIterable, Sendable {
  case backgroundRefresh, lowPowerMode, lowBattery, charging, connected, wifi
  case thermalFair, thermalSerious, thermalCritical
  case locked, userPresent

  /// The names, reasons and texts of a fact.
  package struct Row: Sendable {
    /// The name in files.
    package let name: String
    /// The reason under which the fact denies while it holds. If empty, the fact denies under its
    /// own name.
    package var blocked: DenialReasons = []
    /// The reasons under which the fact denies while it does not hold; one of them applies. If
    /// empty, the fact denies under `not` and its name.
    package var missing: DenialReasons = []
    /// The device's switch for the fact; nil if the fact follows from something else.
    package var path: (any WritableKeyPath<DeviceFacts, Bool> & Sendable)?
    /// The situations in which the fact holds and does not hold: `while the device is charging`.
    package let situation: (holding: String, missing: String)
    /// The advice on how to make the fact hold, or not hold: `Plug the device in.`
    package let remedy: (holding: String, missing: String)
  }

  package var row: Row { StandardFact.rows[rawValue] }

  private static let rows = allCases.map(\.written)

  private var written: Row {
    switch self {
    case .backgroundRefresh:
      Row(
        name: "backgroundRefresh",
        missing: [.backgroundRefreshDenied, .backgroundRefreshRestricted],
        situation: ("where Background App Refresh is on", "where Background App Refresh is off"),
        remedy: (
          "Turn Background App Refresh on for the app and the device.",
          "Turn Background App Refresh off for the app or the device."
        ))
    case .lowPowerMode:
      Row(
        name: "lowPowerMode", blocked: .lowPowerMode, path: \DeviceFacts.lowPowerMode,
        situation: ("while Low Power Mode is on", "while Low Power Mode is off"),
        remedy: ("Turn Low Power Mode on.", "Turn Low Power Mode off."))
    case .lowBattery:
      Row(
        name: "lowBattery", blocked: .lowBattery,
        situation: (
          "while the battery is low and not charging", "while the battery is charging or not low"
        ),
        remedy: (
          "Let the battery run low, with the device unplugged.",
          "Plug the device in, or charge its battery."
        ))
    case .charging:
      Row(
        name: "charging", path: \DeviceFacts.charging,
        situation: ("while the device is charging", "while the device is not charging"),
        remedy: ("Plug the device in.", "Unplug the device."))
    case .connected:
      Row(
        name: "connected", situation: ("with a network", "without a network"),
        remedy: ("Connect the device to a network.", "Disconnect the device from its network."))
    case .wifi:
      Row(
        name: "wifi", situation: ("with Wi-Fi", "without Wi-Fi"),
        remedy: ("Connect the device to Wi-Fi.", "Disconnect the device from Wi-Fi."))
    case .thermalFair: .thermal("thermalFair", "fair")
    case .thermalSerious: .thermal("thermalSerious", "serious")
    case .thermalCritical: .thermal("thermalCritical", "critical")
    case .locked:
      Row(
        name: "locked", situation: ("while the device is locked", "while the device is not locked"),
        remedy: ("Lock the device.", "Unlock the device."))
    case .userPresent:
      Row(
        name: "userPresent",
        situation: ("while somebody is at the device", "while nobody is at the device"),
        remedy: ("Wait until somebody is at the device.", "Wait until nobody is at the device."))
    }
  }

  /// Whether the fact holds on a device. Facts that differ between apps or follow from the user's
  /// actions are false here; the engine adds them for the app in question.
  func holds(on device: DeviceFacts, isBatteryLow: Bool, under policy: Policy) -> Bool {
    switch self {
    case .backgroundRefresh, .locked, .userPresent: false
    case .lowPowerMode: device.lowPowerMode && policy.hasLowPowerMode
    case .lowBattery: isBatteryLow && !device.charging
    case .charging: device.charging
    case .connected: device.hasNetwork
    case .wifi: device.network == .wifi
    case .thermalFair: device.thermal >= .fair
    case .thermalSerious: device.thermal >= .serious
    case .thermalCritical: device.thermal >= .critical
    }
  }

  /// Whether devices under the policy have the switch behind the fact. If they do not, the fact
  /// never denies.
  package func exists(under policy: Policy) -> Bool {
    switch self {
    case .backgroundRefresh: policy.hasBackgroundRefresh
    case .lowPowerMode: policy.hasLowPowerMode
    case .lowBattery, .charging, .connected, .wifi, .thermalFair, .thermalSerious, .thermalCritical,
      .locked, .userPresent:
      true
    }
  }
}

extension FactSet {
  /// Background App Refresh is on, for the device and the app.
  public static let backgroundRefresh = FactSet(.backgroundRefresh)
  /// Low Power Mode is on.
  public static let lowPowerMode = FactSet(.lowPowerMode)
  /// The battery is low and not charging.
  public static let lowBattery = FactSet(.lowBattery)
  /// The device is on external power.
  public static let charging = FactSet(.charging)
  /// The device has a network.
  public static let connected = FactSet(.connected)
  /// The device's network is Wi-Fi.
  public static let wifi = FactSet(.wifi)
  /// The thermal state is `fair` or hotter.
  public static let thermalFair = FactSet(.thermalFair)
  /// The thermal state is `serious` or hotter.
  public static let thermalSerious = FactSet(.thermalSerious)
  /// The thermal state is `critical`.
  public static let thermalCritical = FactSet(.thermalCritical)
  /// The device is locked.
  public static let locked = FactSet(.locked)
  /// Somebody is at the device: an app is in front, or the user has unlocked the device and not
  /// left it since.
  public static let userPresent = FactSet(.userPresent)

  private init(_ fact: StandardFact) { self.init(place: fact.rawValue) }

  /// The names of the standard facts, in the order of their bits.
  package static let standardNames = StandardFact.allCases.map(\.row.name)
}

extension StandardFact.Row {
  fileprivate static func thermal(_ name: String, _ state: String) -> StandardFact.Row {
    StandardFact.Row(
      name: name,
      situation: (
        "while the thermal state is \(state) or hotter",
        "while the thermal state is cooler than \(state)"
      ),
      remedy: ("Let the device get hotter.", "Let the device cool down."))
  }
}

// MARK: From names and reasons back to facts

extension StandardFact {
  /// The fact with this name; nil if a policy declares it, or if there is none.
  package init?(named name: String) {
    guard let place = FactSet.standardNames.firstIndex(of: name) else { return nil }
    self.init(rawValue: place)
  }

  /// The fact that denies under a single reason, and whether it denies because it is missing; nil
  /// if the reason belongs to no fact.
  package static func behind(_ reason: DenialReasons) -> (fact: StandardFact, isMissing: Bool)? {
    guard !reason.isEmpty, reasons.isSuperset(of: reason),
      let fact = allCases.first(where: { $0.ownReasons.isSuperset(of: reason) })
    else { return nil }
    return (fact, fact.row.missing.isSuperset(of: reason))
  }

  /// The fact behind a denial, found by the name of the reason or of the fact: `notCharging`.
  package static func behind(denial word: String) -> (fact: StandardFact, isMissing: Bool)? {
    if let found = DenialReasons(fileName: word).flatMap(behind) { return found }
    if let fact = StandardFact(named: word) { return (fact, false) }
    return allCases.first { Denials.missing($0.row.name) == word }.map { ($0, true) }
  }

  /// All reasons that belong to a fact.
  package static let reasons = allCases.reduce(into: DenialReasons()) {
    $0.formUnion($1.ownReasons)
  }

  private var ownReasons: DenialReasons { row.blocked.union(row.missing) }
}

extension FactConditions {
  /// Splits the conditions: `reasons` has the reasons of the facts that deny under reasons of their
  /// own, and `others` has the conditions whose facts deny under their names.
  package var divided: (reasons: DenialReasons, others: FactConditions) {
    var (reasons, others) = (DenialReasons(), self)
    for fact in StandardFact.allCases {
      let (row, set) = (fact.row, FactSet(place: fact.rawValue))
      if !row.blocked.isEmpty, others.blockedBy.remove(set) != nil {
        reasons.formUnion(row.blocked)
      }
      if !row.missing.isEmpty, others.requires.remove(set) != nil { reasons.formUnion(row.missing) }
    }
    return (reasons, others)
  }
}
