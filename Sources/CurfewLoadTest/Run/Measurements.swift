internal import Curfew
internal import CurfewEngine

/// What the apps' own threads write down, by the plan's tasks: one place for each, written by whoever runs that task's handler.
///
/// Places are never moved and never shared between tasks; a lock of an app's own orders what is read after the run.
final class Measurements: @unchecked Sendable {
  struct TaskRecord {
    /// When the warning was due and was decided, and whether the loop did that.
    var due = Instant.zero
    var decided = Instant.zero
    var isByLoop = false
    /// When it reached the first line of the handler, in wall nanoseconds since the device's start.
    var delivered: Int64 = 0
    var deliveries: Int32 = 0
    var isBegun = false
    var isEnded = false
    /// How long the calls took.
    var begin: Int64 = -1
    var end: Int64 = -1
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
