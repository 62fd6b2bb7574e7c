public import CurfewEngine
public import CurfewPolicy

/// ``AppDelegate`` on the main actor, as `UIApplicationDelegate` is: a delegate that is
/// `@MainActor` conforms to it unchanged, in either language mode.
///
/// The delegate's methods are called on the main actor, whatever runs the handlers of the device's
/// other apps. If the caller is on another thread, it waits until the main thread has run
/// the method, so the main thread must not be waiting for the device. Every method has a default
/// implementation. The one for a wake completes the wake; the others do nothing.
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
  /// `applicationDidEnterBackground(_:)`. Begin background tasks here.
  func applicationDidEnterBackground(_ app: App) throws
  /// `applicationWillEnterForeground(_:)`.
  func applicationWillEnterForeground(_ app: App) throws
  /// `applicationWillTerminate(_:)`.
  func applicationWillTerminate(_ app: App) throws
  /// `applicationDidReceiveMemoryWarning(_:)`.
  func applicationDidReceiveMemoryWarning(_ app: App) throws
  /// The app was woken in the background, or launched for a wake (rule W2).
  func application(_ app: App, didReceive wake: Wake) throws
  /// The event of a wake arrived while the app was in the foreground. There is no wake to complete.
  func application(_ app: App, didReceiveInForeground kind: KindName) throws
  /// Receives a posted notification; after a suspension, the net change of the notifications that
  /// were posted meanwhile (rule A11).
  func application(_ app: App, didReceive notification: String, value: String?) throws
  /// A local notification became due while the app was in the foreground (rule N1).
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
  /// Completes the wake at once, with `noData`.
  public func application(_ app: App, didReceive wake: Wake) { wake.complete(.noData) }
  /// Does nothing.
  public func application(_ app: App, didReceiveInForeground kind: KindName) {}
  /// Does nothing.
  public func application(_ app: App, didReceive notification: String, value: String?) {}
  /// Does nothing.
  public func application(_ app: App, didReceiveLocalNotification id: String) {}
}

extension Device {
  /// Registers an app with a delegate on the main actor. The app is not running yet. In all other
  /// respects this is the method that takes an ``AppDelegate``.
  public func register(
    _ name: String, manifest: AppManifest = AppManifest(), delegate: any MainActorAppDelegate,
    process host: (any ProcessHost)? = nil
  ) -> App {
    register(name, manifest: manifest, delegate: OnMainActor(delegate), process: host)
  }
}

/// Forwards an app's callbacks to a delegate on the main actor.
final class OnMainActor: AppDelegate {
  private let delegate: any MainActorAppDelegate

  fileprivate init(_ delegate: any MainActorAppDelegate) { self.delegate = delegate }

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
