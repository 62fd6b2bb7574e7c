/// An event that enters the engine: an act of the user or the device, an event from the world,
/// or a call that an app makes.
///
/// An event that is illegal in the current state emits the diagnostic `illegalEvent` and changes
/// nothing. Two mistakes of the host stop the program: an app unknown to the engine, and a `began`
/// or a `returned` for which nothing was delivered.
public enum Event: Hashable, Sendable {
  // The user and the device.

  /// The user opens an app. It takes the place of another app if the policy's limit is reached.
  case launch(AppID)
  /// The user leaves the app in front. Nil, here and below, means the only app in front,
  /// and requires a policy that limits the number of apps in front.
  case home(AppID?)
  /// The device is locked: every app in front is sent to the background.
  case lock
  /// The device is unlocked. The apps that `lock` sent away come back if their processes
  /// still exist.
  case unlock
  /// A call or an alert: the app in front stops receiving events for now.
  case interrupt(AppID?)
  /// The user accepts the interruption.
  case acceptInterruption(AppID?)
  /// The user ignores the interruption.
  case ignoreInterruption(AppID?)
  /// The user kills an app in the app switcher.
  case forceQuit(AppID)
  /// The device restarts. No callbacks are delivered, and the device is locked afterwards.
  case reboot
  /// A grant ends early (rule F11): the grant of one app, or of every app in the background.
  case expireTasks(AppID?, ExpirationReason)
  /// An event from the world asks for a wake, optionally with times of its own (rule W7).
  case deliver(AppID, AssertionKind, for: RunTimes? = nil)
  /// The user sets Background App Refresh, for an app or for the device.
  case setRefresh(AppID?, BackgroundRefreshStatus)
  /// Sets facts that the policy declares, to hold or not to hold from now on: for an app, or for
  /// the device.
  case setFact(AppID?, FactSet, holds: Bool)
  /// The device has these facts from now on.
  case setDevice(DeviceFacts)
  /// An app has this footprint in bytes from now on, 0 or more. Legal in every state; it also
  /// applies to later processes.
  case setFootprint(AppID, Int64)
  /// The user removes an app that is not running (rule A12). Its number is not reused, and every
  /// later event about it is illegal.
  case removeApp(AppID)
  /// A notification is posted to one app, or to every app. Posts coalesce while an app is suspended
  /// (rule A11).
  case post(AppID?, NotificationPost)

  // An app's own calls.

  /// The app has reached the first line of the callback, handler or event that was delivered
  /// last. Hosts that run real handlers send this event once for each delivery, so that
  /// limits of callbacks count from the first line (`LimitStart.firstLine`, rule A10). Under
  /// `LimitStart.delivery` the event has no effect.
  case began(AppID)
  /// The callback, handler or event that was delivered last has returned. Must not be sent
  /// if the process has been terminated since.
  case returned(AppID)
  /// `beginBackgroundTask`. `label` is returned in every action about the task.
  case beginTask(AppID, label: UInt32, handler: ExpirationHandler)
  /// `endBackgroundTask`.
  case endTask(AppID, BackgroundTask)
  /// A session begins: music plays, location updates run. Its handler is called if the policy warns
  /// before the session's end.
  case startSession(AppID, AssertionKind, handler: ExpirationHandler = .absent)
  /// A session ends.
  case stopSession(AppID, AssertionKind)
  /// The app completes a wake. During the delivery of a wake, that wake is completed, unless
  /// the choice names another. The result of a fetch moves the next fetch (rule W3).
  case completeWake(AppID, WakeChoice, WakeResult?)
  /// The app sets or removes `BGTask.expirationHandler` of a wake that is held (rule W6).
  case setWakeHandler(AppID, WakeID, ExpirationHandler)
  /// The app sets the interval at which the system starts wakes of this kind:
  /// `setMinimumBackgroundFetchInterval` and `setKeepAliveTimeout`. Nil means never, which is the
  /// initial value.
  case setInterval(AppID, AssertionKind, Interval?)
  /// `BGTaskScheduler.submit`.
  case submitTask(AppID, TaskRequest)
  /// `BGTaskScheduler.cancel`. An identifier without a pending request is ignored.
  case cancelTask(AppID, identifier: UInt32)
  /// The app locks a file in a shared container. Locks are counted.
  case lockFile(AppID)
  /// The app unlocks a file.
  case unlockFile(AppID)
  /// The app uses this share of a processor core, in percent, for the given time or until the
  /// next `useCPU`.
  case useCPU(AppID, share: UInt32, for: Interval)
  /// The app schedules a local notification, which replaces one with the same `id`.
  case scheduleNotification(AppID, id: UInt32, after: Interval)
  /// The app cancels a local notification.
  case cancelNotification(AppID, id: UInt32)
  /// The process has ended without a decision of the engine: by itself, or from outside.
  case crash(AppID, CrashReason)
  /// Asks for the app's state and `backgroundTimeRemaining`. Legal in every state.
  case probe(AppID)
}

extension Event {
  /// The app that the event names; nil for an event about the device, or about the app in front.
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

/// The point from which a callback's limit counts (rule A10).
public enum LimitStart: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// Its delivery. For hosts that model apps, whose first line runs at delivery.
  case delivery
  /// Its first line, which the host reports with `Event.began`. For hosts that run real handlers,
  /// which may wait for a thread. A callback that has not begun cannot overrun. A wake's length
  /// is not a callback's limit: it counts from the wake's delivery in both cases.
  case firstLine
}

/// The length of one wake and the time between its warning and its end. They replace the row's
/// values if the wake's delivery names them (rule W7).
public struct RunTimes: Hashable, Sendable, BitwiseCopyable {
  /// The time from delivery to end. The row's length is the maximum.
  public var length: Interval
  /// The time from warning to end; zero for no warning. The length is the maximum.
  public var warning: Interval

  /// Creates times with these values.
  /// - Precondition: `length` is greater than zero, `warning` is not negative.
  public init(length: Interval, warning: Interval) {
    precondition(
      length > .zero && warning >= .zero, "A run of \(length) with a warning of \(warning)")
    (self.length, self.warning) = (length, warning)
  }
}

/// Whether a task, a session or a wake has an expiration handler.
public enum ExpirationHandler: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// A handler that will be called.
  case present
  /// `nil`, which is legal: no handler is called (rule F5).
  case absent
}

/// A notification for apps. Its name and value are the host's own numbers, typically indices into
/// the host's table of texts.
public struct NotificationPost: Hashable, Sendable {
  /// The name, for instance "the battery level has changed".
  public var name: UInt32
  /// The current value, by which a change is recognized. A post without a value (nil) always counts
  /// as a change.
  public var value: UInt32?
  /// The treatment of several posts while an app is suspended.
  public var manner: Manner

  /// The treatment of several posts while an app is suspended.
  public enum Manner: UInt8, Hashable, Sendable {
    /// Posts merge into their net change.
    case coalescing
    /// Posts queue up to the policy's limit: locations.
    case queueing
  }

  /// Creates a post with these values.
  public init(name: UInt32, value: UInt32?, manner: Manner = .coalescing) {
    self.name = name
    self.value = value
    self.manner = manner
  }
}

/// A request to run in the background: `BGAppRefreshTaskRequest` or `BGProcessingTaskRequest`
/// (rule W5).
public struct TaskRequest: Hashable, Sendable {
  /// The host's number for the identifier.
  public var identifier: UInt32
  /// `appRefresh` or `processing`.
  public var kind: AssertionKind
  /// `earliestBeginDate`, counted from the submission: a lower bound.
  public var earliest: Interval
  /// `requiresNetworkConnectivity`.
  public var requiresNetwork: Bool
  /// `requiresExternalPower`.
  public var requiresPower: Bool

  /// Creates a request with these values.
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
