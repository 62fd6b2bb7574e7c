internal import CurfewEngine

// The shapes that `UIApplication`'s methods have had, to the letter: with them
// `extension App: MySeam {}` is all that an SDK's own protocol needs. Calls prefer the others.

extension App {
  /// `UIApplication.State`.
  public typealias State = AppState

  /// `beginBackgroundTask(withName:expirationHandler:)` as UIKit had it until Swift 6: the handler
  /// may capture what is not `Sendable`.
  ///
  /// Nobody checks on which thread that is used. The handler runs where the app's callbacks do:
  /// on a virtual clock on the thread that advances it, and in real time on whichever of the
  /// executor's threads comes to it, though never beside another callback of the app. One that
  /// was written for UIKit expects the main thread: advance the clock there, or give the device
  /// a ``MainActorExecutor``.
  ///
  /// A protocol has no room for the place of the call, which an ``OpenTask`` tells. In a test with
  /// `.device` it is found in the stack; elsewhere it is unknown.
  @_disfavoredOverload
  public func beginBackgroundTask(withName name: String?, expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  {
    guard let handler else { return begin(name, nil) }
    nonisolated(unsafe) let unchecked = handler
    return begin(name, .plain { unchecked() })
  }

  /// The same without a name.
  @_disfavoredOverload
  public func beginBackgroundTask(expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  {
    beginBackgroundTask(withName: nil, expirationHandler: handler)
  }

  /// `beginBackgroundTask(withName:expirationHandler:)` as UIKit has it: the handler runs on
  /// the main actor, whatever runs the app's other callbacks.
  ///
  /// Where another thread comes to it, that one waits until the main thread has run the handler:
  /// the main thread must not be waiting for the device meanwhile.
  ///
  /// A protocol has no room for the place of the call, which an ``OpenTask`` tells. In a test with
  /// `.device` it is found in the stack; elsewhere it is unknown.
  @_disfavoredOverload
  public func beginBackgroundTask(
    withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> BackgroundTaskIdentifier {
    beginTask(name, onMainActor: handler)
  }

  /// The same without a name.
  @_disfavoredOverload
  public func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)?)
    -> BackgroundTaskIdentifier
  {
    beginTask(nil, onMainActor: handler)
  }

  func beginTask(
    _ name: String?, onMainActor handler: (@MainActor @Sendable () -> Void)?,
    call: StaticString = #function
  ) -> BackgroundTaskIdentifier {
    guard let handler else { return begin(name, nil, call: call) }
    return begin(name, .plain { [core] in try core.onMainActor { handler() } }, call: call)
  }

  private func begin(_ name: String?, _ handler: ExpirationClosure?, call: StaticString = #function)
    -> BackgroundTaskIdentifier
  {
    core.beginTask(
      id, TaskBegin(name: name ?? "", origin: core.caller, handler: handler), call: call
    ).identifier
  }
}

extension DeviceCore {
  /// Where the program calls from, for calls that do not tell it.
  var caller: CallSite { work?.caller.map { CallSite($0) } ?? .unknown }
}
