internal import CurfewEngine
public import Foundation

/// What an app is told, for as many as want to know it: after its delegate, in the order in which
/// they came, on the thread that calls the delegate.
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

  /// Calls `block` when the app's delegate has been told of something, until the observer
  /// is removed: at any time, in all processes of the app, with a delegate or without.
  ///
  /// - Parameters:
  ///   - name: Of what; nil for everything that has a name above.
  ///   - block: Called after the delegate and the observers that came before. One that is removed
  ///     while others are being told may still be called.
  /// - Returns: What `removeObserver(_:)` takes. The app keeps the block; nobody needs to
  ///   keep this.
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

  /// An observer is told of nothing more. One that is not there is none to remove.
  /// - Complexity: O(the app's observers).
  public func removeObserver(_ observer: AppObserver) {
    // Let go of outside the lock: what the block holds may call the device as it ends.
    let removed = core.withState { state -> AppObserver? in
      state.apps[id].observers.firstIndex { $0 === observer }.map {
        state.apps[id].observers.remove(at: $0)
      }
    }
    withExtendedLifetime(removed) {}
  }

  /// Posts what the app's delegate has been told to a notification center, as UIKit posts it
  /// to `NotificationCenter.default`, with the app's ``object``. A center of the test's own keeps
  /// tests apart that run at the same time.
  /// - Returns: What `removeObserver(_:)` takes, to end it.
  @discardableResult
  public func postNotifications(to center: NotificationCenter) -> AppObserver {
    addObserver(forName: nil) { app, name in center.post(name: name, object: app.object) }
  }
}

/// Somebody who is told what an app is told, as `addObserver(forName:using:)` made it.
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
  /// Tells the app's observers what its delegate has been told.
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
