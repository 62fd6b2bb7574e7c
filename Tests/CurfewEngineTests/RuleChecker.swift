import CurfewEngine

/// What the rules say, kept in the plainest way beside an engine and fed with its events and its actions alone.
///
/// It keeps the task clock by adding up, finds tasks by searching, and knows nothing of run loops, slabs or timers.
struct RuleChecker {
  struct Task {
    var id: UInt32
    var began: Instant
    var handler: ExpirationHandler
    var isCalled = false
    var isCalledOld = false
    /// When its handler was due, and in which visit.
    var due: (at: Instant, visit: Int)?
    /// The visit after whose warning it was begun.
    var lateVisit: Int?
  }

  struct Wake {
    var kind: AssertionKind
    /// nil until it was delivered.
    var delivered: Instant?
  }

  struct Session {
    var kind: AssertionKind
    var lingersUntil: Instant?
  }

  struct App {
    var state = AppState.notRunning
    /// What it has not returned from yet.
    var owed: Action?
    var owedSince = Instant.zero
    var launchBegan = Instant.zero
    var isCalledSlow = false
    /// Counts deliveries and deaths, so that a return can be told from one that has become void.
    var turn = 0
    var isForceQuit = false

    var lastTask: UInt32 = 0
    var tasks: [Task] = []
    var wakes: [Wake] = []
    var sessions: [Session] = []

    /// Counts the visits of this process.
    var visit = 0
    var remaining = Interval.zero
    /// The clock of this visit has run with no more than the warning left.
    var isWarned = false
    /// Tasks that were begun after this visit's warning and have ended.
    var lateEnds = 0
    var reason = ExpirationReason.timeLimit
    var visitBegan = Instant.zero
    var quietSince = Instant.zero
    var lastExpiration: (due: Instant, id: UInt32)?
    /// The kind of wake that has just overrun and takes the process along.
    var killer: AssertionKind?
  }

  let policy: Policy
  /// False where the host is late: then nothing is too early, but all may be too late.
  let isPunctual: Bool
  var apps: [App]
  var now = Instant.zero
  /// What went wrong first.
  var failure: String? { complaint.text }

  private let complaint = Complaint()

  var event: Event?
  var mustTerminate: AppID?
  var mustLeak: (app: AppID, tasks: [Task]) = (AppID(rawValue: 0), [])

  init(policy: Policy, apps: Int, isPunctual: Bool) {
    self.policy = policy
    self.isPunctual = isPunctual
    self.apps = Array(repeating: App(), count: apps)
  }

  /// Apart from the rest, so that a complaint is only put into words when there is something to complain about.
  private final class Complaint { var text: String? }

  func demand(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds, failure == nil { complaint.text = "at \(now.text): \(words())" }
  }

  // MARK: Time

  func clockRuns(_ app: App) -> Bool { app.state == .background && !app.tasks.isEmpty && !definesStart(app) }

  func definesStart(_ app: App) -> Bool {
    !app.wakes.isEmpty || app.sessions.contains { policy.sessions[$0.kind]?.stopsTaskClock == true }
  }

  mutating func move(to instant: Instant) {
    let passed = instant - now
    demand(passed >= .zero, "time went backwards")
    for app in apps.indices where clockRuns(apps[app]) { apps[app].remaining.nanoseconds -= passed.nanoseconds }
    now = instant
    for app in apps.indices {
      for session in apps[app].sessions {
        guard let end = session.lingersUntil, end <= now else { continue }
        apps[app].sessions.removeAll { $0.kind == session.kind }
        settleQuiet(app, at: end)
      }
    }
  }

  mutating func settleQuiet(_ app: Int, at instant: Instant) {
    if apps[app].tasks.isEmpty, apps[app].wakes.isEmpty, apps[app].sessions.isEmpty { apps[app].quietSince = instant }
  }

  // MARK: Events

  mutating func note(_ event: Event?) {
    self.event = event
    switch event {
    case .expireTasks(let named, let reason):
      for app in apps.indices where apps[app].state == .background && (named.map { Int($0.rawValue) == app } ?? true) {
        apps[app].remaining = min(apps[app].remaining, policy.tasks.warning)
        apps[app].reason = reason
      }
    case .returned(let app): apps[Int(app.rawValue)].owed = nil
    case .forceQuit(let app): apps[Int(app.rawValue)].isForceQuit = true
    default: break
    }
  }
}
