/// A moment at which an app gets a word in.
public enum Moment: Hashable, Sendable {
  /// A callback of its life is delivered.
  case callback(Callback)
  /// A task's expiration handler is called.
  case expirationHandler
  /// A wake's expiration handler is called.
  case wakeExpirationHandler
  /// A session's expiration handler is called.
  case sessionExpirationHandler
  /// A wake's event is delivered.
  case wake(KindName)
}
