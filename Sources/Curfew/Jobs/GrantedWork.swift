import CurfewEngine
import CurfewSystem

/// A job, as its device knows it.
class Job: @unchecked Sendable {
  let name: String
  let times: RunTimes
  let origin: CallSite
  // Under the device's lock.
  /// The app that it runs as, and what is told of it, once it has a grant.
  var seat: AppID?
  var record: GrantedJob?
  var wake: WakeID?
  var fate = Fate.granted

  /// What became of a grant.
  enum Fate {
    case granted
    /// It was given back in time.
    case completed
    /// It is over; its number among those that outlived theirs.
    case expired(Int)
    /// Its process ended otherwise, or its device was closed.
    case lost
  }

  init(_ name: String, _ times: RunTimes, _ origin: CallSite) {
    (self.name, self.times, self.origin) = (name, times, origin)
  }

  // Outside the device's lock.

  /// The grant is nearly over.
  func warn() {}
  /// It is over.
  func expire(_ error: GrantExpired) {}
  /// It is no more.
  func cancel() {}
}

/// A job's body, and who waits for what it comes to.
final class GrantedWork<Value: Sendable>: Job, @unchecked Sendable {
  private let onWarning: (@Sendable () -> Void)?
  private let lock = Lock()
  // All of it within the lock.
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

  /// Runs the body in a task of its own.
  /// - Returns: What it comes to, if it does in time.
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
    // Outside the lock: whoever is told of it may come back here.
    if isCancelled { task.cancel() }
  }

  /// The first that comes counts.
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

  override func expire(_ error: GrantExpired) {
    cancel()
    end(.failure(error))
  }

  override func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancel()
  }
}
