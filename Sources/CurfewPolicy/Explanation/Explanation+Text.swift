import CurfewEngine
import CurfewText

extension Explanation: CustomStringConvertible {
  /// The fact that decided,
  /// and its place: `tasks.grant is 30s (Policies/ios13.yaml:12:18, documented)`.
  ///
  /// The brackets hold the place, or say that no value decided:
  /// `the user quit it (no value says so)`. If the host was too late to warn, the text begins with
  /// the host's lateness and ends with the rule that ended the process.
  public var because: String {
    let first =
      fact.key == Fact.late ? "\(fact.sentence(explaining: reason)) (\(fact.source)), and " : ""
    let rule = fact.key == Fact.late ? others.first ?? fact : fact
    return "\(first)\(cause(rule)) (\(rule.source))\(switches)"
  }

  /// `lowPowerMode because wakes.fetch.blockedBy is lowPowerMode (…); Turn Low Power Mode off.`
  public var description: String {
    "\(reason) because \(because)" + (remedy.map { "; \($0)" } ?? "")
  }

  private func cause(_ fact: Fact) -> String {
    guard let expiration else { return fact.sentence(explaining: reason) }
    let cut = "its grant was cut short: \(expiration.fileName)"
    return fact.owner == .policy ? "\(cut), \(fact.sentence(explaining: reason))" : cut
  }

  /// Names the switch: `, and the app's switch is off`.
  private var switches: String {
    let off = others.filter {
      $0.key == Fact.refreshSwitch && $0.value != BackgroundRefreshStatus.available.fileName
    }
    guard let first = off.first, let last = off.last else { return "" }
    if off.count > 1, first.value == last.value {
      return ", and the app's and the device's switches are \(first.position)"
    }
    return ", and "
      + off.map { "the \($0.owner == .device ? "device" : "app")'s switch is \($0.position)" }
      .joined(separator: " and ")
  }
}

extension Explanation.Reason: CustomStringConvertible {
  /// The name in files: `lowPowerMode`.
  public var description: String {
    switch self {
    case .denial(let reason): reason.description
    case .refusal(let error): error.fileName
    case .termination(let reason): reason.fileName
    case .diagnostic(let diagnostic): diagnostic.fileName
    case .memoryWarning: "memoryWarning"
    }
  }
}

extension IllegalEventReason {
  /// The reason in words, in most cases the state of the app that the step names.
  package var words: String {
    switch self {
    case .notRunning: "it is not running"
    case .suspended: "it is suspended"
    case .running: "its process is still there"
    case .removed: "it has been removed"
    case .terminating: "it is being terminated"
    case .inFront: "it is in front already"
    case .notInFront: "it is not in front"
    case .nobodyInFront: "no app is in front"
    case .severalInFront: "several apps may be in front, and the step names none"
    case .interrupted: "it is interrupted already"
    case .notInterrupted: "it is not interrupted"
    case .notInBackground: "it is not in the background"
    case .nobodyInBackground: "no app is in the background"
    case .locked: "the device is locked"
    case .notLocked: "the device is not locked"
    case .sessionOn: "the session is already on"
    case .noSession: "it has no such session"
    case .noWake: "it holds no such wake"
    case .noLockedFile: "it holds no lock on a file"
    case .tooManyAssertions: "it holds as many assertions as an app can"
    case .otherKind: "the step does not apply to this kind"
    case .otherFact: "the policy declares no such fact for it"
    }
  }
}

extension Explanation.Place: CustomStringConvertible {
  /// `Policies/ios13.yaml:12:18`, or words for a fact without a known place.
  public var description: String {
    switch self {
    case .at(let place): place.description
    case .file(let file): file
    case .unwritten: "in no file"
    case .nowhere: "no value says so"
    }
  }
}

extension Explanation.Fact {
  static let refreshSwitch = "backgroundRefresh"
  static let memory = "memory"

  /// The place, and the confidence.
  fileprivate var source: String {
    wordsOfDelivery != nil
      ? "rule W7"
      : [place.description, confidence?.rawValue].compactMap(\.self).joined(separator: ", ")
  }

  fileprivate var position: String {
    value == BackgroundRefreshStatus.restricted.fileName ? "restricted" : "off"
  }

  fileprivate func sentence(explaining reason: Explanation.Reason) -> String {
    switch owner {
    case .policy: value.map { "\(key) is \(SizeText.readable($0))" } ?? "of '\(key)'"
    case .manifest:
      switch key {
      case Explanation.Fact.exitsOnSuspend: "its manifest says exitsOnSuspend"
      case Explanation.Fact.permittedIdentifiers: "its manifest does not permit the identifier"
      default: "its \(key) is \(value.map(SizeText.readable) ?? "absent")"
      }
    case .device:
      key == Explanation.Fact.memory
        ? "the device's memory\(value.map { " of \(SizeText.readable($0))" } ?? "") is used up"
        : doing(explaining: reason)
    case .host where key == Explanation.Fact.late:
      "the host came \(value.map(DurationText.readable) ?? "") too late to warn"
    case .user, .app, .host: wordsOfDelivery ?? doing(explaining: reason)
    }
  }

  /// The words for a fact that no file contains.
  private func doing(explaining reason: Explanation.Reason) -> String {
    switch reason {
    case .denial(let denied) where denied.contains(.terminating): "it is being terminated"
    case .denial(let denied) where denied.contains(.forceQuit): "the user quit it"
    case .termination(.userForceQuit): "the user quit it"
    case .denial(let denied) where denied.contains(.beforeFirstUnlock):
      "the device has not been unlocked since its restart"
    case .denial(let denied) where denied.contains(.interval): "it asked for too short an interval"
    case .refusal: "it is not running, or its device is closed"
    case .termination(.reboot): "the device restarted"
    case .termination(.normalAppExit): "it exited by itself"
    case .termination(.oomKill): "the kernel killed it because memory was short"
    case .termination(.signal): "\(value.map { "signal \($0)" } ?? "a signal") ended it"
    case .termination(.spawnFailed):
      "its process could not be started\(value.map { " (\($0))" } ?? "")"
    case .termination(.hostFailure): "its host failed"
    case .termination where key == Explanation.Fact.exitStatus:
      "it exited with status \(value ?? "")"
    case .termination: "it crashed"
    case .diagnostic(.unknownTask): "it has no such task open"
    case .diagnostic(.alreadyCompleted): "it had completed the wake before"
    case .diagnostic(.illegalEvent):
      IllegalEventReason(fileName: key)?.words ?? "it is illegal in the current state"
    case .diagnostic(.deliveredInForeground): "its run loop was busy until it was in front again"
    case .denial, .diagnostic, .memoryWarning: "of its \(key)"
    }
  }
}
