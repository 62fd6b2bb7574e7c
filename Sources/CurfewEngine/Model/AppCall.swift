/// A moment at which an app's code runs.
public enum AppCall: Hashable, Sendable {
  /// A life-cycle callback is delivered.
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
