/// What an app's run loop is in the middle of.
enum Delivery: UInt8 {
  /// Nothing: it is free.
  case none
  case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground, willEnterForeground, willTerminate
  case didReceiveMemoryWarning, expirationHandler, event

  /// The callback whose limit is running (rule A10).
  var limitedCallback: Callback? {
    switch self {
    case .willFinishLaunching: .willFinishLaunching
    case .didFinishLaunching: .didFinishLaunching
    case .didEnterBackground: .didEnterBackground
    case .willTerminate: .willTerminate
    case .none, .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning, .expirationHandler, .event: nil
    }
  }
}
