/// What few apps need: one record for an app that has ever asked for any of it, outside the line
/// that every app costs.
///
/// Each part belongs to the room of its name, which alone changes it.
struct AppExtras: BitwiseCopyable, Equatable {
  /// Its memory in bytes; negative for the policy's figure.
  var footprint: Int64 = -1
  /// Its own memory limit; negative for the policy's, if that has one.
  var memoryLimit: Int64 = -1
  /// What it costs to start it again, in nanoseconds; negative for the policy's figure.
  var startCost: Int64 = -1

  // What outlives the process.
  /// Whether wakes have an expiration handler from the beginning.
  var handlesWakeExpiration = false
  /// The number of the last wake.
  var lastWake: UInt32 = 0
  /// What it declares, where the table of declarations is full.
  var declaration = Declaration()
  var schedules = Chain<SystemSchedule>()
  var openings = Chain<Opening>()
  var uses = Chain<BudgetUse>()
  /// When it was in the foreground last, or was added; kept only where a group looks at it.
  var lastUse: Int64 = 0
  var requests = Chain<PendingRequest>()
  var requestedRuns = Chain<RequestedRun>()
  var notifications = Chain<LocalNotification>()
  /// The last of its visits whose warning was decided when the grant was over.
  var lateWarning = LateWarning()

  // Of the process.
  /// The wake whose event, or whose expiration handler, was delivered last.
  var delivered = DeliveredWake()
  var posts = KeptPosts()
  /// Locked files (rule D3).
  var locks: UInt32 = 0
  var processor = ProcessorUse()
}

/// A visit that the host came too late to warn of.
struct LateWarning: BitwiseCopyable, Equatable {
  var visit: UInt32 = 0
  /// From when the warning was due until it was decided; zero for none.
  var by = Interval.zero
}

/// A wake as long as its app's run loop is in the middle of its event, whether it has been
/// completed or not.
struct DeliveredWake: BitwiseCopyable, Equatable {
  var id = WakeID(rawValue: 0)
  var kind = AssertionKind.finiteTask
}
