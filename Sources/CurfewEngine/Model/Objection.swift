/// Why an event makes no sense where it stands.
public enum Objection: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The app is not running.
  case notRunning
  /// It is suspended, and does nothing.
  case suspended
  /// It is running, which it must not be to be removed.
  case running
  /// It has been removed.
  case removed
  /// It is being terminated.
  case terminating
  /// It is in front, or on its way there.
  case inFront
  /// It is not in front.
  case notInFront
  /// The event names no app, and none is in front.
  case nobodyInFront
  /// The event names no app, and several may be in front.
  case severalInFront
  /// It is interrupted already.
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
  /// The session is on already.
  case sessionOn
  /// No such session is on.
  case noSession
  /// It holds no such wake.
  case noWake
  /// It holds no lock on a file.
  case noLockedFile
  /// It holds as many assertions as there can be.
  case tooManyAssertions
  /// There is no such thing for assertions of this kind.
  case otherKind
  /// The policy declares no such fact, or another's.
  case otherFact
}
