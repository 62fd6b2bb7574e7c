package import CurfewEngine
import CurfewManifest
import CurfewText

/// Which value of a policy is behind a decision or a death, and what would change it.
extension PolicyFile {
  /// The path of the value that denies `kind` for `reason`, which is a single reason; nil where no value says so.
  ///
  /// Of a missing row it is the path of the table, of a mode that an app does not declare the path of the row that asks for it.
  package func path(ofDenial reason: DenialReasons, kind: AssertionKind) -> String? {
    switch reason {
    case .noMultitasking: "multitasking"
    case .kindNotInPolicy: "wakes"
    case .modeNotInPolicy: "sessions"
    case .modeNotDeclared: kind.class == .session ? row(kind) : value("mode", kind)
    case .backgroundRefreshDenied, .backgroundRefreshRestricted:
      kind.class == .wake ? value("needsBackgroundRefresh", kind) : "tasks.seedStrict"
    case .lowPowerMode: value("blockedByLowPowerMode", kind)
    case .lowBattery: value("blockedByLowBattery", kind)
    case .forceQuit: value("survivesForceQuit", kind)
    case .mayNotRelaunch: value("relaunches", kind)
    case .budget where kind == .finiteTask: "tasks.strict"
    case .budget: policy.wakes[kind]?.budget.flatMap { value($0.admissions == nil ? "runTime" : "admissions", kind) }
    case .interval: policy.wakes[kind].flatMap { $0.schedule.minimumInterval > .zero ? value("minimumInterval", kind) : nil }
    default: nil
    }
  }

  /// What would have to change for `kind` not to be denied for `reason`, which is a single reason: one sentence.
  package func remedy(ofDenial reason: DenialReasons, kind: AssertionKind) -> String {
    switch reason {
    case .noMultitasking: return "Use a policy in which 'multitasking' is true."
    case .kindNotInPolicy: return "Use a policy that has a row '\(kind.fileName)' in its 'wakes'."
    case .modeNotInPolicy: return "Use a policy that has a row '\(kind.fileName)' in its 'sessions'."
    case .modeNotDeclared: return "Declare \(modes(of: kind)) in the app's background modes."
    case .exitsOnSuspend: return "Take exitsOnSuspend out of the app's manifest."
    case .backgroundRefreshDenied: return "Turn Background App Refresh on for the app and the device."
    case .backgroundRefreshRestricted: return "Lift the restriction that keeps Background App Refresh off."
    case .lowPowerMode: return "Turn Low Power Mode off."
    case .lowBattery: return "Plug the device in, or charge it to \(policy.lowBattery)% at least."
    case .forceQuit: return "Launch the app by hand, or restart the device."
    case .beforeFirstUnlock: return "Unlock the device once after its restart."
    case .mayNotRelaunch: return "Have the app in memory when the event arrives."
    case .terminating: return "Wait until the app is gone and launch it again."
    case .budget where kind == .finiteTask: return "Begin the task before the visit's warning, or set 'tasks.strict' to false."
    case .budget: return policy.wakes[kind]?.budget.map(remedy) ?? "Wait until the window has room again."
    case .interval:
      let shortest = policy.wakes[kind]?.schedule.minimumInterval ?? .zero
      guard shortest > .zero else {
        return kind == .voipKeepAlive ? "Ask for an interval longer than 0s." : "Wait until the minimum interval is over."
      }
      let length = DurationText.write(shortest)
      return kind == .voipKeepAlive ? "Ask for an interval of \(length) at least." : "Wait until \(length) are over."
    default: return "Nothing in the policy changes it."
    }
  }

  /// The path of the value that ended a process for `reason`, or nil where none did.
  ///
  /// `kind` is what overran its time, where something did: `finiteTask` or a wake. `callback` is what took longer than its limit.
  package func path(ofTermination reason: TerminationReason, kind: AssertionKind? = nil, during callback: Callback? = nil) -> String? {
    switch reason {
    case .backgroundTaskAssertionTimeout:
      switch kind?.class {
      case .wake: kind.flatMap { value("length", $0) }
      case .task, .session, nil: "tasks.grant"
      }
    case .tooManyBackgroundTasks: "tasks.limit"
    case .appWatchdog:
      switch callback {
      case .willFinishLaunching, .didFinishLaunching: "limits.launch"
      case .didEnterBackground: "limits.didEnterBackground"
      case .willTerminate: "limits.willTerminate"
      case .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning, nil: nil
      }
    case .normalAppExit: policy.multitasking ? nil : "multitasking"
    case .cpuResourceLimit: "cpu.share"
    case .memoryPressure: "memory.capacity"
    case .memoryResourceLimit: policy.memory.appLimit == nil ? nil : "memory.appLimit"
    case .suspendedWithLockedFile: "lockedFiles.terminate"
    case .abnormalExit, .badAccess, .illegalInstruction, .userForceQuit, .reboot: nil
    }
  }

  private func remedy(_ budget: WakeBudget) -> String {
    let admissions = budget.admissions.map { "\($0)" }
    let runTime = budget.runTime.map { "\(DurationText.write($0)) of run time" }
    let most = [admissions, runTime].compactMap(\.self).joined(separator: " and ")
    return "Wait until the window has room again: no more than \(most) in \(DurationText.write(budget.window))."
  }

  private func row(_ kind: AssertionKind) -> String {
    "\(kind.class == .session ? "sessions" : "wakes").\(kind.fileName)"
  }

  /// The path of a value in a wake's row, if the policy has the row.
  func value(_ key: String, _ kind: AssertionKind) -> String? {
    let path = "\(row(kind)).\(key)"
    return entry(path) == nil ? nil : path
  }

  func modes(of kind: AssertionKind) -> String {
    let modes = kind.class == .session ? kind.sessionMode : policy.wakes[kind]?.modes ?? []
    return modes.fileNames.map { "'\($0)'" }.joined(separator: " or ")
  }
}
