import CurfewEngine
import CurfewText

extension AdmissionChange: CustomStringConvertible {
  /// The action to take, in one sentence: `Turn Low Power Mode off.`
  public var description: String {
    switch self {
    case .deviceRefresh(let status):
      "Turn Background App Refresh \(AdmissionChange.word(status)) for the device."
    case .appRefresh(let status):
      "Turn Background App Refresh \(AdmissionChange.word(status)) for the app."
    case .battery(let level): "Bring the battery to \(level)%."
    case .network(.none): "Disconnect the device from its network."
    case .network(.cellular): "Connect the device to a mobile network."
    case .network(.wifi): "Connect the device to Wi-Fi."
    case .thermal(let state): "Bring the device's thermal state to \(state.fileName)."
    case .presence(.inFront): "Bring the app to the front."
    case .presence(.suspended): "Launch the app by hand and leave it in memory."
    case .presence(.notRunning):
      "Let the app leave memory without the user quitting it, on a device unlocked since its restart."
    case .presence(.forceQuit): "Quit the app by hand."
    case .presence(.beforeFirstUnlock): "Restart the device, and leave it locked."
    case .attendance(.nobody): "Leave the device unlocked, with nobody using it."
    case .attendance(.somebody): "Have somebody use another app on the device."
    case .attendance(.locked): "Lock the device."
    case .mode(let name, true): "Declare '\(name)' in the app's background modes."
    case .mode(let name, false): "Take '\(name)' out of the app's background modes."
    case .exitsOnSuspend(true): "Set exitsOnSuspend in the app's manifest."
    case .exitsOnSuspend(false): "Take exitsOnSuspend out of the app's manifest."
    case .fact(let name, let holds):
      StandardFact(named: name).map { holds ? $0.row.remedy.holding : $0.row.remedy.missing }
        ?? "Set '\(name)' to \(holds)."
    case .policy(let setting): "Use a policy in which '\(setting.path)' is \(setting.text)."
    }
  }

  private static func word(_ status: BackgroundRefreshStatus) -> String {
    status == .available ? "on" : "off"
  }

  /// The option of `curfew explain` for this change to `question`: `--set lowPowerMode=false`.
  package func option(in question: AdmissionQuestion) -> String {
    if let setting { return "--policy-set '\(setting.path)=\(setting.text)'" }
    let (key, value) = assignment(in: question)
    return value.contains(" ") || value.contains("[")
      ? "--set '\(key)=\(value)'" : "--set \(key)=\(value)"
  }

  private func assignment(in question: AdmissionQuestion) -> (key: String, value: String) {
    switch self {
    case .deviceRefresh(let status): return (subject, "\(status == .available)")
    case .appRefresh(let status): return (subject, status.fileName)
    case .exitsOnSuspend(let flag): return (subject, "\(flag)")
    case .battery(let level): return (subject, "\(level)%")
    case .network(let network): return (subject, network.fileName)
    case .thermal(let state): return (subject, state.fileName)
    case .presence(let presence): return (subject, presence.fileName)
    case .attendance(.nobody):
      return (question.attendance == .locked ? "locked" : "userPresent", "false")
    case .attendance(.somebody): return ("userPresent", "true")
    case .attendance(.locked): return ("locked", "true")
    case .mode:
      return ("modes", "[\(question.changed(by: [self]).app.modeNames.joined(separator: ", "))]")
    case .fact(let name, let holds): return (name, "\(holds)")
    case .policy(let setting): return (setting.path, setting.text)
    }
  }
}
