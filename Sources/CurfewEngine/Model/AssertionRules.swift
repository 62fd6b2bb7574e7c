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
  /// What a host that comes too late to warn means for the end (rule F6).
  public var whenLate: WhenLate
  /// How hot the device must get for all grants to end early (rule F11); nil for never.
  public var thermalExpiry: ThermalState?

  /// The greatest `limit` that there may be: tasks are counted in sixteen bits.
  package static let greatestLimit: UInt32 = 65_000

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
    /// Yes, as some texts say: `seedStrict: true`.
    case seedStrict
  }

  /// What becomes of the end where a warning comes later than it should come before that: on a host
  /// in real time that has slept.
  public enum WhenLate: UInt8, Hashable, Sendable {
    /// It comes when it should have come.
    case kill
    /// It comes as long after the warning as the warning should have come before it: nobody
    /// is killed for its host's sleep.
    case extend
  }

  /// Rules of these values.
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

/// What it means that a session or a wake goes on for longer than it may.
public enum Overrun: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The app is terminated.
  case kill
  /// The assertion ends and the app may be suspended.
  case drop
  /// It is told, and nothing else: the assertion goes on.
  case tell
}

/// The row of a session (rules L1–L4).
///
/// Where it has a length or budgets, what counts is a run: a stretch for which it is on in the
/// background. In front it may go on as long as it likes, and every visit to the background begins
/// another run, as it begins another grant of finite-length tasks (rule F2).
public struct SessionRules: Hashable, Sendable {
  /// Modes of which the manifest must declare one, empty where none is needed; nil for as the
  /// standard list says, which for a policy's own kind is none.
  public var modes: BackgroundModes?
  /// Whether the task clock stands still while it is on (rule F3).
  public var stopsTaskClock: Bool
  /// How long its assertion outlives it (rule L2).
  public var linger: Interval
  /// The facts that it looks at.
  public var conditions: FactConditions
  /// Whether it keeps its app from being purged as long as others are left (rule M1).
  public var isPurgedLast: Bool
  /// How much later the end of its linger may come, so that it meets others.
  public var leeway: Interval
  /// How long a run may take; nil for as long as it likes.
  public var length: Interval?
  /// How long before the end its expiration handler is due; zero for no warning.
  public var warning: Interval
  /// What happens at the end of `length`, or when a budget's run time is used up.
  public var overrun: Overrun
  /// The code of an overrun's kill.
  public var code: TerminationCode?
  /// How long after an overrun that drops it, by its length, it goes on again by itself: `length`
  /// is a term then, which is held again and again. Zero for never.
  public var deferral: Interval
  /// How many times as long each deferral is as the one before, until the session is stopped
  /// or the app comes to the front.
  public var deferralFactor: Factor
  /// How long a deferral gets at most; nil for as long as it grows.
  public var longestDeferral: Interval?
  /// What an app may have of it, in several windows, and by group. Run time among it also ends
  /// what runs.
  public var budgets: [Budget]
  /// How soon after a run's end another is of the same session, for budgets that count sessions.
  public var coalescing: Interval
  /// The run time of which an admission needs more in every budget of run time (rule W4). Nil for
  /// as much as `warning`.
  public var leastRoom: Interval?
  /// The same, with the default in the place of nil.
  package var room: Interval { leastRoom ?? warning }

  /// Rules of these values.
  public init(
    modes: BackgroundModes? = nil, stopsTaskClock: Bool, linger: Interval,
    conditions: FactConditions = FactConditions(), isPurgedLast: Bool = false,
    leeway: Interval = .zero, length: Interval? = nil, warning: Interval = .zero,
    overrun: Overrun = .drop, code: TerminationCode? = nil,
    deferral: Interval = .zero, deferralFactor: Factor = .one, longestDeferral: Interval? = nil,
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
  /// Modes of which the manifest must declare one; empty where none is needed.
  public var modes: BackgroundModes
  /// Whether it may launch an app that is not running.
  public var relaunches: Bool
  /// Whether it may do so after a force quit.
  public var survivesForceQuit: Bool
  /// The facts that have to hold, and those that must not.
  public var conditions: FactConditions
  /// How it comes about, beside being delivered; nil for as the standard list says.
  public var start: WakeStart?
  /// Whether requests for it wait until nobody is at the device, and it ends when somebody comes
  /// (rule W5).
  public var waitsForIdle: Bool
  /// Whether the task clock stands still while it is held (rule F3).
  public var stopsTaskClock: Bool
  /// How long its assertion outlives its completion.
  public var linger: Interval
  /// Whether it keeps its app from being purged as long as others are left (rule M1).
  public var isPurgedLast: Bool
  /// How much later the system may start it, and the end of its linger may come, so that they
  /// meet others.
  public var leeway: Interval
  /// How long it may run, from delivery.
  public var length: Interval
  /// How long before the end its expiration handler is due (rule W6); zero for no warning.
  public var warning: Interval
  /// What happens at the end of `length`.
  public var overrun: Overrun
  /// The code of an overrun's kill.
  public var code: TerminationCode?
  /// When the system starts it, where it does (rules W3, W5).
  public var schedule: WakeSchedule
  /// What an app may have of it in a time before the next is refused (rule W4); nil for any amount.
  public var budget: WakeBudget?
  /// What else an app may have of it, in several windows, and by group. Run time among it also ends
  /// what runs.
  public var budgets: [Budget]
  /// How soon after a run's end another is of the same session, for budgets that count sessions.
  public var coalescing: Interval
  /// The run time of which an admission needs more in every budget of run time (rule W4). Nil for
  /// as much as `warning`.
  public var leastRoom: Interval?
  /// The same, with the default in the place of nil.
  package var room: Interval { leastRoom ?? warning }
  /// How many requests of this kind an app may have pending (rule W5); nil for a kind that
  /// is not requested.
  public var pendingLimit: UInt32?

  /// Rules of these values.
  public init(
    modes: BackgroundModes, relaunches: Bool, survivesForceQuit: Bool,
    conditions: FactConditions = FactConditions(), start: WakeStart? = nil,
    waitsForIdle: Bool = false, stopsTaskClock: Bool = true,
    linger: Interval = .zero, isPurgedLast: Bool = false, length: Interval,
    warning: Interval = .zero, overrun: Overrun,
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
  }
}
