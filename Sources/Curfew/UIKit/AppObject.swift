public import CurfewEngine

/// An app as an object: for protocols that require a class (`protocol MySeam: AnyObject`), and as
/// the object of notifications.
///
/// The object forwards to its ``app``. An app has one object as long as its device is open.
public final class AppObject: Sendable {
  /// The app.
  public let app: App

  fileprivate init(_ app: App) { self.app = app }

  /// ``App/applicationState``.
  public var applicationState: AppState { app.applicationState }
  /// ``App/backgroundTimeRemaining``.
  public var backgroundTimeRemaining: Double { app.backgroundTimeRemaining }
  /// ``App/backgroundRefreshStatus``.
  public var backgroundRefreshStatus: BackgroundRefreshStatus { app.backgroundRefreshStatus }

  /// Calls the method of ``App`` of the same name. The handler may capture values that are not
  /// `Sendable`. If it is isolated to the main actor, as each closure in a `@MainActor` class is,
  /// it runs there.
  public func beginBackgroundTask(
    withName name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    expirationHandler handler: (@isolated(any) () -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    guard let handler else {
      return app.beginBackgroundTask(withName: name, fileID: fileID, line: line)
    }
    return app.beginBackgroundTask(
      withName: name, fileID: fileID, line: line,
      expirationHandler: IsolatedHandler(handler).unchecked)
  }

  /// Calls the method of ``App`` of the same name.
  @_disfavoredOverload
  public func beginBackgroundTask(withName name: String?, expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  {
    app.beginTask(name, unchecked: handler)
  }

  /// Calls the method of ``App`` of the same name.
  @_disfavoredOverload
  public func beginBackgroundTask(expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  {
    app.beginTask(nil, unchecked: handler)
  }

  /// Calls the method of ``App`` of the same name: the handler runs on the main actor.
  @_disfavoredOverload
  public func beginBackgroundTask(
    withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> BackgroundTaskIdentifier {
    app.beginTask(name, onMainActor: handler)
  }

  /// Calls the method of ``App`` of the same name: the handler runs on the main actor.
  @_disfavoredOverload
  public func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)?)
    -> BackgroundTaskIdentifier
  {
    app.beginTask(nil, onMainActor: handler)
  }

  /// ``App/endBackgroundTask(_:)``.
  public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
    app.endBackgroundTask(identifier)
  }

  /// ``App/performExpiringActivity(withReason:using:)``.
  public func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
  ) {
    app.performExpiringActivity(withReason: reason, using: block)
  }
}

extension App {
  /// The app as an object, always the same one while its device is open.
  public var object: AppObject {
    core.withState { state in
      let object = state.apps[id].object ?? AppObject(self)
      // The object holds the device's core, which releases the object when the device closes.
      if !state.isClosed { state.apps[id].object = object }
      return object
    }
  }
}
