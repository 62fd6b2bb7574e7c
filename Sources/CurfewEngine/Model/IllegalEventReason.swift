/// The reason why an event is illegal in the current state.
public enum IllegalEventReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The app is not running.
  case notRunning
  /// It is suspended and runs no code.
  case suspended
  /// The app is running. Only an app that is not running can be removed.
  case running
  /// It has been removed.
  case removed
  /// It is being terminated.
  case terminating
  /// It is in front, or about to be.
  case inFront
  /// It is not in front.
  case notInFront
  /// The event names no app, and none is in front.
  case nobodyInFront
  /// The event names no app, and several may be in front.
  case severalInFront
  /// It is already interrupted.
  case interrupted
  /// It is not interrupted.
  case notInterrupted
  /// It is not in the background.
  case notInBackground
  /// No app is in the background.
  case nobodyInBackground
  /// The device is locked.
  case locked
  /// The device is not locked.
  case notLocked
  /// The session is already on.
  case sessionOn
  /// No such session is on.
  case noSession
  /// It holds no matching wake.
  case noWake
  /// It holds no locked file.
  case noLockedFile
  /// It holds the greatest possible number of assertions.
  case tooManyAssertions
  /// The event does not apply to assertions of this kind.
  case otherKind
  /// The policy does not declare the fact, or declares it for the device instead of apps or for
  /// apps instead of the device.
  case otherFact
}
