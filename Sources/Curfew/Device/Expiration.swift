public import CurfewEngine

/// The expiration of a task: its time was nearly over, and its handler was to be called.
public struct Expiration: Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// The task's name.
  public let task: String
  /// The identifier that `beginBackgroundTask` returned.
  public let identifier: BackgroundTaskIdentifier
  /// The reason why the app's time was nearly over.
  public let reason: ExpirationReason
  /// The instant at which the handler was due.
  public let due: Instant
  /// The instant at which the device decided to call the handler: later than `due` if the app was
  /// busy or the host late; never earlier.
  public let instant: Instant
  /// The outcome at the time when this value was read.
  public internal(set) var outcome: Outcome
  /// The instant and cause of the engine's decision.
  package let making: Making

  /// The instant at which the handler was called; nil if it has not been called.
  public var calledAt: Instant? { if case .called(let instant) = outcome { instant } else { nil } }

  /// The outcome of a handler that was due.
  public enum Outcome: Hashable, Sendable {
    /// The handler will be called: its app is busy, or no thread is free yet.
    case waiting
    /// The handler was called at this instant.
    case called(at: Instant)
    /// The handler was not called and never will be.
    case leftOut(Cause)
  }

  /// The reason why a handler was not called.
  public enum Cause: Hashable, Sendable {
    /// The task had been ended.
    case taskEnded
    /// The app's process had ended.
    case processEnded
    /// The device had been closed.
    case deviceClosed
  }
}
