/// An app. One cache line; what else an idle app costs is nothing.
struct App: BitwiseCopyable {
  /// While the task clock runs: when the grant ends. While it stands still: what is left of the
  /// grant, as nanoseconds.
  var clock: Int64 = 0
  /// Since when the app has been in the background without an active assertion.
  var quietSince: Int64 = 0
  var clockTimer = TimerQueue.ID.none
  /// A callback's limit, or the app's suspension: while a callback runs nobody is suspended. Of
  /// a suspension that is due at once, its ticket.
  var timer = TimerQueue.ID.none
  /// Its assertions in the order in which they came.
  var assertions = Chain<Assertion>()
  /// What waits for its run loop.
  var items = Chain<RunLoopItem>()
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
  /// Tasks of this visit that were begun after its warning and have ended: they still count towards
  /// the limit (rule F9).
  var lateTasks: UInt16 = 0
  var declaration = Declarations.Place.none
  var flags: AppFlags
  var state = AppState.notRunning
  var presence = Presence.notRunning
  var delivery = Delivery.none
  var reasons = AppReasons()

  var isRunning: Bool { state.isRunning }
  /// One that has been told to terminate counts as gone.
  var usesMemory: Bool { state != .notRunning && presence != .terminating }
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
