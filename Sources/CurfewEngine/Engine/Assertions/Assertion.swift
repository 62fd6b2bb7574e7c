/// The state of a run's warning. Sessions and wakes have runs.
enum RunWarning: UInt8 {
  case none, inTime
  /// The warning was decided after the run's time was over. The run's end is overdue as well,
  /// and comes at the same instant.
  case tooLate
  /// The overrun has been reported, and the run continues.
  case overrun
}

/// An assertion: a task, a session or a wake. One record for all kinds, one cache line.
struct Assertion: Linked {
  enum Phase: UInt8 {
    /// A task whose handler has not been due; a session that is on and has no run; a wake that
    /// waits for the run loop.
    case fresh
    /// A task whose handler is due in the visit `dueVisit`; a session's run; a wake that
    /// was delivered.
    case second
    /// A task whose handler has been called; a run whose handler has become due.
    case called
    /// A session's run whose handler has been called.
    case told
    /// A session that has stopped, or a completed wake, while it lingers.
    case lingering
    /// A deferred session: it is on, but does not keep the app running until it is renewed.
    case deferred
    /// A deferred session that has been stopped. It may not be started before the deferral ends.
    case stoppedDeferred
  }

  /// The instant at which the assertion began. For a run that has been warned, the instant at which
  /// its handler was due.
  var began: Int64
  /// The instant at which a task's handler was due, or at which a run began.
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
  /// A task's seat in the queue of open tasks by age, while it is in the queue.
  var ageSeat = AgeLine.Seat()
  var dueVisit: UInt32 = 0
  /// The visit in which a task was begun after the warning. In later visits the task is like any
  /// other task.
  var lateVisit = UInt32.max
  /// The deadline of a run's warning or end, or of the end of a linger or of a deferral.
  var timer = TimerQueue.ID.none
  let kind: AssertionKind
  var phase = Phase.fresh
  var handler = ExpirationHandler.absent
  /// The reason why a task's handler was due.
  var reason = ExpirationReason.timeLimit
  var isInAgeLine = false
  /// Whether it is a wake that came from a request.
  var isRequested = false
  /// Whether it is a wake whose time is cut short because its condition no longer holds.
  var isCutShort = false
  /// The state of a run's warning, with or without a handler.
  var warning = RunWarning.none

  /// Whether it is a run: a wake from its delivery to its completion, or a session with a limit
  /// while its app is in the background.
  var isRun: Bool { phase == .second || phase == .called || phase == .told }

  /// Whether it keeps its app running.
  var holds: Bool { phase != .deferred && phase != .stoppedDeferred }

  /// Whether a session is on.
  var isOn: Bool { phase != .lingering && phase != .stoppedDeferred }

  /// The length of the last deferral that a session has had since its app was in front. Shares
  /// memory with a task's visits.
  var lastDeferral: Interval {
    get { Interval(nanoseconds: Int64(dueVisit) << 32 | Int64(lateVisit)) }
    set {
      (dueVisit, lateVisit) = (
        UInt32(newValue.nanoseconds >> 32), UInt32(truncatingIfNeeded: newValue.nanoseconds)
      )
    }
  }

  /// The place of a wake's own times, if it has any (rule W7). Shares memory with a task's visits.
  var times: Place<RunTimes>? {
    get { isWake && lateVisit == 0 ? Place(index: dueVisit) : nil }
    set { (dueVisit, lateVisit) = (newValue?.index ?? 0, newValue == nil ? .max : 0) }
  }

  /// Whether it is a session that has been deferred before, so that its deadlines recur as long as
  /// nothing else happens.
  var isRenewed: Bool { !isWake && kind != .finiteTask && lastDeferral > .zero }

  /// Whether a run has been warned.
  var isWarned: Bool { warning != .none }

  /// The identifier of a wake's request.
  var identifier: UInt32? { isRequested ? label : nil }

  var isWake: Bool { wake.rawValue > 0 }
}
