internal import CurfewEngine

// The exact signatures that `UIApplication`'s methods have or have had: with them, an SDK's own
// protocol needs only `extension App: MySeam {}`. Direct calls prefer the other overloads.

extension App {
  /// `UIApplication.State`.
  public typealias State = AppState

  /// `beginBackgroundTask(withName:expirationHandler:)` as UIKit declared it until Swift 6:
  /// the handler may capture values that are not `Sendable`.
  ///
  /// The compiler does not check on which thread such values are used. The handler runs on the same
  /// threads as the app's callbacks. On a virtual clock, that is the thread that advances the
  /// clock; in real time, any of the executor's threads. It never runs at the same time as another
  /// callback of the app. A handler that was written for UIKit expects the main thread: advance
  /// the clock on the main thread, or give the device a ``MainActorExecutor``.
  ///
  /// A protocol's method cannot pass its call site, which an ``OpenTask`` shows. In a test with
  /// `.device` the call site is found in the stack; elsewhere it is unknown.
  @_disfavoredOverload
  public func beginBackgroundTask(withName name: String?, expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  {
    beginTask(name, unchecked: handler)
  }

  /// The method above without a name.
  @_disfavoredOverload
  public func beginBackgroundTask(expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  {
    beginTask(nil, unchecked: handler)
  }

  /// `beginBackgroundTask(withName:expirationHandler:)` as UIKit declares it: the handler runs on
  /// the main actor, whatever runs the app's other callbacks.
  ///
  /// If the caller of the handler is on another thread, it waits until the main thread has run
  /// the handler, so the main thread must not be waiting for the device.
  ///
  /// A protocol's method cannot pass its call site, which an ``OpenTask`` shows. In a test with
  /// `.device` the call site is found in the stack; elsewhere it is unknown.
  @_disfavoredOverload
  public func beginBackgroundTask(
    withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> BackgroundTaskIdentifier {
    beginTask(name, onMainActor: handler)
  }

  /// The method above without a name.
  @_disfavoredOverload
  public func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)?)
    -> BackgroundTaskIdentifier
  {
    beginTask(nil, onMainActor: handler)
  }

  func beginTask(
    _ name: String?, unchecked handler: (() -> Void)?, call: StaticString = #function
  ) -> BackgroundTaskIdentifier {
    guard let handler else { return begin(name, nil, call: call) }
    nonisolated(unsafe) let unchecked = handler
    return begin(name, .plain { unchecked() }, call: call)
  }

  func beginTask(
    _ name: String?, onMainActor handler: (@MainActor @Sendable () -> Void)?,
    call: StaticString = #function
  ) -> BackgroundTaskIdentifier {
    guard let handler else { return begin(name, nil, call: call) }
    return begin(name, .plain(handler), call: call)
  }

  private func begin(_ name: String?, _ handler: ExpirationClosure?, call: StaticString = #function)
    -> BackgroundTaskIdentifier
  {
    core.beginTask(
      id, TaskBegin(name: name ?? "", origin: core.caller, handler: handler), call: call)
  }
}

extension DeviceCore {
  /// The call site in the program, for calls that do not pass it.
  var caller: CallSite { work?.caller.map { CallSite($0) } ?? .unknown }
}
