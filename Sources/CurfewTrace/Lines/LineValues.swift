import CurfewEngine
import CurfewPolicy
import CurfewText

/// The values of a line of any type except an event's, for reading and writing. The row of the type
/// says which of the values it has.
struct LineValues {
  var from: AppState?
  var to: AppState?
  var callback: TraceLine.DeliveredCallback?
  /// A callback or handler that keeps a run loop busy.
  var call: AppCall?
  var taskChange: TraceLine.TaskChange?
  var wakeChange: TraceLine.WakeChange?
  var sessionChange: TraceLine.SessionChange?
  var requestChange: RequestWord?
  var fate: LocalNotificationFate?
  var task: TaskID?
  var name: String?
  var value: String?
  var id: String?
  var kind: KindName?
  var wake: WakeID?
  var identifier: String?
  var reason: ExpirationReason?
  var end: TerminationReason?
  var error: TaskRequestError?
  var allowed: Bool?
  var reasons: Denials?
  /// The listed budgets that have no room.
  var budgets: [String]?
  var due: Instant?
  /// The instant at which a wake was first completed.
  var completed: Instant?
  var next: Instant?
  var state: AppState?
  var remaining: Interval?
  var code: TerminationCode?
  var tasks: [String]?
  /// The ages of the tasks; lines do not contain them.
  var ages: [Interval] = []
  var late: Interval?
  var exitStatus: UInt8?
  var signal: UInt8?
  var spawnError: SpawnError?
  var diagnostic: Diagnostic?
  var verb: String?
  var boot: String?
  var uptime: Int64?
  var wall: Int64?
  var cgroup: String?
  var dropped: Int64?

  /// The value of a required key, which reading has checked.
  func need<Value>(_ path: KeyPath<LineValues, Value?>) -> Value {
    guard let value = self[keyPath: path] else {
      preconditionFailure("A line lacks a value that its row needs")
    }
    return value
  }

  /// The status, the signal or the error of a process's end.
  var exit: ExitDetail? {
    get {
      signal.map(ExitDetail.signal) ?? exitStatus.map(ExitDetail.status)
        ?? spawnError.map(ExitDetail.error)
    }
    set {
      switch newValue {
      case .signal(let number): signal = number
      case .status(let number): exitStatus = number
      case .error(let error): spawnError = error
      case nil: break
      }
    }
  }
}
