internal import Curfew
internal import CurfewEngine

/// The records of the plan's tasks and of its visits, by their indices. The thread that runs an
/// app's code writes the app's part; the thread that runs the plan writes the device's part.
///
/// Records are never moved and never shared between tasks. An app's lock orders accesses from
/// different threads.
final class Measurements: @unchecked Sendable {
  struct TaskRecord {
    // The app's own record, in wall nanoseconds since the device's start.

    /// The identifier that the call to begin the task returned; `invalid` before the call, and if
    /// no task was begun.
    var identifier = BackgroundTaskIdentifier.invalid
    /// The instant at which the handler's first line was reached for the first time.
    var delivered: Int64 = -1
    var deliveries: Int32 = 0
    /// The instant at which the app ended the task.
    var ended: Int64 = -1
    /// The durations of the calls that begin and end the task.
    var begin: Int64 = -1
    var end: Int64 = -1

    // The device's record.

    /// Whether the device decided to call the handler.
    var isDecided = false
    /// The instants at which the warning was due and at which it was decided, and whether the loop
    /// decided it. All handlers of a warning share the decision about the first one: an app runs
    /// one handler at a time (rule F5), so later handlers wait for the app, not for a decision.
    var due = Instant.zero
    var decided = Instant.zero
    var isByLoop = false
    /// The instant at which the device decided to call this handler.
    var sent = Instant.zero

    var isBegun: Bool { identifier != .invalid }
    var isEnded: Bool { ended >= 0 }
  }

  /// The instants of a visit's calls and callbacks, in wall nanoseconds since the device's start;
  /// -1 for those that did not come.
  struct VisitRecord {
    /// The call that launched the app, and the first line of its didBecomeActive.
    var launched: Int64 = -1
    var active: Int64 = -1
    /// The call that sent the app away, and the first line of its didEnterBackground.
    var left: Int64 = -1
    var entered: Int64 = -1
    /// The call that delivered the wake, and the first line of the app's callback.
    var sent: Int64 = -1
    var received: Int64 = -1

    /// Whether a callback that the app had to get for a call came more than `margin` later, or not
    /// at all.
    func hasDelay(over margin: Int64) -> Bool {
      [(left, entered), (sent, received)].contains { call, line in
        call >= 0 && (line < 0 || line - call > margin)
      }
    }
  }

  let tasks: UnsafeMutableBufferPointer<TaskRecord>
  let visits: UnsafeMutableBufferPointer<VisitRecord>

  init(tasks count: Int, visits visitCount: Int) {
    tasks = .allocate(capacity: count)
    tasks.initialize(repeating: TaskRecord())
    visits = .allocate(capacity: visitCount)
    visits.initialize(repeating: VisitRecord())
  }

  deinit {
    tasks.deallocate()
    visits.deallocate()
  }

  subscript(task: Int) -> TaskRecord {
    get { tasks[task] }
    set { tasks[task] = newValue }
  }
}
