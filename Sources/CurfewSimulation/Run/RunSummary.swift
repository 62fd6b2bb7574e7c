package import CurfewEngine
package import CurfewPolicy
package import CurfewTrace

/// A summary of a run, counted from its trace.
package struct RunSummary: Sendable {
  /// The counts of one app, or of all apps together. A count that has the name of a figure equals
  /// that figure.
  package struct Counts: Hashable, Sendable {
    /// The figures of the app or apps.
    package internal(set) var figures = AppFigures()
    /// Visits in which a grant began, because a task was open.
    package internal(set) var grants = 0
    /// Tasks whose expiration handler was called.
    package internal(set) var expirations = 0
    /// Memory warnings delivered.
    package internal(set) var memoryWarnings = 0
    /// Posts delivered. For posts made while the app was suspended, only the net change counts.
    package internal(set) var notifications = 0
    /// Local notifications that were due, shown to the user or delivered to the app.
    package internal(set) var localNotifications = 0
    /// Admissions denied.
    package internal(set) var denials = 0
    let names: PolicyNames

    init(_ names: PolicyNames) { self.names = names }

    /// Wakes delivered in the background.
    package var wakes: Int { figures.wakes(names) }
    /// Processes started, in the foreground or the background.
    package var launches: Int { figures[.coldLaunches] + figures[.backgroundLaunches] }
    /// Visits to the background.
    package var visits: Int { figures[.visits] }
    /// Tasks begun, except for denied ones.
    package var tasksBegun: Int { figures[.tasksBegun] }
    /// Tasks that their apps ended before their time ran out.
    package var tasksEnded: Int { figures[.tasksEnded] }
    /// Suspensions.
    package var suspensions: Int { figures[.suspensions] }
    /// Processes ended, for any reason.
    package var terminations: Int { figures.terminations }
    /// Processes ended to make room for other apps.
    package var purges: Int { figures.purges }

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

  /// The decisions about a kind.
  package struct Decisions: Hashable, Sendable {
    /// Admissions allowed. The begin of a task counts as a decision only if it is denied.
    package var allowed = 0
    /// Admissions denied.
    package var denied = 0
    /// Denials by reason. A denial with several reasons counts under each.
    package var reasons: [Denials: Int] = [:]
    /// Denials by their set of reasons. Each denial counts once.
    package var denials: [Denials: Int] = [:]
  }

  /// The changes of requests for app refresh and processing.
  package struct Requests: Hashable, Sendable {
    /// Requests accepted, including replacements of earlier requests.
    package var submitted = 0
    /// Requests replaced by one with the same identifier.
    package var replaced = 0
    /// Requests started.
    package var started = 0
    /// Requests cancelled.
    package var cancelled = 0
    /// Requests refused, by error.
    package var refused: [TaskRequestError: Int] = [:]
  }

  /// The counts of all apps together.
  package private(set) var total: Counts
  /// The counts of each app, in file order.
  package private(set) var apps: [(identifier: String, counts: Counts)]
  /// Decisions, by kind.
  package private(set) var decisions: [KindName: Decisions] = [:]
  /// Changes of requests, by kind.
  package private(set) var requests: [KindName: Requests] = [:]
  /// Diagnostics, by name.
  package private(set) var diagnostics: [Diagnostic: Int] = [:]

  private var lives: AppLives

  /// An empty summary of these apps in a run under this policy.
  package init(apps identifiers: [String], under policy: PolicyFile) {
    let names = policy.policy.names
    total = Counts(names)
    apps = identifiers.map { ($0, Counts(names)) }
    lives = AppLives(apps: identifiers, policy: policy.policy)
  }

  /// Counts one more line, and returns the changes that it makes in the apps' lives.
  @discardableResult
  package mutating func read(_ line: TraceLine) -> [LifeChange] {
    // These lines change nothing in an app's life.
    if line.body == .advance || line.body == .end { return [] }
    if case .diagnostic(let diagnostic, _) = line.body { diagnostics[diagnostic, default: 0] += 1 }
    guard let app = line.app, lives.names.place(ofApp: app) != nil else { return [] }
    lives.read(line)
    for change in lives.changes {
      total.note(change.body)
      apps[change.app].counts.note(change.body)
    }
    switch line.body {
    case .decision(let kind, _, let reasons, _): note(reasons, kind)
    case .request(_, let kind, let change): note(change, kind)
    default: break
    }
    return lives.changes
  }

  /// The figures of a kind of wake, of all apps together; nil if none was delivered.
  package func wakes(of kind: KindName) -> KindFigures? {
    guard let number = total.names.kind(kind).map({ Int($0.rawValue) }),
      number < total.figures.kinds.count
    else { return nil }
    let figures = total.figures.kinds[number]
    return figures[.begun] > 0
      && total.names.class(of: AssertionKind(rawValue: UInt8(number))) == .wake ? figures : nil
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

  /// The ends of processes by reason, most frequent first, then by name.
  package var killsByReason: [(reason: TerminationReason, count: Int)] {
    TerminationReason.allCases.map { ($0, total.figures[$0]) }.filter { $0.1 > 0 }
      .sorted { ($1.1, $0.0.fileName) < ($0.1, $1.0.fileName) }
  }
}
