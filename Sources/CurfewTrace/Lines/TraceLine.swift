public import CurfewEngine
public import CurfewText

/// One line of a trace: something that entered the engine, or something that came out.
public struct TraceLine: Hashable, Sendable {
  /// When.
  public var time: Instant
  /// The app that it is about; nil for what concerns the whole device.
  public var app: String?
  /// What.
  public var body: Body

  /// A line of these parts.
  package init(time: Instant, app: String?, _ body: Body) {
    self.time = time
    self.app = app
    self.body = body
  }

  /// The types of line, in the order in which the format's document tells them.
  public enum Body: Hashable, Sendable {
    /// What entered the engine, as it came.
    indirect case event(Deed)
    /// The host let the engine take one step that was due.
    case advance
    /// An app changed its state.
    case state(from: AppState, to: AppState)
    /// A callback was delivered.
    case callback(DeliveredCallback)
    /// A task was begun (number 0: denied) or ended.
    case task(TaskChange, TaskID, name: String)
    /// An expiration handler is to be called, which in virtual time it is at once; `due` only where
    /// it was due earlier.
    case expiration(TaskID, name: String, ExpirationReason, due: Instant?)
    /// A session began, ended or was denied, ran out, was put off or went on, or its expiration
    /// handler was called; `due` only where that was due earlier.
    case session(KindName, SessionChange, due: Instant? = nil)
    /// An admission was decided. `wake` is the wake that was admitted, or that had been and is not
    /// any more; `next` is when a budget or an interval allows it again.
    case decision(KindName, wake: WakeID? = nil, denied: Denials, next: Instant?)
    /// A wake was delivered, completed or ran out, by itself or with what its budgets give, or its
    /// expiration handler was called; `identifier` is that of the request that it came from, `due`
    /// only where the handler was due earlier.
    case wake(KindName, WakeID, identifier: String?, WakeChange, due: Instant? = nil)
    /// Something that was posted reached an app.
    case notification(name: String, value: String?)
    /// A local notification was due.
    case localNotification(id: String, LocalNotificationFate)
    /// A request for app refresh or processing was submitted, refused, cancelled or started.
    case request(identifier: String, KindName, RequestChange)
    /// What an app would have read; `remaining` is nil while it is infinite.
    case probe(AppState, remaining: Interval?)
    /// A process ended.
    case terminated(TerminatedProcess)
    /// Something worth saying that changes nothing.
    case diagnostic(Diagnostic, DiagnosticSubject)
    /// The run has ended. The last line, unless the trace was cut.
    case end
    /// So many lines stood here that a slow reader of a device's actions did not get. In a stream
    /// alone: no trace has it, and none with it can be read or replayed.
    case gap(dropped: Int)
  }

  /// A callback as a trace names it: one of the app delegate's life, or the event of a wake kind
  /// that found the app in the foreground.
  public enum DeliveredCallback: Hashable, Sendable {
    /// The app's life.
    case lifecycle(Callback)
    /// An event.
    case event(KindName)
  }

  /// What became of a task.
  public enum TaskChange: String, Hashable, Sendable, CaseIterable { case begin, end }

  /// What became of a session.
  public enum SessionChange: String, Hashable, Sendable, CaseIterable {
    case begin, end, denied, warning, overrun, overBudget, `defer`, renew
  }

  /// What became of a wake.
  public enum WakeChange: String, Hashable, Sendable, CaseIterable {
    case begin, complete, warning, overrun, overBudget
  }

  /// What a diagnostic is about.
  public enum DiagnosticSubject: Hashable, Sendable {
    /// Nothing but the app.
    case none
    /// The step with this `do`, why it made no sense, and where it is written; a line that was read
    /// from a file does not say why, and only a scenario's steps have a place.
    case step(String, Objection? = nil, at: SourcePlace? = nil)
    /// A task, by its number.
    case task(TaskID)
    /// A post, by its name.
    case notification(String)
    /// Tasks, by their names, in the order of their numbers, and how old they are; a line that was
    /// read from a file does not say that.
    case tasks([String], ages: [Interval])
  }
}

/// The end of a process.
public struct TerminatedProcess: Hashable, Sendable {
  /// Why.
  public var reason: TerminationReason
  /// The code, where there is one.
  public var code: TerminationCode?
  /// The names of the tasks that were left open, in the order of their numbers; nil unless
  /// a grant ended.
  public var tasks: [String]?
  /// How late its warning was decided, where the host came so late that the time was over by then;
  /// nil for other ends, and always in virtual time.
  public var late: Interval?
  /// What the engine knows beyond the trace's line; nil for a line that was read from a file.
  public var details: Details?

  /// A process's end for this reason.
  package init(
    reason: TerminationReason, code: TerminationCode?, tasks: [String]?, late: Interval? = nil,
    details: Details? = nil
  ) {
    self.reason = reason
    self.code = code
    self.tasks = tasks
    self.late = late
    self.details = details
  }

  /// What the engine knows beyond the trace's line.
  public struct Details: Hashable, Sendable {
    /// The callback that overran.
    public var callback: Callback?
    /// The kind of assertion that ran out.
    public var kind: KindName?
    /// Why a grant ended when it did.
    public var expiration: ExpirationReason?
    /// What a session or a wake ran beyond.
    public var limit: RunLimit
    /// The ages of `tasks`.
    public var ages: [Interval]

    /// What is known of an end beyond its line.
    package init(
      callback: Callback? = nil, kind: KindName? = nil, expiration: ExpirationReason? = nil,
      limit: RunLimit = .length,
      ages: [Interval] = []
    ) {
      (self.callback, self.kind, self.expiration, self.limit, self.ages) = (
        callback, kind, expiration, limit, ages
      )
    }
  }
}

extension TraceLine.Body {
  /// Of a step that made no sense: where it is written.
  package mutating func place(at place: SourcePlace?) {
    if case .diagnostic(let name, .step(let verb, let objection, _)) = self {
      self = .diagnostic(name, .step(verb, objection, at: place))
    }
  }
}
