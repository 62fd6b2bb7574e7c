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

/// A call that keeps an app's run loop busy, as the engine knows it.
public enum RunningCall: Hashable, Sendable, BitwiseCopyable {
  /// A life-cycle callback.
  case callback(Callback)
  /// A task's expiration handler.
  case expirationHandler
  /// A wake's expiration handler.
  case wakeExpirationHandler
  /// A session's expiration handler.
  case sessionExpirationHandler
  /// The delivery of a wake's event.
  case wake(AssertionKind)

  /// The call with the policy's name of its kind.
  package func named(in names: PolicyNames) -> AppCall {
    switch self {
    case .callback(let callback): .callback(callback)
    case .expirationHandler: .expirationHandler
    case .wakeExpirationHandler: .wakeExpirationHandler
    case .sessionExpirationHandler: .sessionExpirationHandler
    case .wake(let kind): .wake(names.name(of: kind))
    }
  }
}
