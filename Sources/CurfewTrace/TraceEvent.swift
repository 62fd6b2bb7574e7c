public import CurfewEngine

/// What entered the engine, without the app, which stands in the line.
public enum TraceEvent: Hashable, Sendable {
  case launch, home, lock, unlock, interrupt, acceptInterruption, ignoreInterruption, forceQuit, reboot
  case expireTasks(ExpirationReason?)
  case deliver(AssertionKind)
  /// The first line of a delivery has been reached; in real time only.
  case began(Moment)
  /// A delivery has returned, later than it came.
  case returned(Moment)
  case beginTask(String, ExpirationHandler)
  case endTask(TaskReference)
  case startSession(AssertionKind)
  case stopSession(AssertionKind)
  case completeWake(AssertionKind?, WakeResult?, after: UInt32 = 0)
  case setRefresh(BackgroundRefreshStatus)
  case setDevice(DeviceChange)
  case post(name: String, value: String?)
  case setFootprint(Int64)
  case lockFile, unlockFile
  case useCPU(share: UInt32, length: Interval)
  /// nil for never, here and below.
  case setMinimumFetchInterval(Interval?)
  case setKeepAlive(Interval?)
  case submitTask(Request)
  case cancelTask(identifier: String)
  case scheduleNotification(id: String, after: Interval)
  case cancelNotification(id: String)
  case crash(CrashReason?)
  case probe

  /// How an event names a task.
  public enum TaskReference: Hashable, Sendable {
    /// By its label, a variable that holds the task begun last under it.
    case label(String)
    /// By its number, where its label has come to hold another.
    case id(TaskID)
  }

  /// A request for app refresh or processing, as it was submitted.
  public struct Request: Hashable, Sendable {
    /// Its identifier.
    public var identifier: String
    /// `appRefresh` or `processing`.
    public var kind: AssertionKind
    /// How long after the submission it may start.
    public var earliest: Interval
    /// Whether it waits for a network.
    public var requiresNetwork: Bool
    /// Whether it waits for external power.
    public var requiresPower: Bool

    /// A request of these values.
    public init(
      identifier: String, kind: AssertionKind, earliest: Interval = .zero, requiresNetwork: Bool = false, requiresPower: Bool = false
    ) {
      self.identifier = identifier
      self.kind = kind
      self.earliest = earliest
      self.requiresNetwork = requiresNetwork
      self.requiresPower = requiresPower
    }
  }

  /// Whether an app does this of itself, so that it can do it inside a callback.
  public var isOwnCall: Bool {
    switch self {
    case .beginTask, .endTask, .startSession, .stopSession, .completeWake, .setFootprint, .lockFile, .unlockFile, .useCPU,
      .setMinimumFetchInterval, .setKeepAlive, .submitTask, .cancelTask, .scheduleNotification, .cancelNotification, .crash, .probe:
      true
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .expireTasks,
      .deliver, .setRefresh, .setDevice, .post, .began, .returned:
      false
    }
  }

  /// The event's `do`.
  public var verb: String {
    switch self {
    case .launch: "launch"
    case .home: "home"
    case .lock: "lock"
    case .unlock: "unlock"
    case .interrupt: "interrupt"
    case .acceptInterruption: "acceptInterruption"
    case .ignoreInterruption: "ignoreInterruption"
    case .forceQuit: "forceQuit"
    case .reboot: "reboot"
    case .expireTasks: "expireTasks"
    case .deliver: "deliver"
    case .began: "begin"
    case .returned: "return"
    case .beginTask: "beginTask"
    case .endTask: "endTask"
    case .startSession: "startSession"
    case .stopSession: "stopSession"
    case .completeWake: "completeWake"
    case .setRefresh: "setRefresh"
    case .setDevice: "setDevice"
    case .post: "post"
    case .setFootprint: "setFootprint"
    case .lockFile: "lockFile"
    case .unlockFile: "unlockFile"
    case .useCPU: "useCPU"
    case .setMinimumFetchInterval: "setMinimumFetchInterval"
    case .setKeepAlive: "setKeepAlive"
    case .submitTask: "submitTask"
    case .cancelTask: "cancelTask"
    case .scheduleNotification: "scheduleNotification"
    case .cancelNotification: "cancelNotification"
    case .crash: "crash"
    case .probe: "probe"
    }
  }
}

extension Post.Manner {
  /// The manner of what files post as `name`: locations queue, everything else coalesces (rule A11).
  public init(ofPostNamed name: String) { self = name == "location" ? .queueing : .coalescing }
}
