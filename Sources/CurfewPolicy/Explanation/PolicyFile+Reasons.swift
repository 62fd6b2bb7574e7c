package import CurfewEngine
import CurfewText

/// Finds the value of a policy behind a decision or an end, and the change that would help.
extension PolicyFile {
  /// The path of the value that denies `kind` for the single reason `reason`; nil if no value does.
  ///
  /// For a missing row the result is the path of the table, or the path of the row if a file
  /// removes it. For a mode that the app does not declare, the result is the path of the row that
  /// requires the mode.
  package func path(ofDenial reason: Denials, kind: KindName) -> String? {
    if let fact = reason.facts.first {
      return value(Denials.isMissing(fact) ? "requires" : "blockedBy", kind)
    }
    return path(ofDenial: reason.reasons, kind: kind)
  }

  private func path(ofDenial reason: DenialReasons, kind: KindName) -> String? {
    switch reason {
    case .noMultitasking: "multitasking"
    case .kindNotInPolicy, .modeNotInPolicy:
      layer.removed[row(kind)] == nil ? group(of: kind) : row(kind)
    case .modeNotDeclared: isOwnMode(kind) ? row(kind) : value("mode", kind)
    case .backgroundRefreshDenied, .backgroundRefreshRestricted:
      path(ofFactBehind: reason, kind) ?? "tasks.seedStrict"
    case .forceQuit: value("survivesForceQuit", kind)
    case .mayNotRelaunch: value("relaunches", kind)
    case .budget where kind == .finiteTask: "tasks.strict"
    case .budget: paths(ofBudgetsOf: kind).first
    case .interval where session(kind) != nil: value("deferral", kind)
    case .interval:
      wake(kind).flatMap {
        $0.schedule.minimumInterval > .zero ? value("minimumInterval", kind) : nil
      }
    default: path(ofFactBehind: reason, kind)
    }
  }

  /// The path of the row's list that names the fact behind a reason; nil if no list does.
  private func path(ofFactBehind reason: DenialReasons, _ kind: KindName) -> String? {
    guard let (fact, isMissing) = StandardFact.behind(reason) else { return nil }
    let conditions = conditions(of: kind)
    let list = isMissing ? conditions.requires : conditions.blockedBy
    return list.contains(FactSet(place: fact.rawValue))
      ? value(isMissing ? "requires" : "blockedBy", kind) : nil
  }

  /// Whether a session requires its own mode, which no file writes.
  private func isOwnMode(_ kind: KindName) -> Bool {
    policy.names.class(of: kind) == .session && layer.entries["\(row(kind)).mode"] == nil
  }

  /// The change that would keep `kind` from being denied for the single reason `reason`,
  /// in one sentence.
  package func remedy(ofDenial reason: Denials, kind: KindName) -> String {
    if let fact = reason.facts.first { return remedy(ofFact: fact) }
    return remedy(ofDenial: reason.reasons, kind: kind, budgets: reason.budgets)
  }

  private func remedy(ofFact name: String) -> String {
    let fact = policy.names.fact(behind: name)
    return AdmissionChange.fact(fact, holds: fact != name).description
  }

  func remedy(ofDenial reason: DenialReasons, kind: KindName, budgets: [String] = []) -> String {
    switch reason {
    case .noMultitasking: return "Use a policy in which 'multitasking' is true."
    case .kindNotInPolicy: return "Use a policy that has a row '\(kind)' in its 'wakes'."
    case .modeNotInPolicy: return "Use a policy that has a row '\(kind)' in its 'sessions'."
    case .modeNotDeclared: return "Declare \(modes(of: kind)) in the app's background modes."
    case .exitsOnSuspend: return "Take exitsOnSuspend out of the app's manifest."
    case .backgroundRefreshRestricted:
      return "Lift the restriction that keeps Background App Refresh off."
    case .lowBattery:
      return
        "Plug the device in, or charge it to at least \(policy.lowBatteryReset ?? policy.lowBattery)%."
    case .forceQuit: return "Launch the app by hand, or restart the device."
    case .beforeFirstUnlock: return "Unlock the device once after its restart."
    case .mayNotRelaunch: return "Keep the app in memory until the event arrives."
    case .terminating: return "Wait until the app is gone and launch it again."
    case .budget where kind == .finiteTask:
      return "Begin the task before the visit's warning, or set 'tasks.strict' to false."
    case .budget: return remedy(ofBudgetOf: kind, budgets)
    case .interval where session(kind) != nil:
      return "Wait until the session's deferral is over, or bring the app to the front."
    case .interval:
      let shortest = wake(kind)?.schedule.minimumInterval ?? .zero
      return shortest > .zero
        ? "Ask for an interval of at least \(DurationText.write(shortest))."
        : "Ask for an interval longer than 0s."
    default:
      guard let (fact, isMissing) = StandardFact.behind(reason) else {
        return "Nothing in the policy changes this."
      }
      return isMissing ? fact.row.remedy.holding : fact.row.remedy.missing
    }
  }

  /// The path of the value that ended a process for `reason`; nil if no value did.
  ///
  /// `kind` is the kind of the assertion that overran: `finiteTask`, a session or a wake.
  /// `callback` is the callback that exceeded its limit.
  package func path(
    ofTermination reason: TerminationReason, kind: KindName? = nil, limit: RunLimit = .length,
    during callback: Callback? = nil
  ) -> String? {
    switch reason {
    case .backgroundTaskAssertionTimeout:
      switch kind.flatMap(policy.names.class) {
      case .wake, .session: kind.flatMap { value(limit == .budget ? "budgets" : "length", $0) }
      case .task, nil: "tasks.grant"
      }
    case .tooManyBackgroundTasks: "tasks.limit"
    case .appWatchdog:
      switch callback {
      case .willFinishLaunching, .didFinishLaunching: "limits.launch"
      case .didEnterBackground: "limits.didEnterBackground"
      case .willTerminate: "limits.willTerminate"
      case .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning, nil:
        nil
      }
    case .normalAppExit: policy.multitasking ? nil : "multitasking"
    case .cpuResourceLimit: "cpu.share"
    case .memoryPressure: "memory.capacity"
    case .memoryResourceLimit: policy.memory.appLimit == nil ? nil : "memory.appLimit"
    case .suspendedWithLockedFile: "lockedFiles.terminate"
    case .abnormalExit: kind.flatMap { value("completedTwice", $0) }
    case .badAccess, .illegalInstruction, .userForceQuit, .reboot, .oomKill, .signal, .spawnFailed,
      .hostFailure:
      nil
    }
  }

  /// The values that limit how much of a kind an app gets: the full budgets of the row's list,
  /// or all budgets, with the list first, if it is not known which are full. If a budget limits run
  /// time, the last value is the run time that must be left.
  func facts(ofBudgetsOf kind: KindName, full: [String]) -> [Explanation.Fact] {
    let budgets =
      full.isEmpty
      ? paths(ofBudgetsOf: kind).map(fact)
      : full.compactMap { text in value("budgets", kind).map { fact($0, value: text) } }
    let listed = self.budgets(of: kind).filter {
      full.isEmpty || full.contains(BudgetText.write($0, policy.names))
    }
    let isOfRunTime =
      full.isEmpty && wake(kind)?.budget?.runTime != nil || listed.contains(where: \.isOfRunTime)
    return budgets
      + (isOfRunTime ? [leastRoom(of: kind).map { fact($0.path) }].compactMap(\.self) : [])
  }

  private func paths(ofBudgetsOf kind: KindName) -> [String] {
    let lone = wake(kind)?.budget.map { $0.admissions == nil ? "runTime" : "admissions" }
    return [budgets(of: kind).isEmpty ? nil : "budgets", lone].compactMap { key in
      key.flatMap { value($0, kind) }
    }
  }

  /// - Parameter full: The listed budgets that have no room; empty if that is not known.
  private func remedy(ofBudgetOf kind: KindName, _ full: [String]) -> String {
    let own = full.isEmpty ? wake(kind)?.budget : nil
    if own?.admissions == 0 {
      return "Use a policy in which 'wakes.\(kind).admissions' is more than 0."
    }
    let admissions = own?.admissions.map { "\($0)" }
    let runTime = own?.runTime.map { "\(DurationText.write($0)) of run time" }
    let most = [admissions, runTime].compactMap(\.self).joined(separator: " and ")
    let room = leastRoom(of: kind).map { " (more than \(DurationText.write($0.room)) left)" } ?? ""
    let window =
      own.map { ["\(most) in \(DurationText.write($0.window))\($0.runTime == nil ? "" : room)"] }
      ?? []
    let listed = budgets(of: kind).filter {
      full.isEmpty || full.contains(BudgetText.write($0, policy.names))
    }
    let (none, some) = (listed.filter(\.isOfNone), listed.filter { !$0.isOfNone })
    let ways =
      none.isEmpty
      ? nil
      : none.allSatisfy { $0.group != nil }
        ? "move the app to another group" : "use a policy without \(texts(none))"
    let all =
      window + some.map { BudgetText.write($0, policy.names) + ($0.isOfRunTime ? room : "") }
    let wait =
      all.isEmpty
      ? nil
      : "wait until \(all.count > 1 ? "each window" : "the window") has room again: no more than \(all.joined(separator: ", "))"
    return [ways, wait].compactMap(\.self).joined(separator: ", and ").sentence
  }

  private func texts(_ budgets: [Budget]) -> String {
    budgets.map { "'\(BudgetText.write($0, policy.names))'" }.joined(separator: " and ")
  }

  /// The mapping that holds a kind's row.
  private func group(of kind: KindName) -> String {
    policy.names.class(of: kind) == .session ? "sessions" : "wakes"
  }

  private func row(_ kind: KindName) -> String { "\(group(of: kind)).\(kind)" }

  /// A wake's row; nil if the policy has none.
  package func wake(_ kind: KindName) -> WakeRules? {
    policy.names.kind(kind).flatMap { policy.wakes[$0] }
  }

  /// A session's row; nil if the policy has none.
  package func session(_ kind: KindName) -> SessionRules? {
    policy.names.kind(kind).flatMap { policy.sessions[$0] }
  }

  /// The facts on which a kind's row depends; none if the row is missing.
  package func conditions(of kind: KindName) -> FactConditions {
    session(kind)?.conditions ?? wake(kind)?.conditions ?? FactConditions()
  }

  /// The listed budgets of a kind's row.
  func budgets(of kind: KindName) -> [Budget] {
    wake(kind)?.budgets ?? session(kind)?.budgets ?? []
  }

  /// The run time that a budget must have left for an admission, and the path of the value that
  /// says so; nil if any run time is enough.
  func leastRoom(of kind: KindName) -> (room: Interval, path: String)? {
    let row =
      wake(kind).map { ($0.room, $0.leastRoom) } ?? session(kind).map { ($0.room, $0.leastRoom) }
    guard let (room, written) = row, room > .zero,
      let path = value(written == nil ? "warning" : "leastRoom", kind)
    else { return nil }
    return (room, path)
  }

  /// The path of a value in a kind's row; nil if the policy lacks it.
  func value(_ key: String, _ kind: KindName) -> String? {
    let path = "\(row(kind)).\(key)"
    return entry(path) == nil ? nil : path
  }

  func modes(of kind: KindName) -> String {
    let modes =
      session(kind)?.modes ?? wake(kind)?.modes ?? policy.names.kind(kind)?.asStandard?.mode ?? []
    return policy.names.names(of: modes).map { "'\($0)'" }.joined(separator: " or ")
  }
}

extension Budget {
  /// Whether the budget allows nothing at all.
  fileprivate var isOfNone: Bool { amount == .admissions(0) || amount == .sessions(0) }
}

extension String {
  /// Adds a capital letter and a full stop.
  fileprivate var sentence: String { "\(prefix(1).uppercased())\(dropFirst())." }
}
