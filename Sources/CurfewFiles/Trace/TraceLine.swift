public import CurfewEngine

/// One line of a trace: something that entered the engine, or something that came out.
public struct TraceLine: Hashable, Sendable {
  /// When.
  public var time: Instant
  /// The app that it is about; nil for what concerns the whole device.
  public var app: String?
  /// What.
  public var body: Body

  /// A line of these parts.
  public init(time: Instant, app: String?, _ body: Body) {
    self.time = time
    self.app = app
    self.body = body
  }

  /// The types of line, in the order in which the format's document tells them.
  public enum Body: Hashable, Sendable {
    /// What entered the engine, as it came.
    case event(TraceEvent)
    /// An app changed its state.
    case state(from: AppState, to: AppState)
    /// A callback was delivered.
    case callback(DeliveredCallback)
    /// A task was begun (number 0: denied) or ended.
    case task(TaskChange, TaskID, name: String)
    /// An expiration handler was called; `due` only where it was due earlier.
    case expiration(TaskID, name: String, ExpirationReason, due: Instant?)
    /// A session began, ended or was denied.
    case session(AssertionKind, SessionChange)
    /// An admission was decided.
    case decision(AssertionKind, denied: DenialReasons)
    /// A wake was delivered, completed or ran out.
    case wake(AssertionKind, WakeChange)
    /// What an app would have read; `remaining` is nil while it is infinite.
    case probe(AppState, remaining: Interval?)
    /// A process ended.
    case terminated(TerminatedProcess)
    /// Something worth saying that changes nothing.
    case diagnostic(Diagnostic, DiagnosticSubject)
  }

  /// A callback as a trace names it: one of the app delegate's life, or the event of a wake kind that found the app in the foreground.
  public enum DeliveredCallback: Hashable, Sendable {
    /// The app's life.
    case lifecycle(Callback)
    /// An event.
    case event(AssertionKind)
  }

  /// What became of a task.
  public enum TaskChange: String, Hashable, Sendable { case begin, end }

  /// What became of a wake.
  public enum WakeChange: String, Hashable, Sendable { case begin, complete, overrun }

  /// What a diagnostic is about.
  public enum DiagnosticSubject: Hashable, Sendable {
    /// Nothing but the app.
    case none
    /// The step with this `do`.
    case step(String)
    /// A task, by its number.
    case task(TaskID)
  }
}

/// The end of a process.
public struct TerminatedProcess: Hashable, Sendable {
  /// Why.
  public var reason: TerminationReason
  /// The code, where there is one.
  public var code: TerminationCode?
  /// The names of the tasks that were left open, in the order of their numbers; nil unless a grant ended.
  public var tasks: [String]?
  /// What the engine knows beyond the trace's line; nil for a line that was read from a file.
  public var details: Details?

  /// A process's end for this reason.
  public init(reason: TerminationReason, code: TerminationCode?, tasks: [String]?, details: Details? = nil) {
    self.reason = reason
    self.code = code
    self.tasks = tasks
    self.details = details
  }

  /// What the engine knows beyond the trace's line.
  public struct Details: Hashable, Sendable {
    /// The callback that overran.
    public var callback: Callback?
    /// The kind of assertion that ran out.
    public var kind: AssertionKind?
    /// The ages of `tasks`.
    public var ages: [Interval]
  }
}

/// What entered the engine, without the app, which stands in the line.
public enum TraceEvent: Hashable, Sendable {
  case launch, home, lock, unlock, interrupt, acceptInterruption, ignoreInterruption, forceQuit, reboot
  case expireTasks(ExpirationReason?)
  case deliver(AssertionKind)
  /// A delivery has returned, later than it came.
  case returned(Moment)
  case beginTask(String, ExpirationHandler)
  case endTask(TaskReference)
  case startSession(AssertionKind)
  case stopSession(AssertionKind)
  case completeWake(AssertionKind?, WakeResult?)
  case crash(CrashReason?)
  case probe

  /// How an event names a task.
  public enum TaskReference: Hashable, Sendable {
    /// By its label, a variable that holds the task begun last under it.
    case label(String)
    /// By its number, where its label has come to hold another.
    case id(TaskID)
  }

  /// Whether an app does this of itself, so that it can do it inside a callback.
  public var isOwnCall: Bool {
    switch self {
    case .beginTask, .endTask, .startSession, .stopSession, .completeWake, .crash, .probe: true
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .expireTasks,
      .deliver, .returned:
      false
    }
  }

  /// The event's `do`.
  public var verb: String {
    switch self {
    case .launch: "launch"
    case .home: "home"
    case .lock: "lock"
    case .unlock: "unlock"
    case .interrupt: "interrupt"
    case .acceptInterruption: "acceptInterruption"
    case .ignoreInterruption: "ignoreInterruption"
    case .forceQuit: "forceQuit"
    case .reboot: "reboot"
    case .expireTasks: "expireTasks"
    case .deliver: "deliver"
    case .returned: "return"
    case .beginTask: "beginTask"
    case .endTask: "endTask"
    case .startSession: "startSession"
    case .stopSession: "stopSession"
    case .completeWake: "completeWake"
    case .crash: "crash"
    case .probe: "probe"
    }
  }
}

/// The first line of a trace.
public struct TraceHeader: Hashable, Sendable {
  /// The scenario's name.
  public var name: String
  /// The policy's name.
  public var policy: String
  /// The digest of the policy's values; replay refuses another.
  public var policyDigest: String
  /// The seed of whatever was drawn; 0 where nothing was.
  public var seed: UInt64
  /// The apps in file order, each once: the order in which device-wide steps serve them. Written where there are several.
  public var apps: [String]
  /// Those of them that opt out of the background. What else their manifests say shows in the decisions.
  public var exitsOnSuspend: [String]

  /// A header of these parts.
  public init(name: String, policy: String, policyDigest: String, seed: UInt64, apps: [String], exitsOnSuspend: [String] = []) {
    self.name = name
    self.policy = policy
    self.policyDigest = policyDigest
    self.seed = seed
    self.apps = apps
    self.exitsOnSuspend = exitsOnSuspend
  }
}

/// A whole trace.
public struct Trace: Hashable, Sendable {
  /// Its first line.
  public var header: TraceHeader
  /// The others, in order.
  public var lines: [TraceLine]

  /// A trace of these lines.
  public init(header: TraceHeader, lines: [TraceLine]) {
    self.header = header
    self.lines = lines
  }
}
