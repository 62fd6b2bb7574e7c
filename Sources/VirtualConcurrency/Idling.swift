internal import CVirtualTime

/// Counts the latest jobs in a row that have only yielded.
/// The loop `while !flag { await Task.yield() }` runs such jobs until time passes.
///
/// A yield is a separate job, which resumes its task. A task that asks an actor for the flag adds
/// a hop to the actor and a hop back. Each of these jobs enqueues only its own task.
struct Idling {
  /// The number of such jobs after which time passes.
  static let limit = 10_000
  /// The largest number of jobs that a yield causes: its own job, its task's job, and four jobs for
  /// two hops to an actor and back. Work with more hops does more than wait.
  private static let jobsOfYield = 6

  private(set) var jobs = 0
  private var yields = 0
  /// Whether the current job is a yield.
  private var isYield = false
  /// The task that the job runs, or the tasks that wait for an actor's turn.
  private var task: UnsafeRawPointer?
  private var turn: [UnsafeRawPointer] = []

  /// Whether time may pass although jobs are left.
  var isLong: Bool { jobs >= Self.limit && yields * Self.jobsOfYield >= jobs }

  /// Notes that a job is about to run.
  /// - Parameter turn: The tasks that wait for the actor, if the job is an actor's turn.
  mutating func runs(_ entry: Scheduler.Entry, turn: [UnsafeRawPointer]) {
    jobs += 1
    task = entry.task == nil ? nil : entry.job?.object
    self.turn = turn
    isYield = entry.task == nil && (entry.job.map { cvt_is_continuation($0.object) } ?? false)
  }

  /// Notes that captured work has enqueued a job.
  /// - Parameter tasks: The tasks that the job runs, if it is not a yield.
  mutating func enqueued(_ job: UnsafeRawPointer, of tasks: [UnsafeRawPointer]) {
    if cvt_is_continuation(job) {
      yields += 1
    } else if !isYield, tasks.isEmpty || !tasks.allSatisfy({ $0 == task || turn.contains($0) }) {
      // While a task hops, the runtime has no current task, so the job's own task counts.
      ends()
    }
  }

  /// Resets the count, because a job has done more than yield.
  mutating func ends() { (jobs, yields) = (0, 0) }
}
