public import CurfewEngine

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
