internal import CurfewEngine

extension App {
  /// `beginBackgroundTask(withName:expirationHandler:)`: asks for time to finish something, before
  /// the app is suspended.
  ///
  /// Answers at once, from any thread. The handler is called once, when the app's time in the
  /// background is nearly over: it has to end the task. It runs as the app's callbacks do; one
  /// that throws ends the app. A task that is still open when the time is over ends the app's
  /// process (`backgroundTaskAssertionTimeout`).
  ///
  /// - Parameters:
  ///   - name: Names it in traces and in the record of a process that leaked it.
  ///   - expirationHandler: What to do when time is up; nil is legal and means to be ended without
  ///     a word.
  /// - Returns: `invalid` where none was begun, of which `lastDiagnostic` says why: the policy
  ///   denies it, the app does not run, its process ended by holding one task more than the
  ///   policy's limit, or the device is closed.
  ///
  /// A task that comes too late to be of use has its handler called as soon as the app is not being
  /// called with anything else (rule F7). On a virtual clock that is the next call that lets
  /// something happen, `advance(by: .zero)` at the latest: the identifier is there first, as it is
  /// on a phone's main thread. In real time, and where other threads advance the clock, the handler
  /// may be quicker than the answer; one that takes `onExpiration` is told the identifier.
  /// - Complexity: O(1).
  public func beginBackgroundTask(
    withName name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    expirationHandler: (@Sendable () throws -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    core.beginTask(
      id,
      TaskBegin(
        name: name ?? "", origin: CallSite(fileID, line),
        handler: expirationHandler.map { .plain($0) })
    )
    .identifier
  }

  /// The same with a handler that is told why and since when it is called.
  public func beginBackgroundTask(
    withName name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    onExpiration handler: @escaping @Sendable (Expiration) throws -> Void
  ) -> BackgroundTaskIdentifier {
    core.beginTask(
      id, TaskBegin(name: name ?? "", origin: CallSite(fileID, line), handler: .told(handler))
    ).identifier
  }

  /// `endBackgroundTask(_:)`: the work is done. Has to be called for each task that was
  /// begun; `invalid` and a task of a former process are ignored, one that has ended already
  /// is a diagnostic.
  ///
  /// In real time its handler may run at the same time: one that is on its way to its first line
  /// when this is called on another thread begins all the same, perhaps after this has returned.
  /// `mayRunExpirationHandler(of:)` tells.
  /// - Complexity: O(1).
  public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
    core.endTask(id, identifier, call: #function)
  }

  /// Whether a task's expiration handler may still run, or is running now. UIKit has no such call:
  /// there handlers and what ends tasks share the main thread as a rule.
  ///
  /// After `endBackgroundTask` has returned, false means that the handler has come to its end
  /// or never will be called, so that whatever it uses may be let go of. True is about a handler
  /// that has overlapped with the end, and turns false as soon as it returns; inside the handler
  /// itself it is true. While the task is open it is true until the handler has been called
  /// and has returned; it is false from the start for a task without one, for `invalid`, and once
  /// the process has ended or the device is closed, unless the handler is running just then.
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
  /// - Returns: `invalid` where none was begun, and the decision where it was one that denied it.
  func beginTask(
    _ app: AppID, _ request: TaskBegin, call: StaticString = #function
  ) -> (identifier: BackgroundTaskIdentifier, denial: Decision?) {
    let presence: ExpirationHandler = request.handler == nil ? .absent : .present
    return tell(by: app, call: call, delivers: false) { state in
      // A task that could not be begun anyway does not count.
      guard
        state.apps[app].tasksToDeny == 0
          || [.notRunning, .suspended].contains(state.driver.engine.state(of: app))
      else {
        state.apps[app].tasksToDeny -= 1
        state.note(.deniedByTest, of: app, call: call)
        return nil
      }
      return .beginTask(
        app, label: request.name.isEmpty ? 0 : state.texts.number(of: request.name),
        handler: presence)
    } answered: { state, answer in
      guard case .begun(let task) = answer else {
        let decision = state.decision(answer, app)
        if let decision {
          state.note(.denied(decision), of: app, call: call)
        } else if state.apps[app].process?.isAlive == true,
          state.driver.engine.state(of: app) == .notRunning
        {
          // It has just ended its process (rule F9).
          state.note(
            .tooManyTasks(limit: Int(state.policy.policy.tasks.limit)), of: app, call: call)
        }
        return (.invalid, decision)
      }
      let identifier = state.identifyBegun(task, of: app)
      state.tasks.insert(identifier, request, at: state.now, &state.apps[app].lastTask)
      return (identifier, nil)
    } ?? (.invalid, nil)
  }

  fileprivate func endTask(_ app: AppID, _ identifier: BackgroundTaskIdentifier, call: StaticString)
  {
    guard identifier.rawValue != 0 else { return }
    tell(by: app, call: call) { state in
      guard let task = state.task(identifier, of: app) else {
        state.note(.deadProcess, of: app, call: call)
        return nil
      }
      return .endTask(app, task)
    }
  }
}
