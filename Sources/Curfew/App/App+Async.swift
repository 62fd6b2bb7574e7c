import CurfewSystem

extension App {
  /// Does `body` under a background task: begun before, ended after, on every path out of it.
  ///
  /// When the task's time is up, the Swift task that runs `body` is cancelled; it should then come
  /// to its end within what is left of the grant (`body` throws `CancellationError` as a rule,
  /// which is what this throws). It is cancelled as well when the app's process ends or the device
  /// is closed, and when the caller is cancelled. In real time none of that waits for other apps'
  /// handlers. What `body` does on being cancelled (`onCancel`) runs on a thread that other apps'
  /// cancellations wait for, and should be short.
  ///
  /// `body` runs in real time on whatever runs Swift tasks, on a virtual clock too: there
  /// `advance(by:)` cancels it when it is time, and a test awaits its end itself. In a test that
  /// has its device from `CurfewTesting`, `body` goes on in the device's time, and `advance(by:)`
  /// waits for it.
  ///
  /// ```swift
  /// try await app.withBackgroundTask(named: "upload") { try await upload(photo) }
  /// ```
  /// - Throws: `BackgroundTaskDenied` where no task could be begun, without calling `body`;
  ///   otherwise what `body` throws.
  public func withBackgroundTask<Result: Sendable>(
    named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let work = CancellableWork<Result>()
    let request = TaskBegin(
      name: name ?? "", origin: CallSite(fileID, line), handler: .cancelling { work.cancel() },
      whenLost: { work.cancel() })
    let (identifier, denial) = core.beginTask(id, request, call: #function)
    guard identifier != .invalid else {
      throw BackgroundTaskDenied(
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

/// A background task that was asked for and not begun.
public struct BackgroundTaskDenied: Error, Sendable {
  /// The app's name.
  public let app: String
  /// The task's name.
  public let task: String
  /// Why not, where it was a decision: not where the app does not run or its device is closed.
  public let decision: Decision?
  /// Why not, in any case.
  public let diagnostic: DeviceDiagnostic?
}

extension BackgroundTaskDenied: CustomStringConvertible {
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
    // Outside the lock: whoever is told of it may come back here.
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
