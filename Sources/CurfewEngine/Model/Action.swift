/// An action that the engine emits: work for the host, or a report.
///
/// All actions of a step happen at the instant passed to that step.
public enum Action: Hashable, Sendable, BitwiseCopyable {
  /// An app's state changed.
  case state(AppID, from: AppState, to: AppState)
  /// Deliver a callback; the app owes a `returned`.
  case callback(AppID, Callback)
  /// Call a task's expiration handler; the app owes a `returned`. `due` is earlier than now if
  /// the run loop was busy.
  case expiration(AppID, BackgroundTask, ExpirationReason, due: Instant)
  /// Deliver a wake's event; the app owes a `returned`, and a `completeWake` within the
  /// wake's length.
  case wakeBegan(AppID, AdmittedWake)
  /// Call a wake's expiration handler; the app owes a `returned`. `due` is earlier than now if
  /// the run loop was busy.
  case wakeWarned(AppID, AdmittedWake, due: Instant)
  /// Deliver an event to an app in the foreground, where the event is not a wake; the app owes
  /// a `returned`.
  case event(AppID, AssertionKind)
  /// A `beginTask` was answered. The task's number is 0 if it was denied.
  case taskBegan(AppID, BackgroundTask)
  /// An app ended a task.
  case taskEnded(AppID, BackgroundTask)
  /// An admission with every reason that denied it; no reason if it was allowed. `wake` is the
  /// admitted wake; for a denial, a wake that had been admitted earlier. `next` is the instant at
  /// which a budget or an interval allows the admission again, if one of them denied it and the
  /// instant is known.
  case decision(AppID, AssertionKind, wake: WakeID? = nil, denied: DenialReasons, next: Instant?)
  /// A session was admitted, denied, stopped, deferred or renewed, or its run is over.
  case session(AppID, AssertionKind, SessionChange)
  /// Call a session's expiration handler; the app owes a `returned`. `due` is earlier than now if
  /// the run loop was busy.
  case sessionWarned(AppID, AssertionKind, due: Instant)
  /// The app completed a wake.
  case wakeCompleted(AppID, AdmittedWake)
  /// A wake's length is over, or its app's run time for the kind is used up, or its warning came
  /// and it has no handler.
  case wakeOverran(AppID, AdmittedWake, RunLimit)
  /// A post is delivered to an app. An app that was suspended receives it when it runs again, as
  /// the net change under its name or as a queued location; any other app receives it at once. No
  /// `returned` is owed.
  case notification(AppID, name: UInt32, value: UInt32?)
  /// A local notification is due. No `returned` is owed.
  case localNotification(AppID, id: UInt32, LocalNotificationFate)
  /// A request for app refresh or processing was submitted, refused or cancelled, or is
  /// being started.
  case request(AppID, identifier: UInt32, AssertionKind, RequestChange)
  /// The diagnostic `stillOpenAfterExpiration`: the handlers that were due with a warning have
  /// returned, and `tasks` tasks are still open. A `leakedTask` follows for each.
  case stillOpen(AppID, tasks: UInt32)
  /// A process ended. A `leakedTask` follows for each of `leaks`.
  case terminated(AppID, EngineProcessEnd)
  /// A task that its app left open, with its age: at the end of the grant, or after its handler
  /// has returned.
  case leakedTask(AppID, BackgroundTask, age: Interval)
  /// The diagnostic `notificationDropped`: more names than the policy keeps were posted to a
  /// suspended app, and the posts under this name were dropped.
  case notificationDropped(AppID, name: UInt32)
  /// The diagnostic `alreadyCompleted`: the app completed a wake that it had completed at `at`.
  case alreadyCompleted(AppID, AdmittedWake, at: Instant)
  /// The diagnostic `runsWithoutAssertion`: this call has kept the app's run loop busy in the
  /// background for the policy's time, and the app holds no assertion.
  case runsWithoutAssertion(AppID, RunningCall)
  /// The diagnostic `illegalEvent`: the event was illegal in the current state and changed nothing.
  case illegalEvent(AppID?, IllegalEventReason)
  /// Another diagnostic, with its task, or `BackgroundTask.invalid` if it concerns no task.
  case diagnostic(Diagnostic, AppID?, BackgroundTask)
  /// The answer to `probe`: the remaining grant, or nil while the task clock stands still.
  case probe(AppID, AppState, remaining: Interval?)
}

/// A change to a session.
public enum SessionChange: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// It is on, and keeps the app running in the background.
  case began
  /// It stopped. Its assertion may linger.
  case ended
  /// It was denied, and does not keep the app running.
  case denied
  /// The length of a run is over.
  case overran
  /// The run time of a budget's window is used up.
  case overBudget
  /// It was put off: it does not keep the app running until it is renewed.
  case deferred
  /// It keeps the app running again, after a deferral.
  case renewed
}

/// The limit that ends a run of a session or a wake.
public enum RunLimit: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// The length in its row.
  case length
  /// The run time of a budget's window (rule W4).
  case budget
  /// The warning of a wake without an expiration handler, if its row ends it there (rule W6).
  case warning
}

/// The receiver of a local notification (rule N1).
public enum LocalNotificationFate: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The user. The app is not in the foreground and is not notified.
  case shown
  /// The app, which is in the foreground.
  case delivered
}

/// A change to a request for app refresh or processing (rule W5).
public enum RequestChange: Hashable, Sendable, BitwiseCopyable {
  /// It is pending.
  case submitted
  /// It is pending, and replaces a request with the same identifier.
  case replaced
  /// It is no longer pending. Its decision and its wake follow.
  case started
  /// The app cancelled it.
  case cancelled
  /// It was not accepted.
  case refused(TaskRequestError)
}

/// The reason why a request is refused: `BGTaskScheduler.Error.Code`.
public enum TaskRequestError: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The policy has no such requests, or Background App Refresh is off.
  case unavailable
  /// Too many requests of its kind are pending.
  case tooManyPendingTaskRequests
  /// The manifest does not permit the identifier, or does not declare the mode.
  case notPermitted
}

/// The record of a process's end.
public struct EngineProcessEnd: Hashable, Sendable, BitwiseCopyable {
  /// The reason.
  public var reason: TerminationReason
  /// The code, if there is one.
  public var code: TerminationCode?
  /// For a watchdog's kill, the callback that overran.
  public var callback: Callback?
  /// For an overrun, the kind of assertion that expired; `finiteTask` for the grant. For an
  /// abnormal exit, the kind of the wake that was completed twice, if that was the cause.
  public var kind: AssertionKind?
  /// For a session or a wake that overran, the limit that it reached.
  public var limit = RunLimit.length
  /// For a grant that overran, the reason why it ended at that time.
  public var expiration: ExpirationReason?
  /// The number of `leakedTask` actions that follow.
  public var leaks: UInt32 = 0
  /// For an overrun, the delay with which its warning was decided, if the host called the engine
  /// only after the time was over. Nil if the warning was in time, or if there was none.
  public var late: Interval?
  /// For a wake that reached a length shorter than its row's, that length, which its delivery named
  /// (rule W7).
  public var ownLength: Interval?
  /// For an end with a status, a signal or an error, that number or name (rule D2).
  public var exit: ExitDetail?
}
