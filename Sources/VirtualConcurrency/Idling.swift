internal import CVirtualTime

/// The last jobs, as long as they have done nothing but yield: `while !flag { await Task.yield() }`
/// waits for what only time brings.
///
/// A yield is a job of its own, which resumes its task; a task that asks an actor for the flag adds
/// a hop there and one back. Each of these jobs enqueues no other task than its own.
struct Idling {
  /// How many such jobs there are until time passes.
  static let limit = 10_000
  /// A yield comes with at most this many jobs: itself, its task, and two hops there and back. Work
  /// that hops more than that does more than wait.
  private static let jobsOfYield = 6

  private(set) var jobs = 0
  private var yields = 0
  /// Whether the job that runs is a yield.
  private var isYield = false

  /// Whether time may pass although jobs are left.
  var isLong: Bool { jobs >= Self.limit && yields * Self.jobsOfYield >= jobs }

  /// A job is about to run.
  mutating func runs(_ entry: Scheduler.Entry) {
    jobs += 1
    isYield = entry.task == nil && cvt_is_continuation(entry.job.object)
  }

  /// Captured work has enqueued a job.
  /// - Parameter tasks: The tasks that the job runs, if it is no yield.
  mutating func enqueued(_ job: UnsafeRawPointer, of tasks: [UnsafeRawPointer]) {
    if cvt_is_continuation(job) {
      yields += 1
    } else if let current = cvt_current_task() {
      if tasks != [current] { ends() }
    } else if !isYield {
      ends()
    }
  }

  /// Something else has happened.
  mutating func ends() { self = Idling() }
}
