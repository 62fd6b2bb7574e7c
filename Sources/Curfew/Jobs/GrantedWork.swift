import CurfewEngine
import CurfewSystem

/// A job as its device sees it.
class Job: @unchecked Sendable {
  let name: String
  let times: RunTimes
  let origin: CallSite
  // Guarded by the device's lock.
  /// The app that the job runs as, and the job's record, after the job has received a grant.
  var seat: AppID?
  var record: GrantedJob?
  var wake: WakeID?
  var fate = Fate.granted
  var isWarned = false
  /// The instant at which the grant was due to end, after it has ended before the job.
  var due = Instant.zero

  /// The outcome of a grant.
  enum Fate {
    case granted
    /// The body finished in time.
    case completed
    /// The grant ended first. The value is the job's number among the overrun jobs.
    case expired(Int)
    /// The job's process ended for another reason, or the device was closed.
    case lost
  }

  init(_ name: String, _ times: RunTimes, _ origin: CallSite) {
    (self.name, self.times, self.origin) = (name, times, origin)
  }

  // Called outside the device's lock.

  /// Warns that the grant is nearly over.
  func warn() {}
  /// Ends the call of a job whose grant is over. The body has been cancelled.
  func expire(_ error: GrantExpiredError) {}
  /// Cancels the body.
  func cancel() {}
}

/// A job's body, and the caller that waits for its result.
final class GrantedWork<Value: Sendable>: Job, @unchecked Sendable {
  private let onWarning: (@Sendable () -> Void)?
  private let lock = Lock()
  // Guarded by the lock.
  private var task: Task<Void, Never>?
  private var isCancelled = false
  private var waiter: UnsafeContinuation<Value, any Error>?
  private var outcome: Result<Value, any Error>?
  private var isOver = false

  init(_ name: String, _ times: RunTimes, _ origin: CallSite, _ onWarning: (@Sendable () -> Void)?)
  {
    self.onWarning = onWarning
    super.init(name, times, origin)
  }

  /// Runs the body in a separate task.
  /// - Returns: The result of the body, if it finishes in time.
  func run(_ body: @escaping @Sendable () async throws -> Value, _ core: DeviceCore) async throws
    -> Value
  {
    start {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
      if core.finish(self) { self.end(outcome) }
    }
    return try await withUnsafeThrowingContinuation { waiter in
      lock.lock()
      let outcome = self.outcome.take()
      if outcome == nil { self.waiter = waiter }
      lock.unlock()
      if let outcome { waiter.resume(with: outcome) }
    }
  }

  private func start(_ work: @escaping @Sendable () async -> Void) {
    let task = Task(operation: work)
    let isCancelled = lock.withLock {
      self.task = isOver ? nil : task
      return self.isCancelled
    }
    // Outside the lock: a cancellation handler may call back into this object.
    if isCancelled { task.cancel() }
  }

  /// Sets the outcome, unless there is one already.
  private func end(_ outcome: Result<Value, any Error>) {
    lock.lock()
    guard !isOver else { return lock.unlock() }
    isOver = true
    task = nil
    let waiter = waiter.take()
    if waiter == nil { self.outcome = outcome }
    lock.unlock()
    waiter?.resume(with: outcome)
  }

  override func warn() {
    onWarning?()
    cancel()
  }

  override func expire(_ error: GrantExpiredError) { end(.failure(error)) }

  override func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancel()
  }
}
