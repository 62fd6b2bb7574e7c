/// The values that the rules name, compiled for the engine: what may run in the background, for how
/// long, and what happens at the end.
///
/// Every number comes from a policy file, which also keeps its source; the engine has none
/// of its own.
public struct Policy: Hashable, Sendable {
  /// Whether apps may leave the foreground without ending (rule A9).
  public var multitasking: Bool
  /// How many apps may be in the foreground at a time; nil for any number.
  public var foregroundLimit: UInt32?
  /// Whether the Background App Refresh switch exists. Where it does not, it denies nothing.
  public var hasBackgroundRefresh: Bool
  /// Whether Low Power Mode exists. Where it does not, it denies nothing.
  public var hasLowPowerMode: Bool
  /// How long an app that holds no assertion goes on before it is suspended (rule A6).
  public var suspendDelay: Interval
  /// What callbacks may take (rule A10).
  public var limits: CallbackLimits
  /// Finite-length tasks (rules F1–F12).
  public var tasks: TaskRules
  /// Sessions that are admitted at all, by kind.
  public var sessions: [AssertionKind: SessionRules]
  /// Wakes that are admitted at all, by kind.
  public var wakes: [AssertionKind: WakeRules]
  /// The facts that it declares.
  public var facts: FactRules
  /// The groups of apps that budgets tell apart, in the order of `PolicyNames.groups`.
  public var groups: [GroupRules]
  /// What files call its kinds, modes, facts and groups.
  public var names: PolicyNames
  /// The starts of wakes that only another policy has a row for: see `PolicyNames.adding(_:)`.
  package var startsElsewhere: [AssertionKind: WakeStart] = [:]
  /// Under this percentage a battery that is not charging is low.
  public var lowBattery: UInt8
  /// From this percentage on it is low no more; nil for `lowBattery`.
  public var lowBatteryReset: UInt8?
  /// Locked files (rule D3).
  public var lockedFiles: LockedFileRules
  /// Memory (rules M1, M2).
  public var memory: MemoryRules
  /// What an app in the background may use of the processor (rule D4); nil for any share.
  public var cpu: CPURules?
  /// What is kept for apps that do not run (rules A11, N1).
  public var notifications: NotificationRules

  /// A policy of these values; without a rule where one is left out.
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

  /// Whether a battery at a level is low, which depends on whether it was: between the two levels
  /// it stays as it was.
  func isLow(_ battery: UInt8, before: Bool) -> Bool {
    battery < lowBattery || (before && battery < lowBatteryReset ?? lowBattery)
  }

  /// How wakes of a kind come about: as the row says, or the standard, or the policy that has
  /// the kind.
  package func start(of kind: AssertionKind) -> WakeStart {
    wakes[kind]?.start ?? kind.asStandard?.start ?? startsElsewhere[kind] ?? .event
  }

  /// Every kind that it knows, in the order of their numbers.
  var kinds: [AssertionKind] { names.kinds.indices.map { AssertionKind(rawValue: UInt8($0)) } }
}

extension Policy {
  /// Stops the program where values contradict each other. Policy files are checked where they are
  /// read; this is for policies made in code.
  func checkPreconditions() {
    precondition(
      tasks.limit <= TaskRules.greatestLimit,
      "A task limit of \(tasks.limit) is more than \(TaskRules.greatestLimit)")
    precondition(foregroundLimit != 0, "A foreground for nobody")
    precondition(
      lowBatteryReset ?? lowBattery >= lowBattery,
      "A battery that is low no more under the level at which it is")
    checkKinds()
    precondition(
      limits.launchWarning <= limits.launch,
      "A launch is slow after \(limits.launchWarning), overrun after \(limits.launch)")
    precondition(
      !multitasking || tasks.warning <= min(tasks.grant, tasks.grantAfterWake),
      "A warning \(tasks.warning) before the end of grants of \(tasks.grant) and \(tasks.grantAfterWake)"
    )
    let lengths =
      [
        suspendDelay, limits.launch, limits.launchWarning, limits.didEnterBackground,
        limits.willTerminate, tasks.warning,
      ]
      + sessions.values.map(\.linger) + wakes.values.map(\.length)
      + wakes.values.flatMap { [$0.schedule.minimumInterval, $0.coalescing] }
      + groups.map(\.unusedFor)
      + sessions.values.map(\.leeway) + wakes.values.map(\.leeway)
      + sessions.values.flatMap { [$0.deferral, $0.coalescing] }
      + sessions.values.compactMap(\.leastRoom) + wakes.values.compactMap(\.leastRoom)
    precondition(lengths.allSatisfy { $0 >= .zero }, "A negative length of time")
    precondition(wakes.values.allSatisfy(\.schedule.isSound), "A wake's schedule makes no sense")
    precondition(
      wakes.values.allSatisfy { $0.warning >= .zero && $0.warning <= $0.length },
      "A wake's warning before its beginning")
    precondition(
      sessions.values.allSatisfy(\.isSound),
      "A session's length, warning or deferral makes no sense")
    let budgets = sessions.values.flatMap(\.budgets) + wakes.values.flatMap(\.budgets)
    precondition(
      wakes.values.allSatisfy { $0.budget?.isSound ?? true } && budgets.allSatisfy(\.isSound),
      "A budget makes no sense")
    precondition(
      (sessions.values.map(\.budgets.count) + wakes.values.map(\.budgets.count)).allSatisfy {
        $0 <= Budget.greatestCount
      },
      "More than \(Budget.greatestCount) budgets on a row")
    precondition(
      groups.count == names.groups.count, "\(groups.count) groups with \(names.groups.count) names")
    precondition(
      budgets.allSatisfy { $0.group.map { $0.rawValue < groups.count } ?? true },
      "A budget of a group that there is not")
    precondition(memory.isSound, "Levels of memory out of order: \(memory)")
    precondition(cpu?.isSound ?? true, "A window or a share of the processor out of range")
  }
}

extension Policy {
  /// Each kind has one class, and a number that there can be.
  private func checkKinds() {
    let (kinds, names) = (Set(kinds), names)
    for kind in sessions.keys {
      precondition(
        kinds.contains(kind) && names.class(of: kind) == .session,
        "Kind \(kind.rawValue) is no session's name")
    }
    for kind in wakes.keys {
      precondition(
        kinds.contains(kind) && names.class(of: kind) == .wake,
        "Kind \(kind.rawValue) is no wake's name")
    }
    let conditions =
      sessions.values.map(\.conditions) + wakes.values.map(\.conditions) + groups.map(\.conditions)
    precondition(
      conditions.allSatisfy { $0.requires.isDisjoint(with: $0.blockedBy) },
      "A row or a group requires what it is blocked by")
  }
}

/// How long callbacks may take, in wall time from delivery to return (rule A10).
public struct CallbackLimits: Hashable, Sendable {
  /// From the delivery of willFinishLaunching to the return of didFinishLaunching.
  public var launch: Interval
  /// After this much of a launch a diagnostic says that it is slow.
  public var launchWarning: Interval
  /// didEnterBackground.
  public var didEnterBackground: Interval
  /// willTerminate.
  public var willTerminate: Interval
  /// The code of a watchdog's kill.
  public var code: TerminationCode?

  /// Limits of these lengths.
  public init(
    launch: Interval, launchWarning: Interval, didEnterBackground: Interval,
    willTerminate: Interval, code: TerminationCode?
  ) {
    self.launch = launch
    self.launchWarning = launchWarning
    self.didEnterBackground = didEnterBackground
    self.willTerminate = willTerminate
    self.code = code
  }
}
