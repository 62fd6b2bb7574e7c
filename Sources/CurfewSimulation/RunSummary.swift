public import CurfewEngine
public import CurfewFiles

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
    public var kind: AssertionKind
    /// Every fact that refused it.
    public var reasons: DenialReasons
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
  }

  /// All apps together.
  public private(set) var total = Counts()
  /// Each app, in file order.
  public private(set) var apps: [(identifier: String, counts: Counts)]
  /// Processes ended, in order.
  public private(set) var kills: [Kill] = []
  /// Admissions denied, in order.
  public private(set) var denials: [Denial] = []
  /// Remarks, by name.
  public private(set) var diagnostics: [Diagnostic: Int] = [:]
  /// The time of the last line.
  public private(set) var end = Instant.zero

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
    case .wake(_, .begin): count(\.wakes, index)
    case .decision(let kind, let reasons) where !reasons.isEmpty:
      count(\.denials, index)
      denials.append(Denial(time: line.time, app: app, kind: kind, reasons: reasons))
    case .terminated(let process):
      count(\.terminations, index)
      kills.append(Kill(time: line.time, app: app, process: process))
    case .event, .callback, .task, .session, .decision, .wake, .probe, .diagnostic: break
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

  /// Kills by reason, most frequent first, then by name.
  public var killsByReason: [(reason: TerminationReason, count: Int)] {
    Dictionary(grouping: kills, by: \.process.reason).map { ($0, $1.count) }
      .sorted { ($1.count, $0.reason.fileName) < ($0.count, $1.reason.fileName) }
  }

  /// Denials by kind and reason; an admission that several facts refused counts under each.
  public var denialsByReason: [(kind: AssertionKind, reason: DenialReasons, count: Int)] {
    var counts: [AssertionKind: [DenialReasons: Int]] = [:]
    for denial in denials {
      for reason in DenialReasons.all where denial.reasons.contains(reason) { counts[denial.kind, default: [:]][reason, default: 0] += 1 }
    }
    return AssertionKind.allCases.flatMap { kind in
      DenialReasons.all.compactMap { reason in counts[kind]?[reason].map { (kind, reason, $0) } }
    }
  }
}
