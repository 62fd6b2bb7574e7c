public import CurfewEngine
public import CurfewPolicy

/// ``AppDelegate`` on the main actor, as `UIApplicationDelegate` is: a delegate that is
/// `@MainActor` conforms to it as it stands, in either language mode.
///
/// Its methods are called on the main actor, whatever runs the handlers of the device's other apps.
/// Where another thread comes to one, that thread waits until the main thread has run it: the main
/// thread must not be waiting for the device meanwhile. Every method does nothing unless you
/// write it.
@MainActor
public protocol MainActorAppDelegate: AnyObject, Sendable {
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
  /// The app was woken in the background, or launched for it (rule W2).
  func application(_ app: App, didReceive wake: Wake) throws
  /// The event of a wake found the app in the foreground: nothing to complete.
  func application(_ app: App, didReceiveInForeground kind: KindName) throws
  /// Something that was posted, or the net change of what was posted while the app was suspended
  /// (rule A11).
  func application(_ app: App, didReceive notification: String, value: String?) throws
  /// A local notification was due while the app was in the foreground (rule N1).
  func application(_ app: App, didReceiveLocalNotification id: String) throws
}

extension MainActorAppDelegate {
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

extension Device {
  /// Makes an app known, not running, whose delegate is on the main actor. All else is as with
  /// a delegate that is not.
  public func register(
    _ name: String, manifest: AppManifest = AppManifest(), delegate: any MainActorAppDelegate
  ) -> App {
    register(name, manifest: manifest, delegate: OnMainActor(delegate))
  }
}

/// Takes an app's calls to a delegate on the main actor.
private final class OnMainActor: AppDelegate {
  private let delegate: any MainActorAppDelegate

  init(_ delegate: any MainActorAppDelegate) { self.delegate = delegate }

  func applicationWillFinishLaunching(_ app: App) throws {
    try app.tell { try delegate.applicationWillFinishLaunching(app) }
  }
  func applicationDidFinishLaunching(_ app: App) throws {
    try app.tell { try delegate.applicationDidFinishLaunching(app) }
  }
  func applicationDidBecomeActive(_ app: App) throws {
    try app.tell { try delegate.applicationDidBecomeActive(app) }
  }
  func applicationWillResignActive(_ app: App) throws {
    try app.tell { try delegate.applicationWillResignActive(app) }
  }
  func applicationDidEnterBackground(_ app: App) throws {
    try app.tell { try delegate.applicationDidEnterBackground(app) }
  }
  func applicationWillEnterForeground(_ app: App) throws {
    try app.tell { try delegate.applicationWillEnterForeground(app) }
  }
  func applicationWillTerminate(_ app: App) throws {
    try app.tell { try delegate.applicationWillTerminate(app) }
  }
  func applicationDidReceiveMemoryWarning(_ app: App) throws {
    try app.tell { try delegate.applicationDidReceiveMemoryWarning(app) }
  }
  func application(_ app: App, didReceive wake: Wake) throws {
    try app.tell { try delegate.application(app, didReceive: wake) }
  }

  func application(_ app: App, didReceiveInForeground kind: KindName) throws {
    try app.tell { try delegate.application(app, didReceiveInForeground: kind) }
  }

  func application(_ app: App, didReceive notification: String, value: String?) throws {
    try app.tell { try delegate.application(app, didReceive: notification, value: value) }
  }

  func application(_ app: App, didReceiveLocalNotification id: String) throws {
    try app.tell { try delegate.application(app, didReceiveLocalNotification: id) }
  }
}

extension App {
  fileprivate func tell(_ body: @MainActor () throws -> Void) throws { try core.onMainActor(body) }
}
