public import CurfewEngine

/// What an app does when the system calls: `UIApplicationDelegate`, as far as it concerns
/// the background.
///
/// One call of an app at a time: the next is not made before the last has returned. On a virtual
/// clock they come on the thread that advances it or whose call caused them, in real time on
/// the device's executor. A method that throws ends the app's process as an uncaught exception does
/// (`abnormalExit`); one that takes longer than its limit is ended by the watchdog. Every method
/// does nothing unless you write it.
public protocol AppDelegate: AnyObject, Sendable {
  /// `application(_:willFinishLaunchingWithOptions:)`.
  func applicationWillFinishLaunching(_ app: App) throws
  /// `application(_:didFinishLaunchingWithOptions:)`.
  func applicationDidFinishLaunching(_ app: App) throws
  /// `applicationDidBecomeActive(_:)`.
  func applicationDidBecomeActive(_ app: App) throws
  /// `applicationWillResignActive(_:)`.
  func applicationWillResignActive(_ app: App) throws
  /// `applicationDidEnterBackground(_:)`. The place to begin a background task.
  func applicationDidEnterBackground(_ app: App) throws
  /// `applicationWillEnterForeground(_:)`.
  func applicationWillEnterForeground(_ app: App) throws
  /// `applicationWillTerminate(_:)`.
  func applicationWillTerminate(_ app: App) throws
  /// `applicationDidReceiveMemoryWarning(_:)`.
  func applicationDidReceiveMemoryWarning(_ app: App) throws
  /// The app was woken in the background, or launched for it. `wake.complete(_:)` says that it
  /// is done; a wake that is not completed in time overruns (rule W2). A wake of a request goes
  /// to the handler that its launch has registered with `App.taskScheduler`, where there is one.
  func application(_ app: App, didReceive wake: Wake) throws
  /// The event of a wake found the app in the foreground: nothing to complete.
  func application(_ app: App, didReceiveInForeground kind: KindName) throws
  /// Something that was posted, or the net change of what was posted while the app was suspended
  /// (rule A11).
  func application(_ app: App, didReceive notification: String, value: String?) throws
  /// A local notification was due while the app was in the foreground (rule N1).
  func application(_ app: App, didReceiveLocalNotification id: String) throws
}

extension AppDelegate {
  /// Does nothing.
  public func applicationWillFinishLaunching(_ app: App) {}
  /// Does nothing.
  public func applicationDidFinishLaunching(_ app: App) {}
  /// Does nothing.
  public func applicationDidBecomeActive(_ app: App) {}
  /// Does nothing.
  public func applicationWillResignActive(_ app: App) {}
  /// Does nothing.
  public func applicationDidEnterBackground(_ app: App) {}
  /// Does nothing.
  public func applicationWillEnterForeground(_ app: App) {}
  /// Does nothing.
  public func applicationWillTerminate(_ app: App) {}
  /// Does nothing.
  public func applicationDidReceiveMemoryWarning(_ app: App) {}
  /// Completes it at once, without news.
  public func application(_ app: App, didReceive wake: Wake) { wake.complete(.noData) }
  /// Does nothing.
  public func application(_ app: App, didReceiveInForeground kind: KindName) {}
  /// Does nothing.
  public func application(_ app: App, didReceive notification: String, value: String?) {}
  /// Does nothing.
  public func application(_ app: App, didReceiveLocalNotification id: String) {}
}
