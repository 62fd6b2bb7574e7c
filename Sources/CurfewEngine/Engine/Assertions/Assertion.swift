/// Whether a run, of a session or a wake, has been warned of its end.
enum RunWarning: UInt8 {
  case none, inTime
  /// The host came when its time was over. So its end is overdue as well, and comes at the
  /// same instant.
  case tooLate
  /// Its time is over, which has been told, and it goes on.
  case overrun
}

/// A reason to run: a task, a session or a wake. One record for all kinds, one cache line.
struct Assertion: Linked {
  enum Phase: UInt8 {
    /// A task whose handler has not been due; a session that is on, and of which no run is counted;
    /// a wake that waits for the run loop.
    case fresh
    /// A task whose handler is due in the visit `dueVisit`; a session's run, or a wake that
    /// was delivered.
    case second
    /// A task whose handler has been called; a run whose handler has been due.
    case called
    /// A session's run whose handler has been called.
    case told
    /// A session that has stopped, or a wake that is complete, and lingers.
    case lingering
    /// A session that is on and holds nothing, until it is renewed.
    case deferred
    /// One that has been stopped meanwhile: it may not be started before.
    case stoppedDeferred
  }

  /// When it began; of a run that has been warned, when.
  var began: Int64
  /// When a task's handler was due; when a run began.
  var due: Int64 = 0
  let app: AppID
  /// A task's number; invalid for other kinds.
  var id = TaskID.invalid
  /// A task's label, or the identifier of a wake's request.
  var label: UInt32 = 0
  /// A wake's number; 0 for other kinds.
  var wake = WakeID(rawValue: 0)
  var next = Place<Assertion>.nowhere
  var previous = Place<Assertion>.nowhere
  /// Where it stands among all open tasks, by age, if it does.
  var ageSeat = AgeLine.Seat()
  var dueVisit: UInt32 = 0
  /// The visit after whose warning a task was begun. In a later visit it is a task like any other.
  var lateVisit = UInt32.max
  /// A run's warning and end, or the end of a linger or of a deferral.
  var timer = TimerQueue.ID.none
  let kind: AssertionKind
  var phase = Phase.fresh
  var handler = ExpirationHandler.absent
  /// Why a task's handler was due.
  var reason = ExpirationReason.timeLimit
  var isInAgeLine = false
  /// A wake that came from a request.
  var isRequested = false
  /// A wake whose time is cut short: what it waited for has gone meanwhile.
  var isCutShort = false
  /// Of a run, whether it has a handler or not.
  var warning = RunWarning.none

  /// Whether a session or a wake is a run, which counts: a wake from its delivery until it
  /// is complete, a session with a limit while its app is in the background.
  var isRun: Bool { phase == .second || phase == .called || phase == .told }

  /// Whether it keeps its app running.
  var holds: Bool { phase != .deferred && phase != .stoppedDeferred }

  /// Whether a session is on.
  var isOn: Bool { phase != .lingering && phase != .stoppedDeferred }

  /// How long a session was put off last, since its app was in front; in the place of a
  /// task's visits.
  var lastDeferral: Interval {
    get { Interval(nanoseconds: Int64(dueVisit) << 32 | Int64(lateVisit)) }
    set {
      (dueVisit, lateVisit) = (
        UInt32(newValue.nanoseconds >> 32), UInt32(truncatingIfNeeded: newValue.nanoseconds)
      )
    }
  }

  /// Where a wake's own times stand, if it has any (rule W7); in the place of a task's visits.
  var times: Place<RunTimes>? {
    get { isWake && lateVisit == 0 ? Place(index: dueVisit) : nil }
    set { (dueVisit, lateVisit) = (newValue?.index ?? 0, newValue == nil ? .max : 0) }
  }

  /// Whether what comes next of it comes again and again, as long as nobody does anything: it has
  /// been put off before.
  var isRenewed: Bool { !isWake && kind != .finiteTask && lastDeferral > .zero }

  /// Whether a run has been warned.
  var isWarned: Bool { warning != .none }

  /// The identifier of a wake's request.
  var identifier: UInt32? { isRequested ? label : nil }

  var isWake: Bool { wake.rawValue > 0 }
}
