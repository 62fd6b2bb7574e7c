internal import CurfewEngine

extension App {
  /// `beginBackgroundTask(withName:expirationHandler:)`: asks for time to finish something before
  /// the app is suspended.
  ///
  /// Returns at once, on any thread. The handler is called once, shortly before the app's time in
  /// the background is over, and must end the task. It runs in the same way as the app's callbacks;
  /// if it throws, the app's process ends. A task that is still open when the time is over ends
  /// the app's process (`backgroundTaskAssertionTimeout`).
  ///
  /// A handler that is isolated to the main actor, as each closure in a `@MainActor` class is, runs
  /// there, whatever runs the app's other callbacks; a handler of another actor runs on that actor.
  /// The caller of the handler waits until the actor has run the handler, so the main thread or
  /// the actor must not be waiting for the device. The handler counts as called when its actor
  /// begins it: if its task ends before that, it is not called. If the code that advances a virtual
  /// clock runs on the handler's actor, the handler runs in place. If it keeps the actor busy
  /// in another way, the program is stopped with a message after 60 s of real time
  /// (the environment variable `CURFEW_HANG` sets another number of seconds).
  ///
  /// - Parameters:
  ///   - name: The task's name in traces and in the record of a process that leaked it.
  ///   - fileID: The caller's file; left to the compiler.
  ///   - line: The caller's line; left to the compiler.
  ///   - expirationHandler: Called shortly before time is up. With nil there is no warning,
  ///     and the process ends if the task is still open when time is up.
  /// - Returns: `invalid` if no task was begun; `lastDiagnostic` says why. Either the policy denies
  ///   the task, or the app is not running, or its process was terminated because it held one task
  ///   more than the policy's limit, or the device is closed.
  ///
  /// If the task begins so late that its warning is already due, its handler is called as soon as
  /// the app has no other callback (rule F7). On a virtual clock, the handler is called in the next
  /// call that delivers callbacks, at the latest in `advance(by: .zero)`. So the caller has the
  /// identifier before the handler runs, as on a phone's main thread. In real time, or if another
  /// thread advances the clock, the handler may run before this function returns; a handler that
  /// takes `onExpiration` receives the identifier.
  /// - Complexity: O(1).
  public func beginBackgroundTask(
    withName name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext expirationHandler: (@Sendable @isolated(any) () throws -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    // Not `map`, which would wrap the handler in two closures.
    let handler: ExpirationClosure? =
      if let expirationHandler { .plain(expirationHandler) } else { nil }
    return core.beginTask(
      id, TaskBegin(name: name ?? "", origin: CallSite(fileID, line), handler: handler))
  }

  /// The method above for a handler that is not `Sendable`, such as a method in Swift 5 mode.
  /// The compiler does not check where its captured values are used. A handler of an actor runs
  /// there, as above.
  ///
  /// The method is generic only to be the second choice: a call that passes a `Sendable` handler
  /// prefers the method above.
  public func beginBackgroundTask<Name: StringProtocol>(
    withName name: Name? = String?.none, fileID: StaticString = #fileID, line: UInt = #line,
    expirationHandler handler: (@isolated(any) () throws -> Void)?
  ) -> BackgroundTaskIdentifier {
    core.beginTask(
      id,
      TaskBegin(
        name: name.map { String($0) } ?? "", origin: CallSite(fileID, line),
        handler: handler.map { .plain(IsolatedHandler($0).unchecked) }))
  }

  /// Begins a background task whose handler receives the reason and the instant of the expiration.
  /// The handler runs as in the method above.
  public func beginBackgroundTask(
    withName name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext onExpiration handler:
      @escaping @Sendable @isolated(any) (Expiration) throws -> Void
  ) -> BackgroundTaskIdentifier {
    core.beginTask(
      id,
      TaskBegin(
        name: name ?? "", origin: CallSite(fileID, line), handler: .told(handler)))
  }

  /// `endBackgroundTask(_:)`: ends a task, because its work is done. Must be called for each task
  /// that was begun. The call ignores `invalid` and tasks of a former process. Ending a task that
  /// has already ended causes a diagnostic.
  ///
  /// In real time the task's handler may run at the same time: if it is about to start when another
  /// thread calls this function, it still starts, perhaps after this function has returned.
  /// `mayRunExpirationHandler(of:)` says whether the handler may still start or run.
  /// - Complexity: O(1).
  public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
    core.endTask(id, identifier, call: #function)
  }

  /// Whether a task's expiration handler may still run, or is running now. UIKit has no such call:
  /// in UIKit, handlers and the code that ends tasks usually share the main thread.
  ///
  /// After `endBackgroundTask` has returned, false means that the handler has finished or will
  /// never be called, so the objects that it uses may be released. True means that the handler
  /// overlaps with the end of the task; the result becomes false when the handler returns.
  /// Inside the handler itself the result is true. While the task is open, the result is true
  /// until the handler has been called and has returned. The result is always false if the task
  /// has no handler or is `invalid`. It is also false after the process has ended or the device was
  /// closed, unless the handler is running at that time.
  /// - Complexity: O(handlers that are running).
  public func mayRunExpirationHandler(of identifier: BackgroundTaskIdentifier) -> Bool {
    guard identifier.rawValue != 0 else { return false }
    return core.withState { state in
      if state.tasks.isRunning(identifier) { return true }
      guard !state.isClosed, state.apps.contains(identifier.app) else { return false }
      return state.task(identifier, of: identifier.app).map {
        state.tasks.hasHandler($0, identifier.app)
      } ?? false
    }
  }
}

extension DeviceCore {
  /// - Parameter whenDenied: Called under the lock if the engine began no task, with the decision
  ///   that denied it, if any.
  /// - Returns: The identifier, `invalid` if no task was begun.
  func beginTask(
    _ app: AppID, _ request: consuming TaskBegin, call: StaticString = #function,
    whenDenied: (Decision?) -> Void = { _ in }
  ) -> BackgroundTaskIdentifier {
    var request = request
    let presence: ExpirationHandler = request.handler == nil ? .absent : .present
    return tell(by: app, call: call, delivers: false) { state -> Event? in
      // A task that cannot be begun anyway does not use up one of the test's denials.
      if state.apps[app].tasksToDeny > 0,
        ![.notRunning, .suspended].contains(state.driver.engine.state(of: app))
      {
        state.apps[app].tasksToDeny -= 1
        state.note(.deniedByTest, of: app, call: call)
        return nil
      }
      return .beginTask(
        app, label: request.name.isEmpty ? 0 : state.texts.number(of: request.name),
        handler: presence)
    } answered: { state, answer -> BackgroundTaskIdentifier in
      guard case .begun(let task) = answer else {
        whenDenied(state.noteDenial(answer, of: app, call: call))
        return .invalid
      }
      return state.tasks.insert(task, of: app, &request, at: state.now, &state.apps[app])
    } ?? .invalid
  }

  fileprivate func endTask(_ app: AppID, _ identifier: BackgroundTaskIdentifier, call: StaticString)
  {
    guard identifier.rawValue != 0 else { return }
    tell(by: app, call: call) { state in
      guard let task = state.task(identifier, of: app) else {
        state.note(state.causeOfStrange(identifier, to: app), of: app, call: call)
        return nil
      }
      return .endTask(app, task)
    }
  }
}

extension DeviceState {
  /// Notes that a begin has begun no task.
  /// - Returns: The decision that denied it, if any.
  fileprivate mutating func noteDenial(_ answer: EventAnswer, of app: AppID, call: StaticString)
    -> Decision?
  {
    if let decision = decision(answer, app) {
      note(.denied(decision), of: app, call: call)
      return decision
    }
    if apps[app].process?.isAlive == true, driver.engine.state(of: app) == .notRunning {
      // This begin has just ended the app's process (rule F9).
      note(.tooManyTasks(limit: Int(policy.policy.tasks.limit)), of: app, call: call)
    }
    return nil
  }
}
