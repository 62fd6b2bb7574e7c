public import CurfewEngine
import CurfewSystem

/// Code of a test or a program that runs as if an app had called it.
extension App {
  /// Performs `body` as one turn of the app's main run loop, and returns its result. No callback
  /// can interrupt the turn: callbacks that the user, the system or `body` itself causes meanwhile
  /// are delivered when the turn is over (rule A2). Swift tasks that `body` begins belong to the
  /// app: they wait while the app is suspended, and end with its process.
  ///
  /// ```swift
  /// try app.run { uploader.start() }
  /// ```
  ///
  /// `body` is called on the calling thread, so on the main actor it may use main-actor state; with
  /// a ``MainActorExecutor`` it is always called on the main actor. Inside a callback of the app,
  /// or inside another `run`, it is part of that turn. Time passes in `body` only if it calls
  /// `advance(by:)`. In real time the device's executor calls `body`, after all callbacks that are
  /// already queued for the app, and the calling thread waits until `body` has returned.
  /// - Returns: The result of `body`.
  /// - Throws: ``AppRunError`` if the app is suspended or not running, or cannot be called now;
  ///   otherwise the error that `body` throws, which does not end the app.
  public func run<Result>(_ body: () throws -> Result) throws -> Result {
    try core.performTurn(of: id, body)
  }

  /// Performs main-actor code as `run` does, from a caller outside the main actor: `body` is called
  /// on the main actor, and the calling thread waits until it has returned.
  public func runOnMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) throws
    -> Result
  {
    try core.performTurn(of: id) { try core.onMainActor(body) }
  }

  /// Runs `body` as the app's own work, and returns its result. The work waits while the app
  /// is suspended, and is dropped when the app's process ends.
  ///
  /// ```swift
  /// try await app.run { try await uploader.upload(photos) }
  /// ```
  ///
  /// In a test whose device comes from `CurfewTesting`, this is exact, as it is for work that the
  /// app's callbacks begin. Elsewhere `body` is a Swift task that runs independently of the clock:
  /// it does not wait while the app is suspended, and the end of the process cancels it.
  /// - Throws: ``AppRunError`` if the app is suspended or not running; `body` is then not called.
  ///   ``ProcessEndError`` if the app's process ends before `body` does; `CancellationError` if
  ///   the device is closed before that; otherwise the error that `body` throws.
  @_disfavoredOverload
  public func run<Result: Sendable>(
    @_inheritActorContext _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let work = RunningWork<Result>()
    try core.begin(work, of: id, body)
    return try await work.value()
  }
}

/// An attempt to run code in an app that is suspended or not running.
public struct AppRunError: Error, Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// The app's state at that instant.
  public let state: AppState
  /// The instant of the attempt.
  public let instant: Instant
}

extension AppRunError: CustomStringConvertible {
  /// `com.example.mail cannot run code at 31s: it is suspended`.
  public var description: String {
    let reason =
      switch state {
      case .notRunning: "it is not running"
      case .suspended: "it is suspended"
      case .inactive, .active, .background:
        "its main run loop is busy with a callback that lets time pass"
      }
    return "\(app) cannot run code at \(instant): \(reason)"
  }
}

/// The end of an app's process before the work of the app was done.
public struct ProcessEndError: Error, Sendable, CustomStringConvertible {
  /// How the process ended.
  public let end: ProcessEnd

  /// `com.example.mail ended at 38s: backgroundTaskAssertionTimeout, tasks.grant is 30s (…)`.
  public var description: String {
    "\(end.app) ended at \(end.instant): \(end.reason.fileName), \(end.because)"
  }
}

/// Async work that belongs to an app, and the caller that waits for it.
final class RunningWork<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  // All stored properties are accessed within the lock.
  private var task: Task<Void, Never>?
  private var outcome: Result<Value, any Error>?
  private var waiter: UnsafeContinuation<Value, any Error>?

  /// Begins the work; it belongs to the app's current process.
  func start(
    _ body: @escaping @Sendable () async throws -> Value, whenOver: @escaping @Sendable () -> Void
  ) {
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
      whenOver()
      self.finish(outcome)
    }
    let isGivenUp = lock.withLock {
      self.task = task
      return outcome != nil
    }
    if isGivenUp { task.cancel() }
  }

  /// Abandons the work, because its process has ended or its device was closed. `error` is the
  /// outcome, even if the cancelled task later finishes with another outcome.
  func giveUp(_ error: any Error) {
    let waiter = settle(.failure(error))
    lock.withLock { task }?.cancel()
    waiter?.resume(throwing: error)
  }

  /// Waits for the work. If the caller is cancelled, so is the work.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let outcome = lock.withLock {
          if self.outcome == nil { waiter = continuation }
          return self.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      lock.withLock { task }?.cancel()
    }
  }

  private func finish(_ outcome: Result<Value, any Error>) {
    settle(outcome)?.resume(with: outcome)
  }

  /// Sets the outcome if there is none yet, and returns the caller that waits for it, if any.
  private func settle(_ outcome: Result<Value, any Error>) -> UnsafeContinuation<Value, any Error>?
  {
    lock.withLock {
      guard self.outcome == nil else { return nil }
      self.outcome = outcome
      return waiter.take()
    }
  }
}
