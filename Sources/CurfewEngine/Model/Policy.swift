/// The values that the rules name, compiled for the engine: what may run in the background, for how
/// long, and what happens at the end.
///
/// Every number comes from a policy file, which also records its source. The engine has no numbers
/// of its own.
public struct Policy: Hashable, Sendable {
  /// Whether apps may leave the foreground without ending (rule A9).
  public var multitasking: Bool
  /// The number of apps that may be in the foreground at a time; nil for any number.
  public var foregroundLimit: UInt32?
  /// Whether the Background App Refresh switch exists. If it does not, it denies nothing.
  public var hasBackgroundRefresh: Bool
  /// Whether Low Power Mode exists. If it does not, it denies nothing.
  public var hasLowPowerMode: Bool
  /// How long an app without an active assertion runs before it is suspended (rule A6).
  public var suspendDelay: Interval
  /// The limits of callbacks (rule A10).
  public var limits: CallbackLimits
  /// Finite-length tasks (rules F1–F12).
  public var tasks: TaskRules
  /// The rows of sessions, by kind. Sessions without a row are denied.
  public var sessions: [AssertionKind: SessionRules]
  /// The rows of wakes, by kind. Wakes without a row are denied.
  public var wakes: [AssertionKind: WakeRules]
  /// The facts that the policy declares.
  public var facts: FactRules
  /// The groups of apps for budgets, in the order of `PolicyNames.groups`.
  public var groups: [GroupRules]
  /// The names of its kinds, modes, facts and groups in files.
  public var names: PolicyNames
  /// The start of each kind of wake that has no row in this policy and whose name was added from
  /// another policy: see `PolicyNames.adding(_:)`.
  package var startsElsewhere: [AssertionKind: WakeStart] = [:]
  /// The percentage below which a battery that is not charging is low.
  public var lowBattery: UInt8
  /// The percentage from which the battery is no longer low; nil for `lowBattery`.
  public var lowBatteryReset: UInt8?
  /// Locked files (rule D3).
  public var lockedFiles: LockedFileRules
  /// Memory (rules M1, M2).
  public var memory: MemoryRules
  /// The limit on the processor use of apps in the background (rule D4); nil for no limit.
  public var cpu: CPURules?
  /// The limits on notifications kept for apps that are not running (rules A11, N1).
  public var notifications: NotificationRules

  /// Creates a policy with these values. A rule whose parameter keeps its default never applies.
  public init(
    multitasking: Bool, foregroundLimit: UInt32?, hasBackgroundRefresh: Bool, hasLowPowerMode: Bool,
    suspendDelay: Interval,
    limits: CallbackLimits, tasks: TaskRules, sessions: [AssertionKind: SessionRules],
    wakes: [AssertionKind: WakeRules],
    lowBattery: UInt8 = 0, lowBatteryReset: UInt8? = nil, lockedFiles: LockedFileRules = .harmless,
    memory: MemoryRules = .unlimited,
    cpu: CPURules? = nil,
    notifications: NotificationRules = .none, facts: FactRules = FactRules(),
    groups: [GroupRules] = [],
    names: PolicyNames = PolicyNames()
  ) {
    self.multitasking = multitasking
    self.foregroundLimit = foregroundLimit
    self.hasBackgroundRefresh = hasBackgroundRefresh
    self.hasLowPowerMode = hasLowPowerMode
    self.suspendDelay = suspendDelay
    self.limits = limits
    self.tasks = tasks
    self.sessions = sessions
    self.wakes = wakes
    self.lowBattery = lowBattery
    self.lowBatteryReset = lowBatteryReset
    self.lockedFiles = lockedFiles
    self.memory = memory
    self.cpu = cpu
    self.notifications = notifications
    self.facts = facts
    self.groups = groups
    self.names = names
  }

  /// Whether a battery at this level is low. Between the two levels, the battery is low if it was
  /// low before.
  func isLow(_ battery: UInt8, before: Bool) -> Bool {
    battery < lowBattery || (before && battery < lowBatteryReset ?? lowBattery)
  }

  /// How wakes of a kind start. The first of these that has an answer decides: the kind's row,
  /// the standard list, the policy that has a row for the kind.
  package func start(of kind: AssertionKind) -> WakeStart {
    wakes[kind]?.start ?? kind.asStandard?.start ?? startsElsewhere[kind] ?? .event
  }

  /// All kinds of the policy, in the order of their numbers.
  var kinds: [AssertionKind] { names.kinds.indices.map { AssertionKind(rawValue: UInt8($0)) } }
}

extension Policy {
  /// Traps if values contradict each other. Policy files are checked when they are read; this check
  /// is for policies made in code.
  func checkPreconditions() {
    precondition(
      tasks.limit <= TaskRules.greatestLimit,
      "A task limit of \(tasks.limit) is more than \(TaskRules.greatestLimit)")
    precondition(foregroundLimit != 0, "A foreground limit of 0")
    precondition(
      lowBatteryReset ?? lowBattery >= lowBattery,
      "The battery stops being low at a level below the one at which it becomes low")
    checkKinds()
    precondition(
      limits.launchWarning <= limits.launch,
      "A launch is reported as slow after \(limits.launchWarning), but ends after \(limits.launch)")
    precondition(
      limits.didEnterBackgroundWarning.map { $0 <= limits.didEnterBackground } ?? true,
      "didEnterBackground is reported as slow only after it ends")
    precondition(
      !multitasking || tasks.warning <= min(tasks.grant, tasks.grantAfterWake),
      "The warning \(tasks.warning) is longer than the grant \(tasks.grant) or, after a wake, \(tasks.grantAfterWake)"
    )
    let lengths = [
      suspendDelay, limits.launch, limits.launchWarning, limits.didEnterBackground,
      limits.willTerminate, tasks.warning, limits.didEnterBackgroundWarning ?? .zero,
      limits.withoutAssertionWarning ?? .zero,
    ]
    precondition(
      lengths.allSatisfy { $0 >= .zero } && groups.allSatisfy { $0.unusedFor >= .zero },
      "A negative length of time")
    precondition(
      groups.count == names.groups.count, "\(groups.count) groups with \(names.groups.count) names")
    // An engine is made for each device of a fleet, so the rows are not copied into arrays.
    for row in sessions.values {
      check([row.linger, row.leeway, row.deferral, row.coalescing], row.leastRoom, row.budgets)
      precondition(row.isSound, "A session's length, warning or deferral makes no sense")
    }
    for row in wakes.values {
      check(
        [row.length, row.leeway, row.schedule.minimumInterval, row.coalescing], row.leastRoom,
        row.budgets)
      precondition(row.schedule.isSound, "A wake's schedule makes no sense")
      precondition(
        row.warning >= .zero && row.warning <= row.length,
        "A wake's warning is negative or longer than its length")
      precondition(row.budget?.isSound ?? true, "A budget makes no sense")
    }
    precondition(memory.isSound, "Memory levels are out of order: \(memory)")
    precondition(cpu?.isSound ?? true, "A window or a share of the processor is out of range")
  }
}

extension Policy {
  /// Checks the lengths and the budgets of a row.
  private func check(_ lengths: [Interval], _ leastRoom: Interval?, _ budgets: [Budget]) {
    precondition(
      lengths.allSatisfy { $0 >= .zero } && leastRoom ?? .zero >= .zero,
      "A negative length of time")
    precondition(
      budgets.count <= Budget.greatestCount, "More than \(Budget.greatestCount) budgets on a row")
    for budget in budgets {
      precondition(budget.isSound, "A budget makes no sense")
      precondition(
        budget.group.map { $0.rawValue < groups.count } ?? true, "A budget of an unknown group")
    }
  }

  /// Checks that each row has a known kind, of the class that the row requires, and that no row
  /// or group requires a fact that blocks it.
  private func checkKinds() {
    let (kinds, names) = (Set(kinds), names)
    for kind in sessions.keys {
      precondition(
        kinds.contains(kind) && names.class(of: kind) == .session,
        "Kind \(kind.rawValue) is not a session")
    }
    for kind in wakes.keys {
      precondition(
        kinds.contains(kind) && names.class(of: kind) == .wake,
        "Kind \(kind.rawValue) is not a wake")
    }
    precondition(
      sessions.values.allSatisfy(\.conditions.isSound)
        && wakes.values.allSatisfy(\.conditions.isSound)
        && groups.allSatisfy(\.conditions.isSound),
      "A row or a group requires a fact that blocks it")
  }
}

/// The limits of callbacks, in wall time from delivery to return (rule A10).
public struct CallbackLimits: Hashable, Sendable {
  /// The limit of a launch: from the delivery of willFinishLaunching to the return
  /// of didFinishLaunching.
  public var launch: Interval
  /// The time after which a launch gets the diagnostic `slowLaunch`.
  public var launchWarning: Interval
  /// The limit of didEnterBackground.
  public var didEnterBackground: Interval
  /// The time after which didEnterBackground gets the diagnostic `slowDidEnterBackground`; nil for
  /// no diagnostic.
  public var didEnterBackgroundWarning: Interval?
  /// The limit of willTerminate.
  public var willTerminate: Interval
  /// The time after which a run loop that is busy in the background, while its app holds no active
  /// assertion, gets the diagnostic `runsWithoutAssertion` (rule A13); nil for no diagnostic.
  public var withoutAssertionWarning: Interval?
  /// The termination code of a watchdog's kill.
  public var code: TerminationCode?

  /// Creates limits with these lengths.
  public init(
    launch: Interval, launchWarning: Interval, didEnterBackground: Interval,
    didEnterBackgroundWarning: Interval? = nil, willTerminate: Interval,
    withoutAssertionWarning: Interval? = nil, code: TerminationCode?
  ) {
    self.launch = launch
    self.launchWarning = launchWarning
    self.didEnterBackground = didEnterBackground
    self.didEnterBackgroundWarning = didEnterBackgroundWarning
    self.willTerminate = willTerminate
    self.withoutAssertionWarning = withoutAssertionWarning
    self.code = code
  }
}
