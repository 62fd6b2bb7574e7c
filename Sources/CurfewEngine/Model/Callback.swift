/// A callback of an app's delegate.
public enum Callback: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// `application:willFinishLaunchingWithOptions:`
  case willFinishLaunching
  /// `application:didFinishLaunchingWithOptions:`
  case didFinishLaunching
  /// `applicationDidBecomeActive:`
  case didBecomeActive
  /// `applicationWillResignActive:`
  case willResignActive
  /// `applicationDidEnterBackground:`
  case didEnterBackground
  /// `applicationWillEnterForeground:`
  case willEnterForeground
  /// `applicationWillTerminate:`
  case willTerminate
  /// `applicationDidReceiveMemoryWarning:`
  case didReceiveMemoryWarning
}
