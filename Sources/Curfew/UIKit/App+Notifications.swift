internal import CurfewEngine
public import Foundation

/// Observers of an app's callbacks. They are called after its delegate, in the order in which they
/// were added, on the thread that calls the delegate.
extension App {
  /// `UIApplication.didFinishLaunchingNotification`.
  public static let didFinishLaunchingNotification = Notification.Name(
    "UIApplicationDidFinishLaunchingNotification")
  /// `UIApplication.didBecomeActiveNotification`.
  public static let didBecomeActiveNotification = Notification.Name(
    "UIApplicationDidBecomeActiveNotification")
  /// `UIApplication.willResignActiveNotification`.
  public static let willResignActiveNotification = Notification.Name(
    "UIApplicationWillResignActiveNotification")
  /// `UIApplication.didEnterBackgroundNotification`.
  public static let didEnterBackgroundNotification = Notification.Name(
    "UIApplicationDidEnterBackgroundNotification")
  /// `UIApplication.willEnterForegroundNotification`.
  public static let willEnterForegroundNotification = Notification.Name(
    "UIApplicationWillEnterForegroundNotification")
  /// `UIApplication.willTerminateNotification`.
  public static let willTerminateNotification = Notification.Name(
    "UIApplicationWillTerminateNotification")
  /// `UIApplication.didReceiveMemoryWarningNotification`.
  public static let didReceiveMemoryWarningNotification = Notification.Name(
    "UIApplicationDidReceiveMemoryWarningNotification")

  /// Calls `block` after each callback of the app's delegate, in all processes of the app, until
  /// the observer is removed. The app need not have a delegate. Observers may be added at any time.
  ///
  /// - Parameters:
  ///   - name: The notification; nil for all notifications that `App` declares.
  ///   - block: Called after the delegate and after the observers that were added earlier. If
  ///     an observer is removed while others are being called, it may still be called once.
  /// - Returns: The observer, for `removeObserver(_:)`. The app keeps the block; you need not keep
  ///   the observer.
  /// - Complexity: O(1) amortised.
  @discardableResult
  public func addObserver(
    forName name: Notification.Name?,
    using block: @escaping @Sendable (_ app: App, _ name: Notification.Name) -> Void
  ) -> AppObserver {
    let observer = AppObserver(name, block)
    core.withState { state in
      if !state.isClosed { state.apps[id].observers.append(observer) }
    }
    return observer
  }

  /// Removes an observer. Does nothing if it is not registered.
  /// - Complexity: O(the app's observers).
  public func removeObserver(_ observer: AppObserver) {
    // Released outside the lock: the block's captures may call the device when they are released.
    let removed = core.withState { state -> AppObserver? in
      state.apps[id].observers.firstIndex { $0 === observer }.map {
        state.apps[id].observers.remove(at: $0)
      }
    }
    withExtendedLifetime(removed) {}
  }

  /// Posts the app's callbacks to a notification center, as UIKit posts them to
  /// `NotificationCenter.default`, with the app's ``object``. Give each test its own center,
  /// to separate tests that run at the same time.
  ///
  /// In a test with a device (module `CurfewTesting`) they are posted on the main thread, unless
  /// that thread waits. So an observer with `queue: .main` is called during the callback.
  /// - Returns: The observer, for `removeObserver(_:)`.
  @discardableResult
  public func postNotifications(to center: NotificationCenter) -> AppObserver {
    addObserver(forName: nil) { app, name in
      guard let work = app.core.work, work.isHere, !work.isMainThreadWaiting else {
        return center.post(name: name, object: app.object)
      }
      app.core.run(onMainActor: true) { center.post(name: name, object: app.object) }
    }
  }
}

/// An observer of an app's callbacks, created by `addObserver(forName:using:)`.
public final class AppObserver: Sendable {
  private let name: Notification.Name?
  private let block: @Sendable (App, Notification.Name) -> Void

  init(_ name: Notification.Name?, _ block: @escaping @Sendable (App, Notification.Name) -> Void) {
    (self.name, self.block) = (name, block)
  }

  fileprivate func tell(_ name: Notification.Name, _ app: App) {
    if self.name == nil || self.name == name { block(app, name) }
  }
}

extension App {
  /// Calls the app's observers after a callback of its delegate.
  func notifyObservers(of callback: Callback) {
    let observers = core.withState { $0.apps[id].observers }
    guard !observers.isEmpty, let name = App.notification(of: callback) else { return }
    for observer in observers { observer.tell(name, self) }
  }

  private static func notification(of callback: Callback) -> Notification.Name? {
    switch callback {
    case .willFinishLaunching: nil
    case .didFinishLaunching: didFinishLaunchingNotification
    case .didBecomeActive: didBecomeActiveNotification
    case .willResignActive: willResignActiveNotification
    case .didEnterBackground: didEnterBackgroundNotification
    case .willEnterForeground: willEnterForegroundNotification
    case .willTerminate: willTerminateNotification
    case .didReceiveMemoryWarning: didReceiveMemoryWarningNotification
    }
  }
}
