/// What comes out of the engine: what a host has to do, and what it may tell.
///
/// All actions of one step happen at the instant that was passed to it.
public enum Action: Hashable, Sendable, BitwiseCopyable {
  /// An app's state changed.
  case state(AppID, from: AppState, to: AppState)
  /// Deliver a callback; the app owes a `returned`.
  case callback(AppID, Callback)
  /// Call a task's expiration handler; the app owes a `returned`. `due` is earlier than now where the run loop was busy.
  case expiration(AppID, BackgroundTask, ExpirationReason, due: Instant)
  /// Deliver a wake's event; the app owes a `returned`, and a `completeWake` within the wake's length.
  case wakeBegan(AppID, AssertionKind)
  /// Deliver an event to an app in the foreground, where it is no wake; the app owes a `returned`.
  case event(AppID, AssertionKind)
  /// A begin was answered; the task's number is 0 where it was denied.
  case taskBegan(AppID, BackgroundTask)
  /// A task was ended by its app.
  case taskEnded(AppID, BackgroundTask)
  /// An admission, with every reason that denied it; none if it was allowed.
  case decision(AppID, AssertionKind, denied: DenialReasons)
  /// A session was admitted, refused, or stopped.
  case session(AppID, AssertionKind, SessionChange)
  /// The app completed a wake.
  case wakeCompleted(AppID, AssertionKind)
  /// A wake ran out.
  case wakeOverran(AppID, AssertionKind)
  /// A process ended. `leakedTask` follows for each of `leaks`.
  case terminated(AppID, Termination)
  /// A task that its app left open until the end of the grant, with its age.
  case leakedTask(AppID, BackgroundTask, age: Interval)
  /// Something worth saying; about a task where there is one, else about `BackgroundTask.invalid`.
  case diagnostic(Diagnostic, AppID?, BackgroundTask)
  /// The answer to `probe`: what is left of the grant, nil while its clock stands still.
  case probe(AppID, AppState, remaining: Interval?)
}

/// What became of a session.
public enum SessionChange: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// It is on, and keeps the app running in the background.
  case began
  /// It stopped. Its assertion may linger.
  case ended
  /// It does not keep the app running.
  case denied
}

/// The record of a process's end.
public struct Termination: Hashable, Sendable, BitwiseCopyable {
  /// Why.
  public var reason: TerminationReason
  /// The code, where there is one.
  public var code: TerminationCode?
  /// For a watchdog's kill: the callback that overran.
  public var callback: Callback?
  /// For an overrun: the kind of assertion that ran out; `finiteTask` for the grant.
  public var kind: AssertionKind?
  /// How many `leakedTask` follow.
  public var leaks: UInt32 = 0
}
