public import CurfewEngine
public import CurfewPolicy
public import CurfewTrace

/// What a run amounts to, counted from its trace.
public struct RunSummary: Sendable {
  /// A process's end, with what is known about it.
  public struct Kill: Hashable, Sendable {
    /// When.
    public var time: Instant
    /// Whose.
    public var app: String
    /// Why.
    public var process: TerminatedProcess
  }

  /// An admission that was refused.
  public struct Denial: Hashable, Sendable {
    /// When.
    public var time: Instant
    /// To whom.
    public var app: String
    /// What was asked for.
    public var kind: KindName
    /// Every fact that refused it.
    public var reasons: Denials
    /// From when a budget or an interval allows it, where they refused it and that is known.
    public var next: Instant?
  }

  /// The counts of one app, or of all. A count that has the name of a figure is that figure.
  public struct Counts: Hashable, Sendable {
    /// The figures.
    public internal(set) var figures = AppFigures()
    /// Visits in which a task was open, so that a grant was drawn on.
    public internal(set) var grants = 0
    /// Tasks whose expiration handler was called.
    public internal(set) var expirations = 0
    /// Memory warnings delivered.
    public internal(set) var memoryWarnings = 0
    /// Posts delivered; of the posts that came while the app was suspended, their net changes.
    public internal(set) var notifications = 0
    /// Local notifications that were due, shown to the user or delivered to the app.
    public internal(set) var localNotifications = 0
    /// Admissions denied.
    public internal(set) var denials = 0
    let names: PolicyNames

    init(_ names: PolicyNames) { self.names = names }

    /// Wakes delivered in the background.
    public var wakes: Int { figures.wakes(names) }
    /// Processes begun, in the foreground or the background.
    public var launches: Int { figures[.coldLaunches] + figures[.backgroundLaunches] }
    /// Visits to the background.
    public var visits: Int { figures[.visits] }
    /// Tasks begun, without those denied.
    public var tasksBegun: Int { figures[.tasksBegun] }
    /// Tasks that their apps ended before their time ran out.
    public var tasksEnded: Int { figures[.tasksEnded] }
    /// Times suspended.
    public var suspensions: Int { figures[.suspensions] }
    /// Processes ended, for whatever reason.
    public var terminations: Int { figures.terminations }
    /// Processes ended to make room for others.
    public var purges: Int { figures.purges }

    mutating func note(_ change: LifeChange.Body) {
      figures.note(change)
      guard case .moment(let moment) = change else { return }
      switch moment {
      case .granted: grants += 1
      case .handler(.task): expirations += 1
      case .denied: denials += 1
      case .callback(.didReceiveMemoryWarning): memoryWarnings += 1
      case .notification: notifications += 1
      case .localNotification: localNotifications += 1
      default: break
      }
    }
  }

  /// What was decided about a kind.
  public struct Decisions: Hashable, Sendable {
    /// Admissions allowed. A task's begin is no decision unless it is denied.
    public var allowed = 0
    /// Admissions denied.
    public var denied = 0
    /// What denied them; one that several facts denied counts under each.
    public var reasons: [Denials: Int] = [:]
    /// The same by all the facts that denied one together; each counts once.
    public var denials: [Denials: Int] = [:]
  }

  /// What became of requests for app refresh and processing.
  public struct Requests: Hashable, Sendable {
    /// Accepted, those that replaced another included.
    public var submitted = 0
    /// Replaced by others of the same identifier.
    public var replaced = 0
    /// Started.
    public var started = 0
    /// Taken back.
    public var cancelled = 0
    /// Not accepted, by error.
    public var refused: [TaskRequestError: Int] = [:]
  }

  /// All apps together.
  public private(set) var total: Counts
  /// Each app, in file order.
  public private(set) var apps: [(identifier: String, counts: Counts)]
  /// Processes ended, in order: the first and the last of them.
  public private(set) var kills = FirstAndLast<Kill>()
  /// Admissions denied, in order: the first and the last of them.
  public private(set) var denials = FirstAndLast<Denial>()
  /// What was decided, by kind.
  public private(set) var decisions: [KindName: Decisions] = [:]
  /// What became of requests, by kind.
  public private(set) var requests: [KindName: Requests] = [:]
  /// Remarks, by name.
  public private(set) var diagnostics: [Diagnostic: Int] = [:]
  /// The time of the last line.
  public private(set) var end = Instant.zero

  private var lives: AppLives

  /// A summary of nothing yet, of these apps in a run under this policy.
  public init(apps identifiers: [String], under policy: PolicyFile) {
    let names = policy.policy.names
    total = Counts(names)
    apps = identifiers.map { ($0, Counts(names)) }
    lives = AppLives(apps: identifiers, policy: policy.policy)
  }

  /// Counts one more line.
  public mutating func add(_ line: TraceLine) { _ = read(line) }

  /// Counts one more line, and returns the changes that it makes in the apps' lives.
  package mutating func read(_ line: TraceLine) -> [LifeChange] {
    // Nothing has happened.
    if line.body == .advance || line.body == .end { return [] }
    end = max(end, line.time)
    if case .diagnostic(let diagnostic, _) = line.body { diagnostics[diagnostic, default: 0] += 1 }
    guard let app = line.app, lives.names.place(ofApp: app) != nil else { return [] }
    lives.read(line)
    for change in lives.changes {
      total.note(change.body)
      apps[change.app].counts.note(change.body)
    }
    switch line.body {
    case .decision(let kind, _, let reasons, let next):
      note(reasons, kind)
      if !reasons.isEmpty { denials.append(Denial(time: line.time, app: app, kind: kind, reasons: reasons, next: next)) }
    case .terminated(let process): kills.append(Kill(time: line.time, app: app, process: process))
    case .request(_, let kind, let change): note(change, kind)
    default: break
    }
    return lives.changes
  }

  /// The figures of a kind of wake, of all apps together; nil where none was delivered.
  public func wakes(of kind: KindName) -> KindFigures? {
    guard let number = total.names.kind(kind).map({ Int($0.rawValue) }), number < total.figures.kinds.count else { return nil }
    let figures = total.figures.kinds[number]
    return figures[.begun] > 0 && total.names.class(of: AssertionKind(rawValue: UInt8(number))) == .wake ? figures : nil
  }

  private mutating func note(_ reasons: Denials, _ kind: KindName) {
    guard !reasons.isEmpty else { return decisions[kind, default: Decisions()].allowed += 1 }
    decisions[kind, default: Decisions()].denied += 1
    decisions[kind, default: Decisions()].denials[reasons, default: 0] += 1
    for reason in reasons.each {
      decisions[kind, default: Decisions()].reasons[reason, default: 0] += 1
    }
  }

  private mutating func note(_ change: RequestChange, _ kind: KindName) {
    switch change {
    case .submitted: requests[kind, default: Requests()].submitted += 1
    case .replaced:
      requests[kind, default: Requests()].submitted += 1
      requests[kind, default: Requests()].replaced += 1
    case .started: requests[kind, default: Requests()].started += 1
    case .cancelled: requests[kind, default: Requests()].cancelled += 1
    case .refused(let error): requests[kind, default: Requests()].refused[error, default: 0] += 1
    }
  }

  /// Kills by reason, most frequent first, then by name.
  public var killsByReason: [(reason: TerminationReason, count: Int)] {
    TerminationReason.allCases.map { ($0, total.figures[$0]) }.filter { $0.1 > 0 }
      .sorted { ($1.1, $0.0.fileName) < ($0.1, $1.0.fileName) }
  }
}
