/// What enters the engine: the user's and the device's doings, the world's events, and what apps do of themselves.
///
/// An event that makes no sense where it stands is answered with the diagnostic `illegalEvent` and changes nothing. Two mistakes are the host's
/// own and stop the program: an app that the engine does not know, and a `returned` for which nothing was delivered.
public enum Event: Hashable, Sendable {
  // The user and the device.

  /// The user opens an app. Takes the foreground from another where the policy's limit asks for it.
  case launch(AppID)
  /// The user leaves the app in front. nil stands for the only one, where the policy limits how many may be in front; here and below.
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
  /// The world asks for a wake.
  case deliver(AppID, AssertionKind)

  // An app, of itself.

  /// The callback, handler or event that was delivered last has returned. Not to be said of a process that has been terminated since.
  case returned(AppID)
  /// `beginBackgroundTask`. `label` comes back in every action about the task.
  case beginTask(AppID, label: UInt32, handler: ExpirationHandler)
  /// `endBackgroundTask`.
  case endTask(AppID, BackgroundTask)
  /// A session begins: music plays, location updates run.
  case startSession(AppID, AssertionKind)
  /// It ends.
  case stopSession(AppID, AssertionKind)
  /// The app is done with a wake: the oldest delivered one, of this kind or of any.
  case completeWake(AppID, AssertionKind?)
  /// The process ends by its own doing.
  case crash(AppID, CrashReason)
  /// Asks for the app's state and `backgroundTimeRemaining`.
  case probe(AppID)
}

/// Whether a task was begun with an expiration handler.
public enum ExpirationHandler: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// There is one; it will be called.
  case present
  /// `nil`, which is legal: nothing is called (rule F5).
  case absent
}
