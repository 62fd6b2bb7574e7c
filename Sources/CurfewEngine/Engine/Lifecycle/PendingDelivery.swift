/// The delivery that an app's run loop is handling.
enum PendingDelivery: UInt8 {
  /// None: the run loop is free.
  case none
  case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive,
    didEnterBackground, willEnterForeground, willTerminate
  case didReceiveMemoryWarning, expirationHandler, event, wake, wakeExpirationHandler,
    sessionExpirationHandler
  /// The last of the handlers that were due with a visit's warning.
  case lastExpirationHandler

  /// The callback whose limit is running (rule A10).
  var limitedCallback: Callback? {
    switch self {
    case .willFinishLaunching: .willFinishLaunching
    case .didFinishLaunching: .didFinishLaunching
    case .didEnterBackground: .didEnterBackground
    case .willTerminate: .willTerminate
    case .none, .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning,
      .expirationHandler,
      .lastExpirationHandler, .event, .wake, .wakeExpirationHandler, .sessionExpirationHandler:
      nil
    }
  }
}
