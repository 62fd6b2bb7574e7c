/// Whether a wake has been warned.
enum WakeWarning: UInt8 {
  case none, inTime
  /// The host came when its time was over. So its end is overdue as well, and comes at the same instant.
  case tooLate
  /// Its time is over, which has been told, and it goes on.
  case overrun
}

/// A reason to run: a task, a session or a wake. One record for all kinds, one cache line.
struct Assertion: Linked {
  enum Phase: UInt8 {
    /// A task whose handler has not been due; a session that is on; a wake that waits for the run loop.
    case fresh
    /// A task whose handler is due in the visit `dueVisit`; a wake that was delivered.
    case second
    /// A task whose handler has been called; a wake whose handler has been due.
    case called
    /// A session that has stopped, or a wake that is complete, and lingers.
    case lingering
  }

  /// When it began; of a wake that has been warned, when.
  var began: Int64
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
  /// A wake's end, or a session's linger.
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
  /// Of a wake, whether it has a handler or not.
  var warning = WakeWarning.none

  /// Whether a wake has been delivered and is not complete.
  var isDelivered: Bool { phase == .second || phase == .called }

  /// Whether a wake has been warned.
  var isWarned: Bool { warning != .none }

  /// The identifier of a wake's request.
  var identifier: UInt32? { isRequested ? label : nil }

  var isWake: Bool { wake.rawValue > 0 }
}
