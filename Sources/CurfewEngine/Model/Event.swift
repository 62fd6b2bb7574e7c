/// What enters the engine: the user's and the device's doings, the world's events, and what apps do
/// of themselves.
///
/// An event that makes no sense where it stands is answered with the diagnostic `illegalEvent` and
/// changes nothing. Two mistakes are the host's own and stop the program: an app that the engine
/// does not know, and a `began` or a `returned` for which nothing was delivered.
public enum Event: Hashable, Sendable {
  // The user and the device.

  /// The user opens an app. Takes the foreground from another where the policy's limit asks for it.
  case launch(AppID)
  /// The user leaves the app in front. nil stands for the only one, where the policy limits how
  /// many may be in front; here and below.
  case home(AppID?)
  /// The device is locked: whatever is in front is sent away.
  case lock
  /// The device is unlocked, onto the app that `lock` sent away if its process still lives.
  case unlock
  /// A call, an alert: the app in front loses its events for now.
  case interrupt(AppID?)
  /// The user follows the interruption.
  case acceptInterruption(AppID?)
  /// The user stays.
  case ignoreInterruption(AppID?)
  /// The user kills an app in the app switcher.
  case forceQuit(AppID)
  /// The device restarts: no callbacks, locked afterwards.
  case reboot
  /// A grant is taken back early (rule F11): an app's, or that of every app in the background.
  case expireTasks(AppID?, ExpirationReason)
  /// The world asks for a wake; where it says so, one of times of its own (rule W7).
  case deliver(AppID, AssertionKind, for: RunTimes? = nil)
  /// The user turns Background App Refresh on or off: for an app, or for the device.
  case setRefresh(AppID?, BackgroundRefreshStatus)
  /// Facts that the policy declares hold from now on, or do not: of an app, or of the device.
  case setFact(AppID?, FactSet, holds: Bool)
  /// The device's facts are these from now on.
  case setDevice(DeviceFacts)
  /// An app takes up so many bytes from now on, not fewer than 0. Holds in every state, and for
  /// processes to come.
  case setFootprint(AppID, Int64)
  /// The user removes an app that is not running (rule A12). Its number is not used again,
  /// and whatever is said of it is illegal from then on.
  case removeApp(AppID)
  /// Something happens that apps are notified of: one, or every app that is there. What comes while
  /// an app is suspended coalesces (rule A11).
  case post(AppID?, Post)

  // An app, of itself.

  /// The first line of the callback, handler or event that was delivered last has been reached.
  /// Said once for each by hosts that run real handlers, where the engine counts callbacks' limits
  /// from there (`LimitStart.firstLine`, rule A10); to any other engine it says nothing new.
  case began(AppID)
  /// The callback, handler or event that was delivered last has returned. Not to be said of a
  /// process that has been terminated since.
  case returned(AppID)
  /// `beginBackgroundTask`. `label` comes back in every action about the task.
  case beginTask(AppID, label: UInt32, handler: ExpirationHandler)
  /// `endBackgroundTask`.
  case endTask(AppID, BackgroundTask)
  /// A session begins: music plays, location updates run. Its handler is called where the policy
  /// warns of its end.
  case startSession(AppID, AssertionKind, handler: ExpirationHandler = .absent)
  /// It ends.
  case stopSession(AppID, AssertionKind)
  /// The app is done with a wake; inside a wake's own delivery with that, unless the choice says
  /// otherwise. The result of a fetch moves the next (rule W3).
  case completeWake(AppID, WakeChoice, WakeResult?)
  /// `BGTask.expirationHandler` is set or taken back, of a wake that is held (rule W6).
  case setWakeHandler(AppID, WakeID, ExpirationHandler)
  /// How often the system is to start wakes of a kind that it starts:
  /// `setMinimumBackgroundFetchInterval` and `setKeepAliveTimeout`. nil for never, which is what
  /// an app starts with.
  case setInterval(AppID, AssertionKind, Interval?)
  /// `BGTaskScheduler.submit`.
  case submitTask(AppID, TaskRequest)
  /// `BGTaskScheduler.cancel`. An identifier of which nothing is pending is none to worry about.
  case cancelTask(AppID, identifier: UInt32)
  /// The app locks a file in a shared container. Locks count.
  case lockFile(AppID)
  /// It unlocks one.
  case unlockFile(AppID)
  /// The app uses this share of a processor core, in percent, for so long or until it
  /// says otherwise.
  case useCPU(AppID, share: UInt32, for: Interval)
  /// The app schedules a local notification. The same `id` replaces.
  case scheduleNotification(AppID, id: UInt32, after: Interval)
  /// The app takes one back.
  case cancelNotification(AppID, id: UInt32)
  /// The process ends by its own doing.
  case crash(AppID, CrashReason)
  /// Asks for the app's state and `backgroundTimeRemaining`; in every state.
  case probe(AppID)
}

extension Event {
  /// The app that it names; nil for one about the device, or about whoever is in front.
  public var app: AppID? {
    switch self {
    case .lock, .unlock, .reboot, .setDevice: nil
    case .home(let app), .interrupt(let app), .acceptInterruption(let app),
      .ignoreInterruption(let app), .expireTasks(let app, _),
      .setRefresh(let app, _), .setFact(let app, _, _), .post(let app, _):
      app
    case .launch(let app), .forceQuit(let app), .deliver(let app, _, _), .setFootprint(let app, _),
      .removeApp(let app), .began(let app),
      .returned(let app), .beginTask(let app, _, _), .endTask(let app, _),
      .startSession(let app, _, _), .stopSession(let app, _),
      .completeWake(let app, _, _), .setWakeHandler(let app, _, _), .setInterval(let app, _, _),
      .submitTask(let app, _), .cancelTask(let app, _), .lockFile(let app), .unlockFile(let app),
      .useCPU(let app, _, _),
      .scheduleNotification(let app, _, _), .cancelNotification(let app, _), .crash(let app, _),
      .probe(let app):
      app
    }
  }
}

/// From when a callback's limit counts (rule A10).
public enum LimitStart: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// From its delivery: hosts that model what apps do, where the first line comes with it.
  case delivery
  /// From its first line, which the host tells with `Event.began`: hosts that run real handlers,
  /// where one may wait for a thread. What never began has not overrun. A wake's length is no limit
  /// of a callback's: it counts from the wake's delivery in both.
  case firstLine
}

/// How long a wake may run, and how long before the end its expiration handler is due: in the place
/// of its row's, where its delivery says so (rule W7).
public struct RunTimes: Hashable, Sendable, BitwiseCopyable {
  /// From its delivery on; no longer than the row's length counts.
  public var length: Interval
  /// No longer than the length counts; zero for no warning.
  public var warning: Interval

  /// Times of these values.
  /// - Precondition: The length is more than zero, the warning not less.
  public init(length: Interval, warning: Interval) {
    precondition(
      length > .zero && warning >= .zero, "A run of \(length) with a warning of \(warning)")
    (self.length, self.warning) = (length, warning)
  }
}

/// Whether a task, a session or a wake has an expiration handler.
public enum ExpirationHandler: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// There is one; it will be called.
  case present
  /// `nil`, which is legal: nothing is called (rule F5).
  case absent
}

/// Something that apps are notified of. Name and value are the host's own numbers, typically
/// indices into its table of texts.
public struct Post: Hashable, Sendable {
  /// What has happened: the battery level has changed.
  public var name: UInt32
  /// What it is now, by which a change is told from none; nil where that makes no sense, which
  /// is always a change.
  public var value: UInt32?
  /// What becomes of several while an app is suspended.
  public var manner: Manner

  /// What becomes of several posts while an app is suspended.
  public enum Manner: UInt8, Hashable, Sendable {
    /// They merge into their net change.
    case coalescing
    /// They queue, up to the policy's limit: locations.
    case queueing
  }

  /// A post of these parts.
  public init(name: UInt32, value: UInt32?, manner: Manner = .coalescing) {
    self.name = name
    self.value = value
    self.manner = manner
  }
}

/// A request to be run in the background: `BGAppRefreshTaskRequest` or `BGProcessingTaskRequest`
/// (rule W5).
public struct TaskRequest: Hashable, Sendable {
  /// The host's number for its identifier.
  public var identifier: UInt32
  /// `appRefresh` or `processing`.
  public var kind: AssertionKind
  /// `earliestBeginDate`, from the submission: a lower bound.
  public var earliest: Interval
  /// `requiresNetworkConnectivity`.
  public var requiresNetwork: Bool
  /// `requiresExternalPower`.
  public var requiresPower: Bool

  /// A request of these values.
  public init(
    identifier: UInt32, kind: AssertionKind, earliest: Interval = .zero,
    requiresNetwork: Bool = false, requiresPower: Bool = false
  ) {
    self.identifier = identifier
    self.kind = kind
    self.earliest = earliest
    self.requiresNetwork = requiresNetwork
    self.requiresPower = requiresPower
  }
}
