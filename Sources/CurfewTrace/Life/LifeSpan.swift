package import CurfewEngine

/// A period of an app's life: its process, a state, a visit, or something for which the app ran.
package struct LifeSpan: Hashable, Sendable {
  /// Its first instant.
  package let begin: Instant
  /// Its last instant; nil while it is open.
  package private(set) var end: Instant?
  /// The subject of the span, for example a task.
  package let subject: Subject
  /// The reason for its end; nil while it is open.
  package private(set) var ending: Ending?
  /// Whether the time of a task has run out, with or without a call of its handler.
  package internal(set) var isExpired = false

  /// The subject of a span.
  ///
  /// `LifeNames` has the words for the numbers of kinds and texts.
  package enum Subject: Hashable, Sendable, BitwiseCopyable {
    /// A process, from its launch.
    case process(isInBackground: Bool)
    /// A state.
    case state(AppState)
    /// A visit to the background, from this state. The instant that a suspended app spends in the
    /// background on its way to the front is not a visit.
    case visit(from: AppState)
    /// A background task that was granted.
    case task(TaskID)
    /// A session that keeps its app running.
    case session(kind: KindNumber)
    /// A deferral of a session.
    case deferral(kind: KindNumber)
    /// A wake, from its delivery.
    case wake(WakeID, kind: KindNumber)
    /// A request that is pending.
    case request(identifier: UInt32, kind: KindNumber)

    /// The number of the kind; nil for a process, a state and a visit.
    package var kind: KindNumber? {
      switch self {
      case .task: KindNumber(.finiteTask)
      case .session(let kind), .deferral(let kind), .wake(_, let kind), .request(_, let kind): kind
      case .process, .state, .visit: nil
      }
    }
  }

  /// The reason for a span's end.
  package enum Ending: Hashable, Sendable, BitwiseCopyable {
    /// The app ended, completed, stopped or cancelled it.
    case app
    /// Another state followed.
    case next(AppState)
    /// Its length or its budget was used up.
    case overrun(RunLimit)
    /// The admission was withdrawn.
    case denied
    /// The session was renewed, which ends its deferral.
    case renewed
    /// A request with the same identifier replaced it.
    case replaced
    /// The request became a wake.
    case started
    /// The process ended. `isGrant` tells whether the reason was a grant that ended with
    /// tasks open.
    case process(TerminationReason, isGrant: Bool)
    /// The run, or the trace, ended first.
    case run
  }

  init(_ subject: Subject, from begin: Instant) { (self.subject, self.begin) = (subject, begin) }

  /// Its length; nil while it is open.
  package var length: Interval? { end.map { $0 - begin } }

  func ended(at end: Instant, _ ending: Ending) -> LifeSpan {
    var span = self
    (span.end, span.ending) = (end, ending)
    return span
  }
}

/// A change of an app that takes no time.
package enum LifeMoment: Hashable, Sendable, BitwiseCopyable {
  /// The user brought the app to the front.
  case opened(Opening)
  /// A task was open for the first time in a visit.
  case granted
  /// A task was denied: the app received the number 0.
  case taskDenied
  /// The time of a task ran out, with or without a call of its handler. Occurs once for each task.
  case expired(TaskID)
  /// The expiration handler of a task, a session or a wake is called.
  case handler(LifeSpan.Subject)
  /// A session or a wake ran out. If the policy only notifies the app, the span stays open.
  case overran(LifeSpan.Subject, RunLimit)
  /// An admission was allowed; `wake` is the wake that was admitted.
  case allowed(kind: KindNumber, wake: WakeID?)
  /// An admission was denied; `wake` is a wake that had been admitted.
  case denied(kind: KindNumber, wake: WakeID?)
  /// A session was denied.
  case sessionDenied(kind: KindNumber)
  /// A request was not accepted.
  case refused(kind: KindNumber, TaskRequestError)
  /// A callback was delivered.
  case callback(Callback)
  /// An event that is not a wake was delivered.
  case event
  /// A local notification became due.
  case notification
  /// A local notification was due.
  case localNotification
  /// A diagnostic was reported.
  case diagnostic(Diagnostic)

  /// The state of the app when the user opened it.
  package enum Opening: Hashable, Sendable, BitwiseCopyable {
    /// It had no process.
    case cold
    /// It was suspended.
    case warm
    /// It ran in the background.
    case live
  }
}
