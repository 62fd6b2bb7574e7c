/// What an app's run loop is in the middle of.
enum Delivery: UInt8 {
  /// Nothing: it is free.
  case none
  case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground, willEnterForeground, willTerminate
  case didReceiveMemoryWarning, expirationHandler, event

  /// The callback whose limit is running (rule A10).
  var limitedCallback: Callback? {
    switch self {
    case .willFinishLaunching: .willFinishLaunching
    case .didFinishLaunching: .didFinishLaunching
    case .didEnterBackground: .didEnterBackground
    case .willTerminate: .willTerminate
    case .none, .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning, .expirationHandler, .event: nil
    }
  }
}

/// Yes-or-no matters of an app.
struct AppFlags: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  /// `UIApplicationExitsOnSuspend`.
  static let exitsOnSuspend = AppFlags(rawValue: 1 << 0)
  /// Force-quit, and not opened by the user since (rule A7).
  static let forceQuit = AppFlags(rawValue: 1 << 1)
  /// Holds one of the places in the foreground.
  static let inFront = AppFlags(rawValue: 1 << 2)
  /// The task clock runs.
  static let clockRuns = AppFlags(rawValue: 1 << 3)
  /// The clock of this visit has run with no more than the warning left.
  static let warned = AppFlags(rawValue: 1 << 4)
  /// This launch has been called slow.
  static let launchWarned = AppFlags(rawValue: 1 << 5)
  /// Is to be suspended at this very instant, once the step is over.
  static let suspensionDue = AppFlags(rawValue: 1 << 6)
  /// Is to be suspended at the deadline that its timer stands for.
  static let suspensionWaits = AppFlags(rawValue: 1 << 9)
  /// The app's own Background App Refresh switch is off.
  static let refreshDenied = AppFlags(rawValue: 1 << 7)
  /// It is off and the user cannot turn it on.
  static let refreshRestricted = AppFlags(rawValue: 1 << 8)

  /// Has locked files.
  static let holdsLock = AppFlags(rawValue: 1 << 10)
  /// Has said what it uses of the processor.
  static let usesCPU = AppFlags(rawValue: 1 << 11)
  /// Has requests that are due and wait for something.
  static let requestsWait = AppFlags(rawValue: 1 << 12)
  /// Is owed what was posted while it was suspended.
  static let isOwedPosts = AppFlags(rawValue: 1 << 13)
  /// The first line of what was delivered has been reached, where the host tells.
  static let hasBegun = AppFlags(rawValue: 1 << 14)

  /// What outlives a process.
  static let ofTheApp: AppFlags = [.exitsOnSuspend, .forceQuit, .refreshDenied, .refreshRestricted, .requestsWait]
}

/// An app. One cache line; what else an idle app costs is nothing.
struct App: BitwiseCopyable {
  /// While the task clock runs: when the grant ends. While it stands still: what is left of the grant, as nanoseconds.
  var clock: Int64 = 0
  /// Since when the app has been in the background without an active assertion.
  var quietSince: Int64 = 0
  var clockTimer = TimerQueue.ID.none
  /// A callback's limit, or the app's suspension: while a callback runs nobody is suspended. Of a suspension that is due at once, its ticket.
  var timer = TimerQueue.ID.none
  /// The last of a ring of assertions in the order in which they came; its `next` is the first.
  var lastAssertion = UInt32.max
  /// The last of a ring of what waits for the run loop.
  var lastItem = UInt32.max
  /// Counts this app's visits to the background.
  var visit: UInt32 = 0
  /// Counts this app's processes.
  var process: UInt32 = 0
  /// The number of the last task begun in this process.
  var lastTask: UInt32 = 0
  /// When it last left the foreground, as a number that grows; 0 for never.
  var frontStamp: UInt32 = 0
  /// Active sessions and wakes.
  var otherAssertions: UInt16 = 0
  /// Those of them that define the start of the task clock (rule F3).
  var startDefining: UInt16 = 0
  var openTasks: UInt16 = 0
  /// Tasks of this visit that were begun after its warning and have ended: they still count towards the limit (rule F9).
  var lateTasks: UInt16 = 0
  var modes: BackgroundModes
  var flags: AppFlags
  var state = AppState.notRunning
  var presence = Presence.notRunning
  var delivery = Delivery.none
  var reasons = AppReasons()

  var isRunning: Bool { state.isRunning }
}

extension AppState {
  /// Whether the app's code runs.
  @inline(__always)
  var isRunning: Bool {
    switch self {
    case .notRunning, .suspended: false
    case .inactive, .active, .background: true
    }
  }
}

/// Two reasons in a byte: four bits why this visit's handlers are called, four bits what a termination in progress will say.
struct AppReasons: BitwiseCopyable {
  private var bits: UInt8 = 0

  var expiration: ExpirationReason {
    get { ExpirationReason(rawValue: bits & 15) ?? .timeLimit }
    set { bits = bits & 0xf0 | newValue.rawValue }
  }

  var quit: TerminationReason {
    get { TerminationReason(rawValue: bits >> 4) ?? .normalAppExit }
    set { bits = bits & 15 | newValue.rawValue << 4 }
  }
}

/// A reason to run: a task, a session or a wake. One record for all kinds, one cache line.
struct Assertion: BitwiseCopyable {
  enum Phase: UInt8 {
    /// A task whose handler has not been due; a session that is on; a wake that waits for the run loop.
    case fresh
    /// A task whose handler is due in the visit `dueVisit`; a session that has stopped and lingers; a wake that was delivered.
    case second
    /// A task whose handler has been called.
    case called
  }

  var began: Int64
  var due: Int64 = 0
  var app: UInt32
  /// A task's number; 0 for other kinds and for a freed record.
  var id: UInt32 = 0
  var label: UInt32 = 0
  var process: UInt32
  var next = UInt32.max
  var previous = UInt32.max
  /// Where it stands among all open tasks, by age.
  var agePlace: UInt32 = 0
  var dueVisit: UInt32 = 0
  /// The visit after whose warning a task was begun. In a later visit it is a task like any other.
  var lateVisit = UInt32.max
  /// A wake's end, or a session's linger.
  var timer = TimerQueue.ID.none
  var kind: AssertionKind
  var phase = Phase.fresh
  var handler = ExpirationHandler.absent
  var isInAgeLine = false
  /// A wake that is over as soon as it is delivered: what it waited for has gone meanwhile.
  var endsOnDelivery = false
}

/// Something that waits for an app's run loop.
struct RunLoopItem: BitwiseCopyable {
  enum Kind: UInt8 {
    case lifecycle
    /// An expiration handler.
    case expiration
    /// A wake's event.
    case wake
    /// An event that found the app in the foreground.
    case event
    case memoryWarning
    /// A post: its name in `assertion`, its value in `id`.
    case post
    /// A local notification: its number in `id`.
    case localNotification
  }

  var next = UInt32.max
  /// The assertion's place, and what tells whether it is still the same one and still to be called.
  var assertion: UInt32 = 0
  var id: UInt32 = 0
  var visit: UInt32 = 0
  var kind: Kind
  var step = LifecycleStep.none
  var eventKind = AssertionKind.finiteTask
}

/// A callback's limit that has not come into the timer queue, because most callbacks return before anybody asks for the next deadline.
struct PendingLimit: BitwiseCopyable {
  var app: UInt32
  var deadline: Instant
  var ticket: UInt64
}

/// A suspension without delay: due at once, but in its place among the deadlines of this instant.
struct DueSuspension: BitwiseCopyable {
  var app: UInt32
  var deadline: Instant
  var ticket: UInt64
}

/// Something that a device-wide step still has to do to one app, before anything else happens.
struct AgendaItem: BitwiseCopyable {
  enum Work: UInt8 { case gesture, expireTasks, memoryWarning, reconsider }

  var app: UInt32
  var work: Work
  var gesture = Gesture.sendAway
  var reason = ExpirationReason.policyRevoked
}
