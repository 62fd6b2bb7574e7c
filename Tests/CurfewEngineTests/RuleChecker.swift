import CurfewEngine

/// What the rules say, kept in the plainest way beside an engine and fed with its events and its
/// actions alone.
///
/// It keeps the task clock by adding up, finds things by searching, sums from scratch, and knows
/// nothing of run loops, slabs or timers. What a process holds is in `apps`, what outlives it
/// in `standing`; the other files each check one aspect.
struct RuleChecker {
  struct Task {
    var id: UInt32
    var began: Instant
    var handler: ExpirationHandler
    var isCalled = false
    /// In which visit it was called.
    var callVisit: Int?
    var isCalledOld = false
    /// When its handler was due, in which visit, and why.
    var due: (at: Instant, visit: Int, reason: ExpirationReason)?
    /// The visit after whose warning it was begun.
    var lateVisit: Int?
  }

  struct Wake {
    var id: UInt32
    var kind: AssertionKind
    /// That of the request that it came from.
    var identifier: UInt32?
    /// Its place among all that the device has admitted.
    var arrival: Int
    /// nil until it was delivered.
    var delivered: Instant?
    /// It waits for idleness, and the user has come since it was admitted.
    var isUnwanted = false
    /// Whether it has an expiration handler; nil where one was taken back and set again, of which
    /// nobody can say whether its turn has passed.
    var hasHandler: Bool? = false
    /// When that was due.
    var handlerDue: Instant?
    var isHandlerCalled = false
    var passedWarning: PassedWarning?
    /// Its time is over, and it goes on.
    var hasOverrun = false
    /// When it has run long enough.
    var end = Instant.distantFuture
    /// What its delivery said of its times, where it did.
    var own: RunTimes?
  }

  /// A wake that is complete and lingers.
  struct Linger {
    var kind: AssertionKind
    var until: Instant
  }

  struct Session {
    var kind: AssertionKind
    var arrival: Int
    var handler = ExpirationHandler.absent
    var lingersUntil: Instant?
    /// Its stretch in the background, where the policy limits it; as a wake that was delivered when
    /// the visit began.
    var run: Wake?
    /// It has had its length, and goes on then.
    var deferredUntil: Instant?
    var lastDeferral = Interval.zero
    /// It was stopped while it was put off.
    var isStopped = false

    var isOn: Bool { lingersUntil == nil && !isStopped }
    var isHeld: Bool { deferredUntil == nil }
  }

  /// A process.
  struct App {
    var state = AppState.notRunning
    /// What it has not returned from yet.
    var owed: Action?
    var owedSince = Instant.zero
    /// What it returned from last.
    var lastReturn: Action?
    var launchBegan = Instant.zero
    var isCalledSlow = false
    /// Counts deliveries and deaths, so that a return can be told from one that has become void.
    var turn = 0
    /// Counts deaths.
    var process = 0

    var isInterrupted = false
    /// What it will end as when willTerminate has returned; nil while it is not headed there.
    var quit: TerminationReason?

    var lastTask: UInt32 = 0
    var tasks: [Task] = []
    var wakes: [Wake] = []
    var sessions: [Session] = []
    var lingers: [Linger] = []

    /// Whether nothing keeps it running.
    var isQuiet: Bool {
      tasks.isEmpty && wakes.isEmpty && !sessions.contains(where: \.isHeld) && lingers.isEmpty
    }

    /// What runs, or waits to.
    var runs: [Wake] { wakes + sessions.compactMap(\.run) }

    /// What waits for its run loop, but for callbacks of its life and handlers.
    var waiting: [Item] = []
    /// Since which of all posts it has been suspended.
    var firstMissedPost = 0
    /// What it has to be told when it is in the foreground again.
    var kept: [Action] = []

    /// Counts the visits of this process.
    var visit = 0
    var remaining = Interval.zero
    /// The clock of this visit has run with no more than the warning left.
    var isWarned = false
    /// The tasks whose handlers were due with this visit's warning, without those that
    /// have returned.
    var warned: Set<UInt32> = []
    /// Whether it has been told what was open after them; nil where that is a matter of what else
    /// waited for the run loop.
    var isTold: Bool? = false
    /// Tasks that were begun after this visit's warning and have ended.
    var lateEnds = 0
    var reason = ExpirationReason.timeLimit
    var visitBegan = Instant.zero
    var quietSince = Instant.zero
    var lastExpiration: (due: Instant, id: UInt32)?
    /// The warning of this visit, where the host came when it was overdue.
    var passedWarning: PassedWarning?
    /// The wake that has just overrun and takes the process along.
    var killed: Wake?

    var locks = 0
    var processor = Processor()
  }

  /// An app, whatever becomes of its processes.
  struct Standing {
    let manifest: Manifest
    var refresh: BackgroundRefreshStatus
    var isForceQuit = false
    var isRemoved = false
    var footprint: Int64
    var memoryLimit: Int64?
    /// Its last departure from the foreground among all such; 0 for none.
    var departure = 0
    var leftFront: Instant?
    /// What has been said of the policy's own facts.
    var facts: [FactSet: Bool] = [:]
    var fetches: [AssertionKind: Fetch] = [:]
    /// When it came to the front.
    var openings: [Instant] = []
    var keepAlives: [AssertionKind: KeepAlive] = [:]
    var requests: [Request] = []
    /// When its last requested run of a kind has started.
    var lastRuns: [AssertionKind: Instant] = [:]
    /// How many wakes it has had.
    var wakes: UInt32 = 0
    var notifications: [Notification] = []
    var admissions: [Admission] = []
    var runs: [Run] = []
  }

  let policy: Policy
  /// False where the host is late: then nothing is too early, but all may be too late.
  let isPunctual: Bool
  var device: DeviceFacts
  /// Whether the battery has been under its level, and not at the one at which it recovers since.
  var isBatteryLow: Bool
  var apps: [App]
  var standing: [Standing]
  var now = Instant.zero
  /// What went wrong first.
  var failure: String? { complaint.text }

  private let complaint = Complaint()

  /// Whether anything but deadlines has come at this instant.
  var hasHadEvents = true
  /// What has just been said to the engine; nil for a deadline.
  var event: Event?
  var mustTerminate: AppID?
  var mustLeak: (app: AppID, tasks: [Task]) = (AppID(rawValue: 0), [])
  /// Actions that have to come when the last leak has been told, in this order.
  var mustShow: [Action] = []
  /// Actions that have to come next, in this order.
  var mustFollow: [Action] = []
  /// What a post makes room for, in the order of the apps.
  var mustDrop: [Action] = []
  /// The request that this call has started.
  var started: UInt32?
  /// How many decisions this call has brought.
  var decisions = 0
  /// The look at memory that this call takes, if it takes one.
  var look: Look?

  // The device.
  /// Who is in front, longest there first.
  var front: [Int] = []
  var isLocked = false
  var hasBeenUnlocked = true
  var isUserPresent = false
  var lockedAway: [(app: Int, process: Int)] = []
  /// Whose turn to leave comes with the next calls, one each.
  var departing: [Int] = []
  var departures = 0
  /// Whose assertions are still to be looked at again, in the order of their turns.
  var reconsidering: [Int] = []
  /// Whether any row looks at who is there.
  let watchesPresence: Bool
  /// Whose assertions this call has looked at again.
  var withdrawing: Int?
  var arrivals = 0
  var posts: [(to: Int?, post: Post)] = []
  var hasWarnedOfMemory = false
  var hasToldOverCapacity = false
  /// Whether somebody has been purged since use was last at the level that purging goes on to.
  var isPurging = false

  init(policy: Policy, device: DeviceFacts, manifests: [Manifest], isPunctual: Bool) {
    self.policy = policy
    self.device = device
    isBatteryLow = device.battery < policy.lowBattery
    self.isPunctual = isPunctual
    watchesPresence =
      (policy.sessions.values.map(\.conditions) + policy.wakes.values.map(\.conditions)
      + policy.groups.map(\.conditions))
      .contains {
        !$0.requires.union($0.blockedBy).isDisjoint(with: [.locked, .userPresent])
      }
    apps = Array(repeating: App(), count: manifests.count)
    standing = manifests.map {
      Standing(
        manifest: $0, refresh: $0.backgroundRefresh,
        footprint: $0.footprint ?? policy.memory.footprint,
        memoryLimit: $0.memoryLimit ?? policy.memory.appLimit)
    }
  }

  /// Apart from the rest, so that a complaint is only put into words when there is something
  /// to complain about.
  private final class Complaint { var text: String? }

  func demand(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds, failure == nil { complaint.text = "at \(now.text): \(words())" }
  }

  // MARK: Time

  func clockRuns(_ app: App) -> Bool {
    app.state == .background && !app.tasks.isEmpty && !definesStart(app)
  }

  func definesStart(_ app: App) -> Bool {
    (app.wakes.map(\.kind) + app.lingers.map(\.kind)).contains {
      policy.wakes[$0]?.stopsTaskClock == true
    }
      || app.sessions.contains { $0.isHeld && policy.sessions[$0.kind]?.stopsTaskClock == true }
  }

  func isDue(_ deadline: Instant) -> Bool { isPunctual ? deadline == now : deadline <= now }

  mutating func move(to instant: Instant) {
    let (before, passed) = (now, instant - now)
    demand(passed >= .zero, "time went backwards")
    passOverWarnings(until: instant)
    if isPunctual, passed > .zero { checkSpentRuns() }
    for app in apps.indices where clockRuns(apps[app]) {
      apps[app].remaining.nanoseconds -= passed.nanoseconds
    }
    now = instant
    if passed > .zero {
      passProcessorTime(since: before)
      hasHadEvents = false
      for app in apps.indices { noteOpportunities(app) }
    }
    for app in apps.indices {
      for session in apps[app].sessions {
        guard let end = session.lingersUntil ?? (session.isStopped ? session.deferredUntil : nil),
          end <= now
        else { continue }
        apps[app].sessions.removeAll { $0.kind == session.kind }
        if session.isHeld { settleQuiet(app, at: end) }
      }
      for linger in apps[app].lingers.sorted(by: { $0.until < $1.until }) where linger.until <= now
      {
        let place = apps[app].lingers.firstIndex { $0.until == linger.until }!
        apps[app].lingers.remove(at: place)
        settleQuiet(app, at: linger.until)
      }
    }
  }

  mutating func settleQuiet(_ app: Int, at instant: Instant) {
    if apps[app].isQuiet { apps[app].quietSince = instant }
  }
}

extension RuleChecker.Wake {
  /// Whether the engine calls it that.
  func isWritten(as wake: AdmittedWake) -> Bool {
    id == wake.id.rawValue && kind == wake.kind && identifier == wake.identifier
  }
}

extension AppState {
  /// Whether an app's code runs.
  var isAwake: Bool { self != .notRunning && self != .suspended }
}
