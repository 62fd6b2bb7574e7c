/// Kinds of actions. A host that needs only some of them passes these to its driver, and the engine
/// does not write the others.
///
/// Actions that hosts need together share a kind. A change of state has a kind for each state that
/// it leads to.
public struct ActionKinds: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// One bit for each kind.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Changes to this state.
  public static func state(to state: AppState) -> ActionKinds {
    ActionKinds(rawValue: 1 &<< UInt32(state.rawValue))
  }

  /// Every change of state.
  public static let states = ActionKinds(rawValue: 0b11111)
  /// `taskBegan`.
  public static let taskBegan = ActionKinds(rawValue: 1 << 5)
  /// `taskEnded`.
  public static let taskEnded = ActionKinds(rawValue: 1 << 6)
  /// `decision`.
  public static let decisions = ActionKinds(rawValue: 1 << 7)
  /// `session`.
  public static let sessions = ActionKinds(rawValue: 1 << 8)
  /// `wakeCompleted`.
  public static let wakeCompleted = ActionKinds(rawValue: 1 << 9)
  /// `wakeOverran`.
  public static let wakeOverran = ActionKinds(rawValue: 1 << 10)
  /// `notification` and `localNotification`.
  public static let notifications = ActionKinds(rawValue: 1 << 11)
  /// `request`.
  public static let requests = ActionKinds(rawValue: 1 << 12)
  /// `stillOpen` and `leakedTask`.
  public static let openTasks = ActionKinds(rawValue: 1 << 13)
  /// `notificationDropped`, `alreadyCompleted`, `runsWithoutAssertion`, `illegalEvent` and
  /// `diagnostic`.
  public static let diagnostics = ActionKinds(rawValue: 1 << 14)
  /// `probe`.
  public static let probes = ActionKinds(rawValue: 1 << 15)
  /// `callback`, `expiration`, `wakeBegan`, `wakeWarned`, `event` and `sessionWarned`, for which
  /// the app owes a `returned`, and `terminated`. Every host gets these, because the driver gives
  /// turns by them.
  public static let calls = ActionKinds(rawValue: 1 << 16)
  /// Every kind.
  public static let all = ActionKinds(rawValue: 1 << 17 - 1)
}

extension Action {
  /// The kind of this action.
  @inline(__always)
  var kind: ActionKinds {
    switch self {
    case .state(_, _, let state): .state(to: state)
    case .callback, .expiration, .wakeBegan, .wakeWarned, .event, .sessionWarned, .terminated:
      .calls
    case .taskBegan: .taskBegan
    case .taskEnded: .taskEnded
    case .decision: .decisions
    case .session: .sessions
    case .wakeCompleted: .wakeCompleted
    case .wakeOverran: .wakeOverran
    case .notification, .localNotification: .notifications
    case .request: .requests
    case .stillOpen, .leakedTask: .openTasks
    case .notificationDropped, .alreadyCompleted, .runsWithoutAssertion, .illegalEvent, .diagnostic:
      .diagnostics
    case .probe: .probes
    }
  }
}
