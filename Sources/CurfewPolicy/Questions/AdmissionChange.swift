public import CurfewEngine
public import CurfewText

/// A change of one thing on which an admission may depend: a part of a question, or a value
/// of the policy.
public enum AdmissionChange: Hashable, Sendable {
  /// The device's Background App Refresh switch.
  case deviceRefresh(BackgroundRefreshStatus)
  /// The app's own Background App Refresh switch.
  case appRefresh(BackgroundRefreshStatus)
  /// The battery, in percent.
  case battery(UInt8)
  /// The device's network.
  case network(DeviceFacts.Network)
  /// The device's thermal state.
  case thermal(ThermalState)
  /// The app's presence.
  case presence(AdmissionQuestion.Presence)
  /// The user's attendance at the device.
  case attendance(AdmissionQuestion.Attendance)
  /// Whether the app declares a mode.
  case mode(String, isDeclared: Bool)
  /// Whether the app's manifest says `exitsOnSuspend`.
  case exitsOnSuspend(Bool)
  /// Whether a fact holds: one that the policy declares, or a switch of every device, such as
  /// `lowPowerMode` and `charging`.
  case fact(String, holds: Bool)
  /// A value of the policy.
  case policy(ValueSetting)

  /// The subject of the change. The later of two changes with the same subject undoes the first.
  var subject: String {
    switch self {
    case .deviceRefresh: "backgroundRefresh"
    case .appRefresh: "app.backgroundRefresh"
    case .battery: "battery"
    case .network: "network"
    case .thermal: "thermal"
    case .presence: "state"
    case .attendance: "attendance"
    case .mode(let name, _): "modes.\(name)"
    case .exitsOnSuspend: "exitsOnSuspend"
    case .fact(let name, _): "facts.\(name)"
    case .policy(let setting): "policy.\(setting.path)"
    }
  }

  /// The policy's value that it sets; nil for a change to the question.
  var setting: ValueSetting? { if case .policy(let setting) = self { setting } else { nil } }
}

extension AdmissionQuestion {
  /// Returns the question with these changes. Changes to the policy do not affect the question.
  public func changed(by changes: [AdmissionChange]) -> AdmissionQuestion {
    changes.reduce(into: self) { $0.apply($1) }
  }

  private mutating func apply(_ change: AdmissionChange) {
    switch change {
    case .deviceRefresh(let status): device.backgroundRefresh = status
    case .appRefresh(let status): app.backgroundRefresh = status
    case .battery(let level): device.battery = level
    case .network(let network): device.network = network
    case .thermal(let state): device.thermal = state
    case .presence(let presence): (self.presence, state) = (presence, nil)
    case .attendance(let attendance): self.attendance = attendance
    case .mode(let name, true): app.declare(name)
    case .mode(let name, false): app.undeclare(name)
    case .exitsOnSuspend(let exits): app.exitsOnSuspend = exits
    case .fact(let name, let holds):
      if let path = StandardFact(named: name)?.row.path { return device[keyPath: path] = holds }
      // A policy uses a name for only one fact, of the device or of an app. Both get the value,
      // and each ignores names that it does not know.
      facts[name] = holds
      app.facts[name] = holds
    case .policy: break
    }
  }
}

extension PolicyFile {
  /// Returns the reasons for which the question's kind is denied after these changes; nil if
  /// the changes to the policy are invalid.
  package func denials(of question: AdmissionQuestion, after changes: [AdmissionChange]) -> Denials?
  {
    changed(by: changes)?.denials(of: question.changed(by: changes))
  }

  /// Returns the policy with the changes that concern it; nil if they are invalid.
  func changed(by changes: [AdmissionChange]) -> PolicyFile? {
    let settings = changes.compactMap(\.setting)
    return settings.isEmpty ? self : try? set(settings)
  }
}

// MARK: Changes that may matter

extension PolicyFile {
  /// The changes that may make a fact hold, or not hold if `hold` is false, alone or together.
  package func changes(having fact: String, hold: Bool) -> [AdmissionChange] {
    switch fact {
    case "backgroundRefresh":
      return hold
        ? [.appRefresh(.available), .deviceRefresh(.available)]
        : [.appRefresh(.denied), .deviceRefresh(.denied)]
    case "lowBattery":
      let limit = policy.lowBattery
      return hold
        ? [.battery(limit > 0 ? limit - 1 : 0), .fact("charging", holds: false)]
        : [.fact("charging", holds: true), .battery(policy.lowBatteryReset ?? limit)]
    case "connected": return hold ? [.network(.wifi), .network(.cellular)] : [.network(.none)]
    case "wifi": return hold ? [.network(.wifi)] : [.network(.cellular), .network(.none)]
    case "thermalFair": return [.thermal(hold ? .fair : .nominal)]
    case "thermalSerious":
      return [.thermal(hold ? .serious : .fair), .thermal(hold ? .critical : .nominal)]
    case "thermalCritical":
      return hold
        ? [.thermal(.critical)] : [.thermal(.serious), .thermal(.fair), .thermal(.nominal)]
    case "locked":
      return hold
        ? [.attendance(.locked), .presence(.suspended)]
        : [.attendance(.nobody), .attendance(.somebody), .presence(.suspended)]
    case "userPresent":
      return hold
        ? [.attendance(.somebody), .presence(.inFront), .presence(.suspended)]
        : [.attendance(.nobody), .attendance(.locked), .presence(.suspended)]
    default: return [.fact(fact, holds: hold)]
    }
  }

  /// The changes to a question that may remove a single reason, or cause it if `isDenied` is true.
  func changes(about reason: Denials, of kind: KindName, isDenied: Bool) -> [AdmissionChange] {
    if let fact = reason.facts.first {
      return changes(
        having: policy.names.fact(behind: fact), hold: Denials.isMissing(fact) != isDenied)
    }
    switch reason.reasons {
    case .modeNotDeclared: return modes(askedBy: kind).map { .mode($0, isDeclared: !isDenied) }
    case .exitsOnSuspend: return [.exitsOnSuspend(isDenied)]
    case .backgroundRefreshRestricted where isDenied: return []
    case .forceQuit:
      return isDenied ? [.presence(.forceQuit)] : [.presence(.suspended), .presence(.notRunning)]
    case .beforeFirstUnlock:
      return isDenied
        ? [.presence(.beforeFirstUnlock)] : [.presence(.suspended), .presence(.notRunning)]
    case .budget: return changes(ofGroupFor: kind)
    case .mayNotRelaunch: return [.presence(isDenied ? .notRunning : .suspended)]
    default:
      return StandardFact.behind(reason.reasons).map {
        changes(having: $0.fact.row.name, hold: $0.isMissing != isDenied)
      } ?? []
    }
  }

  /// The changes that may move an app into another group, if the kind has budgets for groups: both
  /// values of each fact on which these groups depend.
  private func changes(ofGroupFor kind: KindName) -> [AdmissionChange] {
    policy.names.names(of: groupFacts(askedBy: kind)).flatMap {
      changes(having: $0, hold: true) + changes(having: $0, hold: false)
    }
  }

  /// The facts of the groups for which the kind has a budget.
  package func groupFacts(askedBy kind: KindName) -> FactSet {
    let groups = budgets(of: kind).compactMap(\.group).map {
      policy.groups[Int($0.rawValue)].conditions
    }
    return groups.reduce(into: []) { $0.formUnion($1.requires.union($1.blockedBy)) }
  }

  /// The policy's values that would remove a single reason: a switch reversed, or a list without
  /// the fact.
  func settings(against reason: Denials, of kind: KindName) -> [AdmissionChange] {
    guard let path = path(ofDenial: reason, kind: kind), let entry = entry(path) else { return [] }
    switch entry.text {
    case "true": return [.policy(ValueSetting(path: path, text: "false"))]
    case "false": return [.policy(ValueSetting(path: path, text: "true"))]
    default:
      guard path.hasSuffix(".requires") || path.hasSuffix(".blockedBy") else { return [] }
      let facts =
        reason.facts.map(policy.names.fact(behind:))
        + [StandardFact.behind(reason.reasons)?.fact.row.name].compactMap(\.self)
      let rest = names(at: path).filter { !facts.contains($0) }
      return [
        .policy(
          ValueSetting(
            path: path, text: rest.isEmpty ? "none" : "[\(rest.joined(separator: ", "))]"))
      ]
    }
  }
}

extension PolicyNames {
  /// The fact behind a denial: `charging` for `notCharging`.
  func fact(behind denial: String) -> String {
    facts.first { Denials.missing($0) == denial } ?? denial
  }
}
