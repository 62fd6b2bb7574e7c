import CurfewSystem

extension App {
  /// Runs `body` under a background task, which ends when `body` returns or throws.
  ///
  /// When the task's time is up, the Swift task that runs `body` is cancelled. It should then
  /// finish within the rest of the grant. `body` usually throws `CancellationError`, which
  /// this function rethrows. The Swift task is also cancelled when the app's process ends, when
  /// the device is closed, and when the caller is cancelled. In real time, these cancellations do
  /// not wait for handlers of other apps. But while a cancellation handler in `body` (`onCancel`)
  /// runs, cancellations of other apps wait, so keep it short.
  ///
  /// `body` runs in real time, on the executor that runs Swift tasks, even if the device has
  /// a virtual clock. `advance(by:)` then cancels `body` at the right instant, and the test itself
  /// must await the end of `body`. In a test whose device comes from `CurfewTesting`, `body` runs
  /// in the device's time, and `advance(by:)` waits for it.
  ///
  /// ```swift
  /// try await app.withBackgroundTask(named: "upload") { try await upload(photo) }
  /// ```
  /// - Throws: `BackgroundTaskDeniedError` if no task could be begun; `body` is then not called.
  ///   Otherwise the error that `body` throws.
  public func withBackgroundTask<Result: Sendable>(
    named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let work = CancellableWork<Result>()
    let request = TaskBegin(
      name: name ?? "", origin: CallSite(fileID, line), handler: .cancelling { work.cancel() },
      whenLost: { work.cancel() })
    var denial: Decision?
    let identifier = core.beginTask(id, request, call: #function) { denial = $0 }
    guard identifier != .invalid else {
      throw BackgroundTaskDeniedError(
        app: self.name, task: name ?? "", decision: denial, diagnostic: lastDiagnostic)
    }
    defer { endBackgroundTask(identifier) }
    return try await withTaskCancellationHandler {
      try await work.run(body)
    } onCancel: {
      work.cancel()
    }
  }
}

/// A background task that was requested but not begun.
public struct BackgroundTaskDeniedError: Error, Sendable {
  /// The app's name.
  public let app: String
  /// The task's name.
  public let task: String
  /// The decision that denied the task; nil if no decision was made, because the app is not running
  /// or its device is closed.
  public let decision: Decision?
  /// The reason, whether or not there is a decision.
  public let diagnostic: DeviceDiagnostic?
}

extension BackgroundTaskDeniedError: CustomStringConvertible {
  /// `com.example.mail could not begin the task 'upload' at 31s: it is suspended`.
  public var description: String {
    "\(app) could not begin the task '\(task)'"
      + (diagnostic.map { " at \($0.instant): \($0.reason)" } ?? "")
  }
}

/// A Swift task that can be cancelled before it has begun.
private final class CancellableWork<Result: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var task: Task<Result, any Error>?
  private var isCancelled = false

  func run(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = start(body)
    return try await task.value
  }

  private func start(_ body: @escaping @Sendable () async throws -> Result) -> Task<
    Result, any Error
  > {
    let task = Task(operation: body)
    let isCancelled = lock.withLock {
      self.task = task
      return self.isCancelled
    }
    // Outside the lock: a cancellation handler may call back into this object.
    if isCancelled { task.cancel() }
    return task
  }

  func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancel()
  }
}
