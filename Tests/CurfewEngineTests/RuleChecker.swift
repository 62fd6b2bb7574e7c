import CurfewEngine

/// A plain model of the rules that runs beside an engine and sees only the engine's events
/// and actions.
///
/// It keeps the task clock by addition, finds things by searching, sums from scratch, and knows
/// nothing of run loops, slabs or timers. `apps` holds what ends with a process, `standing` what
/// outlives it; the other files each check one aspect.
struct RuleChecker {
  struct Task {
    var id: UInt32
    var began: Instant
    var handler: ExpirationHandler
    var isCalled = false
    /// The visit in which its handler was called.
    var callVisit: Int?
    var isCalledOld = false
    /// The instant at which its handler was due, the visit, and the reason.
    var due: (at: Instant, visit: Int, reason: ExpirationReason)?
    /// The visit after whose warning it was begun.
    var lateVisit: Int?
  }

  struct Wake {
    var id: UInt32
    var kind: AssertionKind
    /// The identifier of the request that it came from.
    var identifier: UInt32?
    /// Its place among all admissions of the device.
    var arrival: Int
    /// nil until it is delivered.
    var delivered: Instant?
    /// Whether it needs an idle device and the user has come since it was admitted.
    var isUnwanted = false
    /// Whether it has an expiration handler; nil if one was removed and set again and its turn may
    /// have passed.
    var hasHandler: Bool? = false
    /// The instant at which its handler was due.
    var handlerDue: Instant?
    var isHandlerCalled = false
    var passedWarning: PassedWarning?
    /// Whether its time is over while it continues.
    var hasOverrun = false
    /// The instant at which its length is over.
    var end = Instant.distantFuture
    /// The times that its delivery named, if any.
    var own: RunTimes?
  }

  /// A completed wake that lingers.
  struct Linger {
    var kind: AssertionKind
    var until: Instant
  }

  struct Session {
    var kind: AssertionKind
    var arrival: Int
    var handler = ExpirationHandler.absent
    var lingersUntil: Instant?
    /// Its run in the background, if the policy limits it, modelled as a wake that was delivered
    /// when the visit began.
    var run: Wake?
    /// The instant at which it is renewed after its length.
    var deferredUntil: Instant?
    var lastDeferral = Interval.zero
    /// Whether it was stopped while it was deferred.
    var isStopped = false

    var isOn: Bool { lingersUntil == nil && !isStopped }
    var isHeld: Bool { deferredUntil == nil }
  }

  /// A process.
  struct App {
    var state = AppState.notRunning
    /// The delivery from which it has not returned.
    var owed: Action?
    var owedSince = Instant.zero
    /// The delivery from which it returned last.
    var lastReturn: Action?
    var launchBegan = Instant.zero
    /// Whether the launch or the didEnterBackground that runs has been reported as slow.
    var isCalledSlow = false
    /// The instant since which its run loop has been busy in the background without an assertion.
    var busySince: Instant?
    var isCalledBusy = false
    /// Counts deliveries and ends of processes, so that an outdated return is recognized.
    var turn = 0
    /// Counts ends of processes.
    var process = 0

    var isInterrupted = false
    /// The termination after `willTerminate` returns; nil unless it is about to quit.
    var quit: TerminationReason?

    var lastTask: UInt32 = 0
    var tasks: [Task] = []
    var wakes: [Wake] = []
    var sessions: [Session] = []
    var lingers: [Linger] = []
    /// The wakes that it has completed, oldest first.
    var completed: [(wake: AdmittedWake, at: Instant)] = []

    /// Whether nothing keeps it running.
    var isQuiet: Bool {
      tasks.isEmpty && wakes.isEmpty && !sessions.contains(where: \.isHeld) && lingers.isEmpty
    }

    /// Runs that have begun or wait to begin.
    var runs: [Wake] { wakes + sessions.compactMap(\.run) }

    /// Items that wait for its run loop, except lifecycle callbacks and handlers.
    var waiting: [Item] = []
    /// The index of the first post since it was suspended.
    var firstMissedPost = 0
    /// Actions that must follow when it is in the foreground again.
    var kept: [Action] = []

    /// Counts the visits of this process.
    var visit = 0
    var remaining = Interval.zero
    /// Whether the clock of this visit has run with no more than the warning left.
    var isWarned = false
    /// The tasks whose handlers were due with this visit's warning and have not returned.
    var warned: Set<UInt32> = []
    /// Whether the tasks still open after them have been reported; nil if this depends on other
    /// items that waited for the run loop.
    var isTold: Bool? = false
    /// Tasks that were begun after this visit's warning and have ended.
    var lateEnds = 0
    var reason = ExpirationReason.timeLimit
    var visitBegan = Instant.zero
    var quietSince = Instant.zero
    var lastExpiration: (due: Instant, id: UInt32)?
    /// The warning of this visit, if it was overdue when the host came.
    var passedWarning: PassedWarning?
    /// The wake that has just overrun and ends the process.
    var killed: Wake?

    var locks = 0
    var processor = Processor()
  }

  /// An app, independent of its processes.
  struct Standing {
    let manifest: Manifest
    var refresh: BackgroundRefreshStatus
    var isForceQuit = false
    var isRemoved = false
    var footprint: Int64
    var memoryLimit: Int64?
    /// The number of its last departure from the foreground among all departures; 0 for none.
    var departure = 0
    var leftFront: Instant?
    /// The values reported for the policy's own facts.
    var facts: [FactSet: Bool] = [:]
    var fetches: [AssertionKind: Fetch] = [:]
    /// The instants at which it came to the front.
    var openings: [Instant] = []
    var keepAlives: [AssertionKind: KeepAlive] = [:]
    var requests: [Request] = []
    /// The start of its last requested run, by kind.
    var lastRuns: [AssertionKind: Instant] = [:]
    /// The number of its wakes.
    var wakes: UInt32 = 0
    var notifications: [Notification] = []
    var admissions: [Admission] = []
    var runs: [Run] = []
  }

  let policy: Policy
  /// False on a late host: nothing may be too early, but anything may be too late.
  let isPunctual: Bool
  var device: DeviceFacts
  /// Whether the battery has been under its level and not yet recovered.
  var isBatteryLow: Bool
  var apps: [App]
  var standing: [Standing]
  var now = Instant.zero
  /// The first failure.
  var failure: String? { complaint.text }

  private let complaint = Complaint()

  /// Whether anything but deadlines has come at this instant.
  var hasHadEvents = true
  /// The event that the engine has just received; nil for a deadline.
  var event: Event?
  var mustTerminate: AppID?
  /// The app that has completed a wake of this kind twice, and has to end for it.
  var mustEndTwice: (app: Int, kind: AssertionKind)?
  var mustLeak: (app: AppID, tasks: [Task]) = (AppID(rawValue: 0), [])
  /// Actions that must come, in this order, after the last leak was reported.
  var mustShow: [Action] = []
  /// Actions that must come next, in this order.
  var mustFollow: [Action] = []
  /// Posts that were dropped to make room, in the order of the apps.
  var mustDrop: [Action] = []
  /// The request that this call has started.
  var started: UInt32?
  /// The number of decisions in this call.
  var decisions = 0
  /// The memory check in this call, if any.
  var look: Look?

  // The device.
  // Apps in front, longest there first.
  var front: [Int] = []
  var isLocked = false
  var hasBeenUnlocked = true
  var isUserPresent = false
  var lockedAway: [(app: Int, process: Int)] = []
  /// Apps whose turn to leave comes with the next calls, one each.
  var departing: [Int] = []
  var departures = 0
  /// Apps whose assertions are still to be decided again, in the order of their turns.
  var reconsidering: [Int] = []
  /// Whether any row depends on the user's presence.
  let watchesPresence: Bool
  /// The app whose assertions this call has decided again.
  var withdrawing: Int?
  var arrivals = 0
  var posts: [(to: Int?, post: NotificationPost)] = []
  var hasWarnedOfMemory = false
  var hasToldOverCapacity = false
  /// Whether an app has been purged since use was last at the level at which purging stops.
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

  /// A separate class, so that a message is formatted only if there is a failure.
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
    if isPunctual, passed > .zero {
      checkSpentRuns()
      checkUnhandled()
    }
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
  /// Whether the engine reports the wake by these values.
  func isWritten(as wake: AdmittedWake) -> Bool {
    id == wake.id.rawValue && kind == wake.kind && identifier == wake.identifier
  }
}

extension AppState {
  /// Whether an app's code runs.
  var isAwake: Bool { self != .notRunning && self != .suspended }
}
