public import CurfewEngine

/// A task's time was up: its expiration handler was to be called.
public struct Expiration: Hashable, Sendable {
  /// The app's name.
  public let app: String
  /// The task's.
  public let task: String
  /// What `beginBackgroundTask` answered.
  public let identifier: BackgroundTaskIdentifier
  /// Why the app's time was nearly over.
  public let reason: ExpirationReason
  /// When the handler was due.
  public let due: Instant
  /// When the device came to it: later than due where the app was busy, or the host late.
  /// Never earlier.
  public let instant: Instant
  /// Whether the handler was called, as it stood when this was asked for.
  public internal(set) var outcome: Outcome
  /// How the engine came to it.
  package let making: Making

  /// When the handler was called; nil where it was not, or has not been yet.
  public var calledAt: Instant? { if case .called(let instant) = outcome { instant } else { nil } }

  /// What became of a handler that was to be called.
  public enum Outcome: Hashable, Sendable {
    /// It is to be called: its app is busy, or no thread has come to it yet.
    case waiting
    /// It was called, then.
    case called(at: Instant)
    /// It was not, and never will be.
    case leftOut(Cause)
  }

  /// Why a handler was left out.
  public enum Cause: Hashable, Sendable {
    /// Its task had been ended.
    case taskEnded
    /// Its app's process had ended.
    case processEnded
    /// Its device had been closed.
    case deviceClosed
  }
}
