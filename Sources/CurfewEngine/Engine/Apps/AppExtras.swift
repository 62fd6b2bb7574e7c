/// The rarely used data of an app, kept outside the cache line that every app occupies. An app gets
/// this record when it first needs any of it.
///
/// Each part belongs to the component that its name refers to, and only that component changes it.
struct AppExtras: BitwiseCopyable, Equatable {
  /// The app's footprint in bytes; negative for the policy's figure.
  var footprint: Int64 = -1
  /// The app's own memory limit; negative for the policy's limit, if the policy has a limit.
  var memoryLimit: Int64 = -1
  /// The cost of starting the app again, in nanoseconds; negative for the policy's figure.
  var startCost: Int64 = -1

  // Data that outlives the process.
  /// Whether wakes have an expiration handler from the beginning.
  var handlesWakeExpiration = false
  /// The number of the last wake.
  var lastWake: UInt32 = 0
  /// The app's declaration, if the table of declarations is full.
  var declaration = Declaration()
  var schedules = Chain<SystemSchedule>()
  var openings = Chain<Opening>()
  var uses = Chain<BudgetUse>()
  /// The instant at which the app was last in the foreground, or was added; kept only if a group
  /// depends on it.
  var lastUse: Int64 = 0
  var requests = Chain<PendingRequest>()
  var requestedRuns = Chain<RequestedRun>()
  var notifications = Chain<LocalNotification>()
  /// The app's last visit whose warning was decided after the grant was over.
  var lateWarning = LateWarning()

  // Data of the process.
  /// The wake whose event or expiration handler was delivered last.
  var delivered = DeliveredWake()
  var completed = Chain<CompletedWake>()
  var posts = KeptPosts()
  /// The number of locked files (rule D3).
  var locks: UInt32 = 0
  var processor = ProcessorUse()
}

/// A visit whose warning was decided too late.
struct LateWarning: BitwiseCopyable, Equatable {
  var visit: UInt32 = 0
  /// The delay between the due instant of the warning and its decision; zero for none.
  var by = Interval.zero
}

/// The wake whose event an app's run loop is handling, whether the wake has been completed or not.
struct DeliveredWake: BitwiseCopyable, Equatable {
  var id = WakeID(rawValue: 0)
  var kind = AssertionKind.finiteTask
}
