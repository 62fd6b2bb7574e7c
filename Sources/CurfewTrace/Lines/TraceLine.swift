public import CurfewEngine
public import CurfewText

/// One line of a trace: an input of the engine, or an output.
public struct TraceLine: Hashable, Sendable {
  /// The instant.
  public var time: Instant
  /// The app that the line is about; nil for the whole device.
  public var app: String?
  /// The type and its values.
  public var body: Body

  /// Creates a line.
  package init(time: Instant, app: String?, _ body: Body) {
    self.time = time
    self.app = app
    self.body = body
  }

  /// The types of line, in the order of the format's document.
  public enum Body: Hashable, Sendable {
    /// An event that entered the engine.
    indirect case event(EngineInput)
    /// The host let the engine take one due step.
    case advance
    /// An app changed its state.
    case state(from: AppState, to: AppState)
    /// A callback was delivered.
    case callback(DeliveredCallback)
    /// A task was begun (number 0: denied) or ended.
    case task(TaskChange, TaskID, name: String)
    /// An expiration handler is to be called; in virtual time it is called at once. `due` is set
    /// only if the handler was due earlier.
    case expiration(TaskID, name: String, ExpirationReason, due: Instant?)
    /// A session began, ended or was denied, ran out, was deferred or renewed, or its expiration
    /// handler was called. `due` is set only if the handler was due earlier.
    case session(KindName, SessionChange, due: Instant? = nil)
    /// An admission was decided. `wake` is the wake that was admitted, or whose admission was
    /// withdrawn; `next` is the instant at which a budget or an interval allows it again.
    case decision(KindName, wake: WakeID? = nil, denied: Denials, next: Instant?)
    /// A wake was delivered, was completed, or used up its length or its budgets, or its expiration
    /// handler was called. `identifier` is the identifier of the request that led to the wake.
    /// `due` is set only if the handler was due earlier.
    case wake(KindName, WakeID, identifier: String?, WakeChange, due: Instant? = nil)
    /// A post reached an app.
    case notification(name: String, value: String?)
    /// A local notification was due.
    case localNotification(id: String, LocalNotificationFate)
    /// A request for app refresh or processing was submitted, refused, cancelled or started.
    case request(identifier: String, KindName, RequestChange)
    /// The values that an app would have read; `remaining` is nil if it is infinite.
    case probe(AppState, remaining: Interval?)
    /// A process ended.
    case terminated(RecordedProcessEnd)
    /// A diagnostic, which changes nothing.
    case diagnostic(Diagnostic, DiagnosticSubject)
    /// A process began or resumed the run: its clocks, and for `exec` the path of its cgroup.
    /// The line changes no decision.
    case resumed(HostClocks, cgroup: String?)
    /// The run has ended. This is the last line, unless the trace was cut.
    case end
    /// The number of lines that a slow reader of a device's actions did not get. Only streams have
    /// this line: a trace with it cannot be read or replayed.
    case gap(dropped: Int)
  }

  /// A callback by its name in traces: a callback of an app delegate, or the event of a wake kind
  /// that was delivered in the foreground.
  public enum DeliveredCallback: Hashable, Sendable {
    /// A callback of the app's life cycle.
    case lifecycle(Callback)
    /// An event's callback.
    case event(KindName)
  }

  /// A change to a task.
  public enum TaskChange: String, Hashable, Sendable, CaseIterable {
    /// The app began it; it is denied if its number is 0.
    case begin
    /// The app ended it.
    case end
  }

  /// A change to a session.
  public enum SessionChange: String, Hashable, Sendable, CaseIterable {
    /// It began, and keeps the app running in the background.
    case begin
    /// It stopped. Its assertion may linger.
    case end
    /// It was denied, and does not keep the app running.
    case denied
    /// Its expiration handler is to be called.
    case warning
    /// Its run has reached its length.
    case overrun
    /// The run time of a budget's window is used up.
    case overBudget
    /// It was deferred: it does not keep the app running until it is renewed.
    case `defer`
    /// It keeps the app running again, after a deferral.
    case renew
  }

  /// A change to a wake.
  public enum WakeChange: String, Hashable, Sendable, CaseIterable {
    /// Its event was delivered to the app.
    case begin
    /// The app completed it.
    case complete
    /// Its expiration handler is to be called.
    case warning
    /// Its own length is used up.
    case overrun
    /// The run time of a budget's window is used up.
    case overBudget
    /// Its warning was due, but it has no expiration handler, so the policy ended it.
    case unhandled
  }

  /// The subject of a diagnostic.
  public enum DiagnosticSubject: Hashable, Sendable {
    /// The app itself.
    case none
    /// The step with this `do`, the objection to it, and its place. A line from a file has no
    /// objection, and only a scenario's steps have a place.
    case step(String, IllegalEventReason? = nil, at: SourcePlace? = nil)
    /// A task, by its number.
    case task(TaskID)
    /// A post, by its name.
    case notification(String)
    /// A wake that was already complete, and the instant of its first completion.
    case wake(KindName, WakeID, identifier: String?, completed: Instant)
    /// The callback or handler that keeps the app's run loop busy.
    case call(AppCall)
    /// Tasks by name, in the order of their numbers, with their ages. A line from a file has
    /// no ages.
    case tasks([String], ages: [Interval])
  }
}

/// The end of a process.
public struct RecordedProcessEnd: Hashable, Sendable {
  /// The reason.
  public var reason: TerminationReason
  /// The code, if there is one.
  public var code: TerminationCode?
  /// The names of the tasks that were left open, in the order of their numbers; nil unless
  /// a grant ended.
  public var tasks: [String]?
  /// The delay of the warning, if the host decided the warning only after the time was over; nil
  /// for other ends, and always nil in virtual time.
  public var late: Interval?
  /// The status, the signal or the error, if the end has one (rule D2).
  public var exit: ExitDetail?
  /// Details that the engine knows and the trace's line does not have; nil for a line from a file.
  public var details: Details?

  /// Creates the end of a process for this reason.
  package init(
    reason: TerminationReason, code: TerminationCode?, tasks: [String]?, late: Interval? = nil,
    exit: ExitDetail? = nil, details: Details? = nil
  ) {
    self.exit = exit
    self.reason = reason
    self.code = code
    self.tasks = tasks
    self.late = late
    self.details = details
  }

  /// Details that the engine knows and the trace's line does not have.
  public struct Details: Hashable, Sendable {
    /// The callback that overran.
    public var callback: Callback?
    /// The kind of assertion that ran out.
    public var kind: KindName?
    /// The reason why a grant ended at that instant.
    public var expiration: ExpirationReason?
    /// The limit that a session or a wake exceeded.
    public var limit: RunLimit
    /// The length that the delivery of a wake named, if it is shorter than the row's (rule W7).
    public var ownLength: Interval?
    /// The ages of `tasks`.
    public var ages: [Interval]

    /// Creates details.
    package init(
      callback: Callback? = nil, kind: KindName? = nil, expiration: ExpirationReason? = nil,
      limit: RunLimit = .length, ownLength: Interval? = nil,
      ages: [Interval] = []
    ) {
      (self.callback, self.kind, self.expiration, self.limit, self.ages) = (
        callback, kind, expiration, limit, ages
      )
      self.ownLength = ownLength
    }
  }
}

extension TraceLine.Body {
  /// Sets the place of an illegal step.
  package mutating func place(at place: SourcePlace?) {
    if case .diagnostic(let name, .step(let verb, let objection, _)) = self {
      self = .diagnostic(name, .step(verb, objection, at: place))
    }
  }
}
