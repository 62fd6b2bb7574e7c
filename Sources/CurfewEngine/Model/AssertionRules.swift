/// The row of finite-length tasks.
public struct TaskRules: Hashable, Sendable {
  /// The grant of a visit to the background (rule F2).
  public var grant: Interval
  /// The grant of a visit that a wake began (rule F2).
  public var grantAfterWake: Interval
  /// How long before the end the expiration handlers are due (rule F5).
  public var warning: Interval
  /// The number of tasks that an app may hold open (rule F9).
  public var limit: UInt32
  /// The code of a kill for holding more than `limit`.
  public var limitCode: TerminationCode?
  /// The code of a kill at the end of the grant (rule F6).
  public var code: TerminationCode?
  /// The age at which an open task gets the diagnostic `taskTooOld`; nil for never.
  public var ageWarning: Interval?
  /// The answer to a begin after the visit's warning (rule F7).
  public var lateBegin: LateBegin
  /// Whether Background App Refresh denies finite-length tasks (rule F12).
  public var refreshGate: RefreshGate
  /// The effect of a late warning on the end of the grant (rule F6).
  public var whenLate: WhenLate
  /// The thermal state that ends all grants early (rule F11); nil for none.
  public var thermalExpiry: ThermalState?

  /// The greatest `limit` that a policy may have: tasks are counted in 16 bits.
  package static let greatestLimit: UInt32 = 65_000

  /// The answer to a begin after the visit's warning.
  public enum LateBegin: UInt8, Hashable, Sendable {
    /// A valid task that gains nothing.
    case valid
    /// No task: `strict: true`.
    case invalid
  }

  /// Whether Background App Refresh denies finite-length tasks.
  public enum RefreshGate: UInt8, Hashable, Sendable {
    /// Never, as on iOS.
    case open
    /// Yes, as some texts say: `seedStrict: true`.
    case seedStrict
  }

  /// The effect on the end of a grant if the warning is late, as in a real-time host after sleep.
  public enum WhenLate: UInt8, Hashable, Sendable {
    /// The end stays where it was.
    case kill
    /// The end moves to the instant `warning` after the late warning, so that no app is killed
    /// because its host slept.
    case extend
  }

  /// Creates rules with these values.
  public init(
    grant: Interval, grantAfterWake: Interval, warning: Interval, limit: UInt32,
    limitCode: TerminationCode?, code: TerminationCode?,
    ageWarning: Interval?, lateBegin: LateBegin, refreshGate: RefreshGate,
    whenLate: WhenLate = .extend, thermalExpiry: ThermalState? = nil
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
    self.whenLate = whenLate
    self.thermalExpiry = thermalExpiry
  }
}

/// The consequence for a session or a wake that runs longer than it may.
public enum Overrun: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The app is terminated.
  case kill
  /// The assertion ends and the app may be suspended.
  case drop
  /// The overrun is reported and nothing else happens: the assertion continues.
  case tell
}

/// The consequence for a wake whose warning comes while it has no expiration handler (rule W6).
public enum UnhandledWarning: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The wake ends there, unsuccessfully. The app is not terminated.
  case end
  /// Nothing. The wake continues, and may overrun.
  case overrun
}

/// The consequence for an app that completes a wake which it has already completed (rule W2).
public enum CompletedTwice: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The diagnostic `alreadyCompleted`, and nothing else.
  case remark
  /// The diagnostic, and the process ends with an exception.
  case end
}

extension CompletedTwice {
  /// The exception of UIKit that ends such a process, as reports of devices show it.
  package static let exception =
    "NSInternalInconsistencyException: this request has been neutered - you can't call -sendResponse: twice nor after encoding it"
}

/// The row of a session (rules L1–L4).
///
/// A length and budgets apply to runs. A run is a period during which the session is on
/// in the background. In the foreground a session may continue without limit. Every visit to the
/// background begins another run, as it begins another grant of finite-length tasks (rule F2).
public struct SessionRules: Hashable, Sendable {
  /// The modes of which the manifest must declare one; empty if none is needed. Nil means the modes
  /// in the standard list; for a policy's own kind there are none.
  public var modes: BackgroundModes?
  /// Whether the task clock stands still while the session is on (rule F3).
  public var stopsTaskClock: Bool
  /// How long the assertion outlives the session (rule L2).
  public var linger: Interval
  /// The facts that must hold, and the facts that must not.
  public var conditions: FactConditions
  /// Whether its app is purged only after all apps without such an assertion (rule M1).
  public var isPurgedLast: Bool
  /// How much later the linger may end, so that its end coincides with other deadlines.
  public var leeway: Interval
  /// The length of a run; nil for no limit.
  public var length: Interval?
  /// How long before the end the expiration handler is due; zero for no warning.
  public var warning: Interval
  /// The consequence if a run reaches `length` or uses up a budget's run time.
  public var overrun: Overrun
  /// The termination code of a kill by overrun.
  public var code: TerminationCode?
  /// How long the session is deferred after a run has been dropped at `length`. The session then
  /// resumes by itself for another `length`, repeatedly. Zero for no deferral.
  public var deferral: Interval
  /// The ratio of each deferral to the previous one. Deferrals start from `deferral` again when
  /// the session is stopped or the app comes to the foreground.
  public var deferralFactor: ScaleFactor
  /// The longest deferral; nil for no limit.
  public var longestDeferral: Interval?
  /// The budgets, in several windows and by group. Budgets of run time also end runs.
  public var budgets: [Budget]
  /// How long after the end of a run an admission still belongs to the same session, for budgets
  /// that count sessions.
  public var coalescing: Interval
  /// The least room: an admission needs more than this left in every budget of run time (rule W4).
  /// If nil, it needs more than `warning`.
  public var leastRoom: Interval?
  /// `leastRoom`, or the default if it is nil.
  package var room: Interval { leastRoom ?? warning }

  /// Creates rules with these values.
  public init(
    modes: BackgroundModes? = nil, stopsTaskClock: Bool, linger: Interval,
    conditions: FactConditions = FactConditions(), isPurgedLast: Bool = false,
    leeway: Interval = .zero, length: Interval? = nil, warning: Interval = .zero,
    overrun: Overrun = .drop, code: TerminationCode? = nil,
    deferral: Interval = .zero, deferralFactor: ScaleFactor = .one,
    longestDeferral: Interval? = nil,
    budgets: [Budget] = [],
    coalescing: Interval = .zero, leastRoom: Interval? = nil
  ) {
    self.leastRoom = leastRoom
    self.modes = modes
    self.leeway = leeway
    self.length = length
    self.warning = warning
    self.overrun = overrun
    self.code = code
    self.deferral = deferral
    self.deferralFactor = deferralFactor
    self.longestDeferral = longestDeferral
    self.budgets = budgets
    self.coalescing = coalescing
    self.stopsTaskClock = stopsTaskClock
    self.linger = linger
    self.conditions = conditions
    self.isPurgedLast = isPurgedLast
  }

  var isSound: Bool {
    let isRenewed = deferral > .zero
    return warning >= .zero && length.map { $0 > .zero && warning <= $0 } ?? (!isRenewed)
      && (!isRenewed || overrun == .drop)
      && deferralFactor >= .one && longestDeferral.map { $0 >= deferral } ?? true
  }
}

/// The row of a wake (rules W1–W5).
public struct WakeRules: Hashable, Sendable {
  /// The modes of which the manifest must declare one; empty if none is needed.
  public var modes: BackgroundModes
  /// Whether it may launch an app that is not running.
  public var relaunches: Bool
  /// Whether it may do so after a force quit.
  public var survivesForceQuit: Bool
  /// The facts that must hold, and the facts that must not.
  public var conditions: FactConditions
  /// How it starts, in addition to events; nil means the start in the standard list.
  public var start: WakeStart?
  /// Whether requests for it wait until nobody uses the device, and the wake ends when somebody
  /// does (rule W5).
  public var waitsForIdle: Bool
  /// Whether the task clock stands still while it is held (rule F3).
  public var stopsTaskClock: Bool
  /// How long the assertion outlives the wake's completion.
  public var linger: Interval
  /// Whether its app is purged only after all apps without such an assertion (rule M1).
  public var isPurgedLast: Bool
  /// How much later the system may start the wake, and its linger may end, so that both coincide
  /// with other deadlines.
  public var leeway: Interval
  /// How long it may run, counted from its delivery.
  public var length: Interval
  /// How long before the end its expiration handler is due (rule W6); zero for no warning.
  public var warning: Interval
  /// The consequence if the warning comes while the wake has no expiration handler.
  public var unhandledWarning: UnhandledWarning
  /// The consequence if its app completes it twice.
  public var completedTwice: CompletedTwice
  /// The consequence if a wake reaches `length`.
  public var overrun: Overrun
  /// The termination code of a kill by overrun.
  public var code: TerminationCode?
  /// The schedule of the system's starts, for kinds that the system starts (rules W3, W5).
  public var schedule: WakeSchedule
  /// The budget that denies the next wake when it is used up (rule W4); nil for none.
  public var budget: WakeBudget?
  /// Further budgets, in several windows and by group. Budgets of run time also end running wakes.
  public var budgets: [Budget]
  /// How long after the end of a run an admission still belongs to the same session, for budgets
  /// that count sessions.
  public var coalescing: Interval
  /// The least room: an admission needs more than this left in every budget of run time (rule W4).
  /// If nil, it needs more than `warning`.
  public var leastRoom: Interval?
  /// `leastRoom`, or the default if it is nil.
  package var room: Interval { leastRoom ?? warning }
  /// The number of requests of this kind that an app may have pending (rule W5); nil if the kind
  /// cannot be requested.
  public var pendingLimit: UInt32?

  /// Creates rules with these values.
  public init(
    modes: BackgroundModes, relaunches: Bool, survivesForceQuit: Bool,
    conditions: FactConditions = FactConditions(), start: WakeStart? = nil,
    waitsForIdle: Bool = false, stopsTaskClock: Bool = true,
    linger: Interval = .zero, isPurgedLast: Bool = false, length: Interval,
    warning: Interval = .zero, unhandledWarning: UnhandledWarning = .overrun,
    completedTwice: CompletedTwice = .remark,
    overrun: Overrun,
    code: TerminationCode?, schedule: WakeSchedule = WakeSchedule(), budget: WakeBudget? = nil,
    budgets: [Budget] = [],
    coalescing: Interval = .zero, leastRoom: Interval? = nil, pendingLimit: UInt32? = nil,
    leeway: Interval = .zero
  ) {
    self.leastRoom = leastRoom
    self.leeway = leeway
    self.modes = modes
    self.relaunches = relaunches
    self.survivesForceQuit = survivesForceQuit
    self.conditions = conditions
    self.start = start
    self.waitsForIdle = waitsForIdle
    self.stopsTaskClock = stopsTaskClock
    self.linger = linger
    self.isPurgedLast = isPurgedLast
    self.length = length
    self.warning = warning
    self.overrun = overrun
    self.code = code
    self.schedule = schedule
    self.budget = budget
    self.budgets = budgets
    self.coalescing = coalescing
    self.pendingLimit = pendingLimit
    self.unhandledWarning = unhandledWarning
    self.completedTwice = completedTwice
  }
}
