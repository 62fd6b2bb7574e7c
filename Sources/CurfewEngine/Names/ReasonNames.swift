extension DenialReasons: FileNamed {
  /// Each standard reason as a set of one, in order. Names of facts come from the policy.
  package static let named: [DenialReasons] = all

  /// The name of a single reason; for several, their names separated by commas.
  package var fileName: String {
    switch self {
    case .noMultitasking: "noMultitasking"
    case .kindNotInPolicy: "kindNotInPolicy"
    case .modeNotInPolicy: "modeNotInPolicy"
    case .modeNotDeclared: "modeNotDeclared"
    case .exitsOnSuspend: "exitsOnSuspend"
    case .backgroundRefreshDenied: "backgroundRefreshDenied"
    case .backgroundRefreshRestricted: "backgroundRefreshRestricted"
    case .lowPowerMode: "lowPowerMode"
    case .lowBattery: "lowBattery"
    case .forceQuit: "forceQuit"
    case .beforeFirstUnlock: "beforeFirstUnlock"
    case .mayNotRelaunch: "mayNotRelaunch"
    case .terminating: "terminating"
    case .budget: "budget"
    case .interval: "interval"
    default: fileNames.joined(separator: ", ")
    }
  }

  /// The names of the reasons in this set, in the order in which reasons are reported.
  package var fileNames: [String] { DenialReasons.all.filter(contains).map(\.fileName) }
}

extension DenialReasons: CustomStringConvertible {
  /// The names of the reasons and facts: `backgroundRefreshDenied, lowPowerMode`; `none` if nothing
  /// denies. Only standard facts are named; `PolicyNames.denials` also names a policy's own.
  public var description: String {
    isEmpty ? "none" : (fileNames + factWords).joined(separator: ", ")
  }

  private var factWords: [String] {
    func words(_ facts: FactSet, _ sign: String) -> [String] {
      (0..<FactSet.greatestCount).filter { facts.contains(FactSet(place: $0)) }.map {
        sign
          + (FactSet.standardNames.indices.contains($0) ? FactSet.standardNames[$0] : "fact \($0)")
      }
    }
    return words(blocked, "") + words(missing, "not ")
  }
}

extension TerminationReason: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .normalAppExit: "normalAppExit"
    case .abnormalExit: "abnormalExit"
    case .appWatchdog: "appWatchdog"
    case .cpuResourceLimit: "cpuResourceLimit"
    case .memoryResourceLimit: "memoryResourceLimit"
    case .memoryPressure: "memoryPressure"
    case .suspendedWithLockedFile: "suspendedWithLockedFile"
    case .backgroundTaskAssertionTimeout: "backgroundTaskAssertionTimeout"
    case .badAccess: "badAccess"
    case .illegalInstruction: "illegalInstruction"
    case .userForceQuit: "userForceQuit"
    case .reboot: "reboot"
    case .tooManyBackgroundTasks: "tooManyBackgroundTasks"
    case .oomKill: "oomKill"
    case .signal: "signal"
    case .spawnFailed: "spawnFailed"
    case .hostFailure: "hostFailure"
    }
  }
}

extension ExpirationReason: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .timeLimit: "timeLimit"
    case .thermal: "thermal"
    case .memory: "memory"
    case .userForceQuit: "userForceQuit"
    case .policyRevoked: "policyRevoked"
    }
  }
}

extension WakeResult: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .newData: "newData"
    case .noData: "noData"
    case .failed: "failed"
    }
  }
}

extension Diagnostic: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .slowLaunch: "slowLaunch"
    case .unknownTask: "unknownTask"
    case .illegalEvent: "illegalEvent"
    case .deliveredInForeground: "deliveredInForeground"
    case .taskTooOld: "taskTooOld"
    case .overCapacity: "overCapacity"
    case .stillOpenAfterExpiration: "stillOpenAfterExpiration"
    case .notificationDropped: "notificationDropped"
    case .alreadyCompleted: "alreadyCompleted"
    case .slowDidEnterBackground: "slowDidEnterBackground"
    case .runsWithoutAssertion: "runsWithoutAssertion"
    }
  }
}

extension IllegalEventReason: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .notRunning: "notRunning"
    case .suspended: "suspended"
    case .running: "running"
    case .removed: "removed"
    case .terminating: "terminating"
    case .inFront: "inFront"
    case .notInFront: "notInFront"
    case .nobodyInFront: "nobodyInFront"
    case .severalInFront: "severalInFront"
    case .interrupted: "interrupted"
    case .notInterrupted: "notInterrupted"
    case .notInBackground: "notInBackground"
    case .nobodyInBackground: "nobodyInBackground"
    case .locked: "locked"
    case .notLocked: "notLocked"
    case .sessionOn: "sessionOn"
    case .noSession: "noSession"
    case .noWake: "noWake"
    case .noLockedFile: "noLockedFile"
    case .tooManyAssertions: "tooManyAssertions"
    case .otherKind: "otherKind"
    case .otherFact: "otherFact"
    }
  }
}

extension TaskRequestError: FileNamed {
  /// The name in files.
  package var fileName: String {
    switch self {
    case .unavailable: "unavailable"
    case .tooManyPendingTaskRequests: "tooManyPendingTaskRequests"
    case .notPermitted: "notPermitted"
    }
  }
}

extension TerminationCode {
  /// The code in hexadecimal, as crash reports print it: `0x8badf00d`.
  public var fileName: String { description }
}
