package import CurfewEngine
import CurfewText

/// The names of callbacks: UIKit's selectors, or the overrides in Xamarin.iOS and .NET for iOS.
public enum CallbackNames: String, Hashable, Sendable, CaseIterable {
  /// `applicationDidEnterBackground:`
  case uikit
  /// `DidEnterBackground`
  case xamarin

  /// The name of a delivered callback.
  package func name(of callback: TraceLine.DeliveredCallback) -> String {
    switch callback {
    case .lifecycle(let callback): name(of: callback)
    case .event(let kind): name(ofEvent: kind)
    }
  }

  /// The name of a callback about the app's life.
  package func name(of callback: Callback) -> String {
    switch (callback, self) {
    case (.willFinishLaunching, .uikit): "application:willFinishLaunchingWithOptions:"
    case (.willFinishLaunching, .xamarin): "WillFinishLaunching"
    case (.didFinishLaunching, .uikit): "application:didFinishLaunchingWithOptions:"
    case (.didFinishLaunching, .xamarin): "FinishedLaunching"
    case (.didBecomeActive, .uikit): "applicationDidBecomeActive:"
    case (.didBecomeActive, .xamarin): "OnActivated"
    case (.willResignActive, .uikit): "applicationWillResignActive:"
    case (.willResignActive, .xamarin): "OnResignActivation"
    case (.didEnterBackground, .uikit): "applicationDidEnterBackground:"
    case (.didEnterBackground, .xamarin): "DidEnterBackground"
    case (.willEnterForeground, .uikit): "applicationWillEnterForeground:"
    case (.willEnterForeground, .xamarin): "WillEnterForeground"
    case (.willTerminate, .uikit): "applicationWillTerminate:"
    case (.willTerminate, .xamarin): "WillTerminate"
    case (.didReceiveMemoryWarning, .uikit): "applicationDidReceiveMemoryWarning:"
    case (.didReceiveMemoryWarning, .xamarin): "ReceiveMemoryWarning"
    }
  }

  /// The name of the callback that delivers an event to an app in the foreground. For an event
  /// whose framework has its own delegate (location, Bluetooth …), both vocabularies use the name
  /// of the event's kind.
  package func name(ofEvent kind: KindName) -> String {
    switch (kind, self) {
    case (.fetch, .uikit): "application:performFetchWithCompletionHandler:"
    case (.fetch, .xamarin): "PerformFetch"
    case (.remoteNotification, .uikit), (.newsstand, .uikit):
      "application:didReceiveRemoteNotification:fetchCompletionHandler:"
    case (.remoteNotification, .xamarin), (.newsstand, .xamarin): "DidReceiveRemoteNotification"
    case (.urlSession, .uikit): "application:handleEventsForBackgroundURLSession:completionHandler:"
    case (.urlSession, .xamarin): "HandleEventsForBackgroundUrl"
    default: kind.rawValue
    }
  }

  /// The callback with this name in either vocabulary.
  ///
  /// Any other name may be a kind that a policy declares.
  static func callback(named name: String) -> TraceLine.DeliveredCallback? {
    byName[name] ?? (NameText.isSound(name) ? .event(KindName(rawValue: name)) : nil)
  }

  /// The names of both vocabularies, sorted.
  package static let known = byName.keys.sorted()

  /// Whether either vocabulary has this name.
  package static func isKnown(_ name: String) -> Bool { byName[name] != nil }

  /// The call of an app that delivers the callback with this name in either vocabulary; nil if
  /// neither has the name.
  package static func call(named name: String) -> AppCall? {
    switch byName[name] {
    case .lifecycle(let callback): .callback(callback)
    case .event(let kind): .wake(kind)
    case nil: nil
    }
  }

  private static let byName: [String: TraceLine.DeliveredCallback] = {
    var byName: [String: TraceLine.DeliveredCallback] = [:]
    for names in allCases {
      for kind in PolicyNames().kinds(.wake).reversed() {
        byName[names.name(ofEvent: kind)] = .event(kind)
      }
      for callback in Callback.allCases { byName[names.name(of: callback)] = .lifecycle(callback) }
    }
    return byName
  }()
}
