internal import Curfew
internal import CurfewEngine

/// What is known of each of the plan's tasks: one place for each. The app's own books are written
/// by whoever runs that app's code; the device's records are entered beside them by whoever runs
/// the plan.
///
/// Places are never moved and never shared between tasks; a lock of an app's own orders what
/// is written and read by several threads.
final class Measurements: @unchecked Sendable {
  struct TaskRecord {
    // What the app has written down, in wall nanoseconds since the device's start.

    /// What it was answered; `invalid` before, and where nothing was begun.
    var identifier = BackgroundTaskIdentifier.invalid
    /// When it reached the first line of the handler, for the first time.
    var delivered: Int64 = -1
    var deliveries: Int32 = 0
    /// When it asked for the task's end.
    var ended: Int64 = -1
    /// How long the calls took.
    var begin: Int64 = -1
    var end: Int64 = -1

    // What the device has recorded.

    /// Whether it decided that the handler is to be called.
    var isDecided = false
    /// When the warning was due and was decided, and whether the loop did that. All handlers
    /// of a warning have its first one's decision: an app is called with one at a time (rule F5),
    /// so a later one waits for its app, not for a decision.
    var due = Instant.zero
    var decided = Instant.zero
    var isByLoop = false
    /// When this handler itself was to be called.
    var sent = Instant.zero

    var isBegun: Bool { identifier != .invalid }
    var isEnded: Bool { ended >= 0 }
  }

  let tasks: UnsafeMutableBufferPointer<TaskRecord>

  init(tasks count: Int) {
    tasks = .allocate(capacity: count)
    tasks.initialize(repeating: TaskRecord())
  }

  deinit { tasks.deallocate() }

  subscript(task: Int) -> TaskRecord {
    get { tasks[task] }
    set { tasks[task] = newValue }
  }
}
