/// Work that the calling thread hands to another thread, and waits for. It keeps the task-local
/// values of the caller, such as the running test and its device, and is released when it is done.
final class HandedWork: @unchecked Sendable {
  private var body: (() -> Void)?

  init(_ body: @escaping @Sendable () -> Void) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      let carrier = Carrier()
      // The job of this task is its only one, because the body does not suspend.
      Task(executorPreference: carrier) { body() }
      self.body = { carrier.run() }
    } else {
      self.body = body
    }
  }

  /// Runs the work on the calling thread. Called once.
  func run() { body.take()?() }

  /// Receives the job of a task, to run it on a thread of the caller's choice.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private final class Carrier: TaskExecutor, @unchecked Sendable {
    private var job: UnownedJob?

    func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

    func run() { job.take()?.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
