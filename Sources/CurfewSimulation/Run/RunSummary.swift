public import CurfewEngine
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

  /// The counts of one app, or of all.
  public struct Counts: Hashable, Sendable {
    /// Launches into the foreground or the background: processes begun.
    public var launches = 0
    /// Visits to the background. The instant that a suspended app spends there on its way to the front is none.
    public var visits = 0
    /// Visits in which a task was open, so that a grant was drawn on.
    public var grants = 0
    /// Tasks begun, the denied ones left out.
    public var tasksBegun = 0
    /// Tasks ended by their apps.
    public var tasksEnded = 0
    /// Tasks whose expiration handler was called.
    public var expirations = 0
    /// Wakes delivered.
    public var wakes = 0
    /// Times suspended.
    public var suspensions = 0
    /// Admissions denied.
    public var denials = 0
    /// Processes ended, for whatever reason.
    public var terminations = 0
    /// Those of them that ended to make room for others.
    public var purges = 0
    /// Memory warnings delivered.
    public var memoryWarnings = 0
    /// Posts delivered, of those that came while the app was suspended their net changes.
    public var notifications = 0
    /// Local notifications that were due, shown to the user or delivered to the app.
    public var localNotifications = 0
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

  /// What became of the wakes of a kind.
  public struct Wakes: Hashable, Sendable {
    /// Delivered.
    public var delivered = 0
    /// Completed by their apps.
    public var completed = 0
    /// Whose expiration handlers were called.
    public var warned = 0
    /// Ran out.
    public var overrun = 0
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
  public private(set) var total = Counts()
  /// Each app, in file order.
  public private(set) var apps: [(identifier: String, counts: Counts)]
  /// Processes ended, in order: the first and the last of them.
  public private(set) var kills = FirstAndLast<Kill>()
  /// Admissions denied, in order: the first and the last of them.
  public private(set) var denials = FirstAndLast<Denial>()
  /// What was decided, by kind.
  public private(set) var decisions: [KindName: Decisions] = [:]
  /// What became of wakes, by kind.
  public private(set) var wakes: [KindName: Wakes] = [:]
  /// What became of requests, by kind.
  public private(set) var requests: [KindName: Requests] = [:]
  /// Remarks, by name.
  public private(set) var diagnostics: [Diagnostic: Int] = [:]
  /// The time of the last line.
  public private(set) var end = Instant.zero

  private var reasons: [TerminationReason: Int] = [:]
  private var indices: [String: Int]
  private var progress: [Progress]

  /// Where an app is, as far as counting needs it.
  private struct Progress: Hashable {
    var openTasks: Set<TaskID> = []
    var isInBackground = false
    var visitHasGrant = false
    /// Has come out of suspension, for a wake or on its way to the front: the next line tells.
    var isThawed = false
  }

  /// A summary of nothing yet, of these apps.
  public init(apps identifiers: [String]) {
    apps = identifiers.map { ($0, Counts()) }
    indices = Dictionary(identifiers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    progress = Array(repeating: Progress(), count: identifiers.count)
  }

  /// Counts one more line.
  public mutating func add(_ line: TraceLine) {
    // Nothing has happened.
    if line.body == .advance || line.body == .end { return }
    end = max(end, line.time)
    if case .diagnostic(let diagnostic, _) = line.body { diagnostics[diagnostic, default: 0] += 1 }
    guard let app = line.app, let index = indices[app] else { return }
    if progress[index].isThawed {
      progress[index].isThawed = false
      if line.body != .callback(.lifecycle(.willEnterForeground)) { count(\.visits, index) }
    }
    switch line.body {
    case .state(let from, let to): moved(index, from, to)
    case .task(.begin, let id, _) where id != .invalid:
      count(\.tasksBegun, index)
      progress[index].openTasks.insert(id)
      noteGrant(index)
    case .task(.end, let id, _):
      count(\.tasksEnded, index)
      progress[index].openTasks.remove(id)
    case .expiration: count(\.expirations, index)
    case .wake(let kind, _, _, let change, _):
      if change == .begin { count(\.wakes, index) }
      note(change, kind)
    case .decision(let kind, _, let reasons, let next):
      note(reasons, kind)
      guard !reasons.isEmpty else { break }
      count(\.denials, index)
      denials.append(Denial(time: line.time, app: app, kind: kind, reasons: reasons, next: next))
    case .terminated(let process):
      count(\.terminations, index)
      if process.reason == .memoryPressure { count(\.purges, index) }
      reasons[process.reason, default: 0] += 1
      kills.append(Kill(time: line.time, app: app, process: process))
    case .callback(.lifecycle(.didReceiveMemoryWarning)): count(\.memoryWarnings, index)
    case .notification: count(\.notifications, index)
    case .localNotification: count(\.localNotifications, index)
    case .request(_, let kind, let change): note(change, kind)
    default: break
    }
  }

  private mutating func moved(_ index: Int, _ from: AppState, _ to: AppState) {
    progress[index].isInBackground = to == .background
    progress[index].visitHasGrant = false
    switch to {
    case .background:
      if from == .suspended { progress[index].isThawed = true } else { count(\.visits, index) }
      noteGrant(index)
    case .suspended: count(\.suspensions, index)
    case .notRunning: progress[index].openTasks = []
    case .inactive, .active: break
    }
    if from == .notRunning { count(\.launches, index) }
  }

  private mutating func noteGrant(_ index: Int) {
    guard progress[index].isInBackground, !progress[index].visitHasGrant, !progress[index].openTasks.isEmpty else { return }
    progress[index].visitHasGrant = true
    count(\.grants, index)
  }

  private mutating func count(_ field: WritableKeyPath<Counts, Int>, _ index: Int) {
    total[keyPath: field] += 1
    apps[index].counts[keyPath: field] += 1
  }

  private mutating func note(_ reasons: Denials, _ kind: KindName) {
    guard !reasons.isEmpty else { return decisions[kind, default: Decisions()].allowed += 1 }
    decisions[kind, default: Decisions()].denied += 1
    decisions[kind, default: Decisions()].denials[reasons, default: 0] += 1
    for reason in reasons.each {
      decisions[kind, default: Decisions()].reasons[reason, default: 0] += 1
    }
  }

  private mutating func note(_ change: TraceLine.WakeChange, _ kind: KindName) {
    switch change {
    case .begin: wakes[kind, default: Wakes()].delivered += 1
    case .complete: wakes[kind, default: Wakes()].completed += 1
    case .warning: wakes[kind, default: Wakes()].warned += 1
    case .overrun, .overBudget: wakes[kind, default: Wakes()].overrun += 1
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
    reasons.map { ($0, $1) }.sorted { ($1.count, $0.reason.fileName) < ($0.count, $1.reason.fileName) }
  }
}
