/// The values that the rules name, compiled for the engine: what may run in the background, for how long, and what happens at the end.
///
/// Every number comes from a policy file, which also keeps its source; the engine has none of its own.
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

  /// A policy of these values.
  public init(
    multitasking: Bool, foregroundLimit: UInt32?, hasBackgroundRefresh: Bool, hasLowPowerMode: Bool, suspendDelay: Interval,
    limits: CallbackLimits, tasks: TaskRules, sessions: [AssertionKind: SessionRules], wakes: [AssertionKind: WakeRules]
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
  }
}

extension Policy {
  /// Stops the program where values contradict each other. Policy files are checked where they are read; this is for policies made in code.
  func checkPreconditions() {
    precondition(tasks.limit <= TaskRules.greatestLimit, "A task limit of \(tasks.limit) is more than \(TaskRules.greatestLimit)")
    precondition(foregroundLimit != 0, "A foreground for nobody")
    precondition(limits.launchWarning <= limits.launch, "A launch is slow after \(limits.launchWarning), overrun after \(limits.launch)")
    precondition(
      !multitasking || tasks.warning <= min(tasks.grant, tasks.grantAfterWake),
      "A warning \(tasks.warning) before the end of grants of \(tasks.grant) and \(tasks.grantAfterWake)")
    let lengths =
      [suspendDelay, limits.launch, limits.launchWarning, limits.didEnterBackground, limits.willTerminate, tasks.warning]
      + sessions.values.map(\.linger) + wakes.values.map(\.length)
    precondition(lengths.allSatisfy { $0 >= .zero }, "A negative length of time")
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
  public init(launch: Interval, launchWarning: Interval, didEnterBackground: Interval, willTerminate: Interval, code: TerminationCode?) {
    self.launch = launch
    self.launchWarning = launchWarning
    self.didEnterBackground = didEnterBackground
    self.willTerminate = willTerminate
    self.code = code
  }
}

/// The row of finite-length tasks.
public struct TaskRules: Hashable, Sendable {
  /// What a visit to the background is granted (rule F2).
  public var grant: Interval
  /// What a visit that a wake began is granted (rule F2).
  public var grantAfterWake: Interval
  /// How long before the end the expiration handlers are due (rule F5).
  public var warning: Interval
  /// How many tasks an app may hold open (rule F9).
  public var limit: UInt32
  /// The code of a kill for holding more than `limit`.
  public var limitCode: TerminationCode?
  /// The code of a kill at the end of the grant (rule F6).
  public var code: TerminationCode?
  /// The age from which an open task is worth a diagnostic; nil for never.
  public var ageWarning: Interval?
  /// What a begin after the visit's warning gets (rule F7).
  public var lateBegin: LateBegin
  /// Whether Background App Refresh denies finite-length tasks (rule F12).
  public var refreshGate: RefreshGate

  /// The greatest `limit` that there may be: tasks are counted in sixteen bits.
  public static let greatestLimit: UInt32 = 65_000

  /// What a begin after the visit's warning gets.
  public enum LateBegin: UInt8, Hashable, Sendable {
    /// A valid task that gains nothing.
    case valid
    /// Nothing: `strict: true`.
    case invalid
  }

  /// Whether Background App Refresh denies finite-length tasks.
  public enum RefreshGate: UInt8, Hashable, Sendable {
    /// Never, as the system does.
    case open
    /// Yes, as the seed text says: `seedStrict: true`.
    case seedStrict
  }

  /// Rules of these values.
  public init(
    grant: Interval, grantAfterWake: Interval, warning: Interval, limit: UInt32, limitCode: TerminationCode?, code: TerminationCode?,
    ageWarning: Interval?, lateBegin: LateBegin, refreshGate: RefreshGate
  ) {
    self.grant = grant
    self.grantAfterWake = grantAfterWake
    self.warning = warning
    self.limit = limit
    self.limitCode = limitCode
    self.code = code
    self.ageWarning = ageWarning
    self.lateBegin = lateBegin
    self.refreshGate = refreshGate
  }
}

/// The row of a session (rules L1–L3).
public struct SessionRules: Hashable, Sendable {
  /// Whether the task clock stands still while it is on (rule F3).
  public var stopsTaskClock: Bool
  /// How long its assertion outlives it (rule L2).
  public var linger: Interval

  /// Rules of these values.
  public init(stopsTaskClock: Bool, linger: Interval) {
    self.stopsTaskClock = stopsTaskClock
    self.linger = linger
  }
}

/// The row of a wake (rules W1, W2).
public struct WakeRules: Hashable, Sendable {
  /// Modes of which the manifest must declare one; empty where none is needed.
  public var modes: BackgroundModes
  /// Whether it may launch an app that is not running.
  public var relaunches: Bool
  /// Whether it may do so after a force quit.
  public var survivesForceQuit: Bool
  /// The facts about the device and the user's switches that deny it.
  public var deniedBy: DenialReasons
  /// How long it may run, from delivery.
  public var length: Interval
  /// What happens at the end of `length`.
  public var overrun: Overrun
  /// The code of an overrun's kill.
  public var code: TerminationCode?

  /// What an overrun means.
  public enum Overrun: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// The app is terminated.
    case kill
    /// The assertion ends and the app may be suspended.
    case drop
  }

  /// Rules of these values.
  public init(
    modes: BackgroundModes, relaunches: Bool, survivesForceQuit: Bool, deniedBy: DenialReasons, length: Interval, overrun: Overrun,
    code: TerminationCode?
  ) {
    self.modes = modes
    self.relaunches = relaunches
    self.survivesForceQuit = survivesForceQuit
    self.deniedBy = deniedBy
    self.length = length
    self.overrun = overrun
    self.code = code
  }
}
