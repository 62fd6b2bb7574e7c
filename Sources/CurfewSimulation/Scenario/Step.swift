public import CurfewEngine
public import CurfewText
public import CurfewTrace

/// Something that happens: to the device, to an app, or by an app's own doing.
public struct Step: Hashable, Sendable {
  /// Where it is written.
  public let place: SourcePlace
  /// What happens.
  public let action: Action

  /// A step written at `place`.
  public init(place: SourcePlace, action: Action) {
    self.place = place
    self.action = action
  }

  /// What can happen. Where the app is optional, nil means that the step names none.
  public enum Action: Hashable, Sendable {
    /// The user brings an app to the front.
    case launch(AppID)
    /// The user leaves the app in front.
    case home(AppID?)
    /// The user locks the device.
    case lock
    /// The user unlocks the device.
    case unlock
    /// A call or an alert comes up over the app in front.
    case interrupt(AppID?)
    /// The user answers it: the app goes to the background.
    case acceptInterruption(AppID?)
    /// The user sends it away: the app goes on.
    case ignoreInterruption(AppID?)
    /// The user throws an app out of the app switcher.
    case forceQuit(AppID)
    /// The device restarts.
    case reboot
    /// Grants end early: of one app, or of all in the background.
    case expireTasks(AppID?, ExpirationReason?)
    /// The world asks for a wake.
    case deliver(AppID, AssertionKind)
    /// The user turns Background App Refresh on or off, for an app or the device.
    case setRefresh(AppID?, BackgroundRefreshStatus)
    /// Some of the device's facts change.
    case setDevice(DeviceChange)
    /// Something happens that one app, or every app, is notified of; name and value are indices into `Scenario.labels`.
    case post(AppID?, name: UInt32, value: UInt32?)
    /// The app itself calls the system.
    case call(AppID, Call)
  }
}

/// A call that an app makes: the only steps that are legal inside `on:` and a task's `handler:`.
public enum Call: Hashable, Sendable {
  /// Begins a task under a label (an index into `Scenario.labels`); `length` is when the app ends it by itself, if it does.
  indirect case beginTask(label: UInt32, length: Interval?, handler: Handler)
  /// Ends the task that the label stands for.
  case endTask(label: UInt32)
  /// Starts a session, such as playing audio.
  case startSession(AssertionKind)
  /// Stops a session.
  case stopSession(AssertionKind)
  /// Says that a wake's work is done; without a kind, the oldest delivered.
  case completeWake(AssertionKind?, WakeResult?)
  /// Takes up so many bytes from now on.
  case setFootprint(Int64)
  /// Locks a file in a shared container.
  case lockFile
  /// Unlocks one.
  case unlockFile
  /// Uses this share of a processor core, in percent, for so long.
  case useCPU(share: UInt32, length: Interval)
  /// Asks for fetches no more often than this; nil for never.
  case setMinimumFetchInterval(Interval?)
  /// Asks for a keep-alive wake so often; nil for never.
  case setKeepAlive(Interval?)
  /// Submits a request for app refresh or processing; its identifier is an index into `Scenario.labels`, as below.
  case submitTask(TaskRequest)
  /// Takes one back.
  case cancelTask(identifier: UInt32)
  /// Schedules a local notification.
  case scheduleNotification(id: UInt32, after: Interval)
  /// Takes one back.
  case cancelNotification(id: UInt32)
  /// Ends by itself.
  case crash(CrashReason?)
  /// Asks for its state and its remaining time.
  case probe

  /// A task's expiration handler.
  public enum Handler: Hashable, Sendable {
    /// The app's own: what `on: expirationHandler` says.
    case `default`
    /// A nil handler: nothing is called.
    case none
    /// These steps, each a `call`, after what `on: expirationHandler` says.
    case steps([Step])
  }
}
