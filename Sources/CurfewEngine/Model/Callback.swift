/// What an app delegate is told about its life.
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
