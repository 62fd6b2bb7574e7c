/// An app. An idle app needs this one cache line and little else (see `AppTable`).
struct EngineApp: BitwiseCopyable {
  /// While the task clock runs, the end of the grant. While the clock stands still, the remaining
  /// grant in nanoseconds.
  var clock: Int64 = 0
  /// The instant since which the app has been in the background without an active assertion.
  var quietSince: Int64 = 0
  /// The deadline of the task clock while the clock runs; else of the watch over a busy run loop
  /// (rule A13). One field is enough, because an app that is watched has no task.
  var clockTimer = TimerQueue.ID.none
  /// The deadline of a callback's limit or of the app's suspension: one field is enough, because
  /// an app is not suspended during a callback. For a suspension that is due at once, its ticket.
  var timer = TimerQueue.ID.none
  /// The app's assertions in order of arrival.
  var assertions = Chain<Assertion>()
  /// The items that wait for its run loop.
  var items = WaitingItems()
  /// The number of this app's visits to the background.
  var visit: UInt32 = 0
  /// The number of this app's processes.
  var process: UInt32 = 0
  /// The number of the last task begun in this process.
  var lastTask: UInt32 = 0
  /// The stamp of the app's last departure from the foreground. Stamps only grow; 0 for never.
  var frontStamp: UInt32 = 0
  /// The number of sessions and wakes that keep the app running.
  var otherAssertions: UInt16 = 0
  /// The number of these assertions that define the start of the task clock (rule F3).
  var startDefining: UInt16 = 0
  var openTasks: UInt16 = 0
  /// The number of tasks of this visit that were begun after its warning and have ended. They still
  /// count towards the limit (rule F9).
  var lateTasks: UInt16 = 0
  var declaration = Declarations.Place.none
  var flags: AppFlags
  var state = AppState.notRunning
  var presence = Presence.notRunning
  var delivery = PendingDelivery.none
  var reasons = AppReasons()

  var isRunning: Bool { state.isRunning }
  /// Whether the app's footprint counts. An app that is terminating counts as gone.
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
