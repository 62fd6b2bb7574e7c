/// What comes out of the engine: what a host has to do, and what it may tell.
///
/// All actions of one step happen at the instant that was passed to it.
public enum Action: Hashable, Sendable, BitwiseCopyable {
  /// An app's state changed.
  case state(AppID, from: AppState, to: AppState)
  /// Deliver a callback; the app owes a `returned`.
  case callback(AppID, Callback)
  /// Call a task's expiration handler; the app owes a `returned`. `due` is earlier than now where
  /// the run loop was busy.
  case expiration(AppID, BackgroundTask, ExpirationReason, due: Instant)
  /// Deliver a wake's event; the app owes a `returned`, and a `completeWake` within the
  /// wake's length.
  case wakeBegan(AppID, AdmittedWake)
  /// Call a wake's expiration handler; the app owes a `returned`. `due` is earlier than now where
  /// the run loop was busy.
  case wakeWarned(AppID, AdmittedWake, due: Instant)
  /// Deliver an event to an app in the foreground, where it is no wake; the app owes a `returned`.
  case event(AppID, AssertionKind)
  /// A begin was answered; the task's number is 0 where it was denied.
  case taskBegan(AppID, BackgroundTask)
  /// A task was ended by its app.
  case taskEnded(AppID, BackgroundTask)
  /// An admission, with every reason that denied it; none if it was allowed. `wake` is the wake
  /// that was admitted, or that had been and is not any more. `next` is when a budget or an
  /// interval allows it again, where they denied it and that is known.
  case decision(AppID, AssertionKind, wake: WakeID? = nil, denied: DenialReasons, next: Instant?)
  /// A session was admitted, refused, or stopped, or has gone on for longer than it may.
  case session(AppID, AssertionKind, SessionChange)
  /// Call a session's expiration handler; the app owes a `returned`. `due` is earlier than now
  /// where the run loop was busy.
  case sessionWarned(AppID, AssertionKind, due: Instant)
  /// The app completed a wake.
  case wakeCompleted(AppID, AdmittedWake)
  /// A wake's length is over, or what its app may run of the kind is used up.
  case wakeOverran(AppID, AdmittedWake, RunLimit)
  /// Something that was posted reaches the app: at once, or, of what came while it was suspended,
  /// the net change. No `returned` is owed.
  case notification(AppID, name: UInt32, value: UInt32?)
  /// A local notification is due. No `returned` is owed.
  case localNotification(AppID, id: UInt32, LocalNotificationFate)
  /// A request for app refresh or processing was submitted, refused, cancelled, or is
  /// being started.
  case request(AppID, identifier: UInt32, AssertionKind, RequestChange)
  /// The diagnostic `stillOpenAfterExpiration`: the handlers that were due with a warning have
  /// returned, and so many tasks are open. `leakedTask` follows for each.
  case stillOpen(AppID, tasks: UInt32)
  /// A process ended. `leakedTask` follows for each of `leaks`.
  case terminated(AppID, Termination)
  /// A task that its app has left open, with its age: until the end of the grant, or after its
  /// handler has returned.
  case leakedTask(AppID, BackgroundTask, age: Interval)
  /// The diagnostic `notificationDropped`: more names than the policy keeps have been posted
  /// to a suspended app, and it will not hear of this one.
  case notificationDropped(AppID, name: UInt32)
  /// The diagnostic `illegalEvent`: the event made no sense where it stood, and changed nothing.
  case illegalEvent(AppID?, Objection)
  /// Something else worth saying; about a task where there is one, else
  /// about `BackgroundTask.invalid`.
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
  /// A run's length is over.
  case overran
  /// What there is of run time in a window is used up.
  case overBudget
  /// It does not keep the app running until it is renewed.
  case deferred
  /// After a deferral it keeps the app running again.
  case renewed
}

/// What a session or a wake may not run beyond.
public enum RunLimit: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The length that its row gives each.
  case length
  /// What there is of run time in a window (rule W4).
  case budget
}

/// Who gets a local notification (rule N1).
public enum LocalNotificationFate: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The user: the app is not in the foreground, and does not hear of it.
  case shown
  /// The app, which is in the foreground.
  case delivered
}

/// What became of a request for app refresh or processing (rule W5).
public enum RequestChange: Hashable, Sendable, BitwiseCopyable {
  /// It is pending.
  case submitted
  /// It is pending, in the place of one with the same identifier.
  case replaced
  /// It is pending no more: its decision and its wake follow.
  case started
  /// The app took it back.
  case cancelled
  /// It was not accepted.
  case refused(TaskRequestError)
}

/// Why a request is not accepted: `BGTaskScheduler.Error.Code`.
public enum TaskRequestError: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The policy knows no such requests, or Background App Refresh is off.
  case unavailable
  /// Too many of its kind are pending.
  case tooManyPendingTaskRequests
  /// The manifest does not permit the identifier, or does not declare the mode.
  case notPermitted
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
  /// For a session or a wake that overran: what it ran beyond.
  public var limit = RunLimit.length
  /// For an overrun grant: why it ended when it did.
  public var expiration: ExpirationReason?
  /// How many `leakedTask` follow.
  public var leaks: UInt32 = 0
  /// For an overrun: how late its warning was decided, where the host came so late that the time
  /// was over by then; nil where the warning was in time, or there was none.
  public var late: Interval?
}
