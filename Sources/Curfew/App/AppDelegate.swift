public import CurfewEngine

/// The callbacks of an app: the part of `UIApplicationDelegate` that concerns the background.
///
/// The callbacks of one app are serial: the next begins after the previous one has returned.
/// On a virtual clock they run on the thread that advances the clock or on the thread whose call
/// caused them; in real time, on the device's executor. If a method throws, the app's process ends
/// as after an uncaught exception (`abnormalExit`). The watchdog terminates an app whose callback
/// exceeds its limit. Every method has a default implementation. The one for a wake completes
/// the wake; the others do nothing.
public protocol AppDelegate: AnyObject, Sendable {
  /// `application(_:willFinishLaunchingWithOptions:)`.
  func applicationWillFinishLaunching(_ app: App) throws
  /// `application(_:didFinishLaunchingWithOptions:)`.
  func applicationDidFinishLaunching(_ app: App) throws
  /// `applicationDidBecomeActive(_:)`.
  func applicationDidBecomeActive(_ app: App) throws
  /// `applicationWillResignActive(_:)`.
  func applicationWillResignActive(_ app: App) throws
  /// `applicationDidEnterBackground(_:)`. Begin background tasks here.
  func applicationDidEnterBackground(_ app: App) throws
  /// `applicationWillEnterForeground(_:)`.
  func applicationWillEnterForeground(_ app: App) throws
  /// `applicationWillTerminate(_:)`.
  func applicationWillTerminate(_ app: App) throws
  /// `applicationDidReceiveMemoryWarning(_:)`.
  func applicationDidReceiveMemoryWarning(_ app: App) throws
  /// The app was woken in the background, or launched for a wake. Call `wake.complete(_:)` when
  /// its work is done; a wake that is not completed in time overruns (rule W2). If this process
  /// has registered a handler with `App.taskScheduler` for the wake's request, that handler
  /// is called instead.
  func application(_ app: App, didReceive wake: Wake) throws
  /// The event of a wake arrived while the app was in the foreground. There is no wake to complete.
  func application(_ app: App, didReceiveInForeground kind: KindName) throws
  /// Receives a posted notification; after a suspension, the net change of the notifications that
  /// were posted meanwhile (rule A11).
  func application(_ app: App, didReceive notification: String, value: String?) throws
  /// A local notification became due while the app was in the foreground (rule N1).
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
  /// Completes the wake at once, with `noData`.
  public func application(_ app: App, didReceive wake: Wake) { wake.complete(.noData) }
  /// Does nothing.
  public func application(_ app: App, didReceiveInForeground kind: KindName) {}
  /// Does nothing.
  public func application(_ app: App, didReceive notification: String, value: String?) {}
  /// Does nothing.
  public func application(_ app: App, didReceiveLocalNotification id: String) {}
}
