internal import CurfewEngine

extension App {
  /// `beginBackgroundTask(withName:expirationHandler:)`: asks for time to finish something, before the app is suspended.
  ///
  /// Answers at once, from any thread. The handler is called once, when the app's time in the background is nearly over: it has to end the task. It runs as
  /// the app's callbacks do; one that throws ends the app. A task that is still open when the time is over ends the app's process
  /// (`backgroundTaskAssertionTimeout`).
  ///
  /// - Parameters:
  ///   - name: Names it in traces and in the record of a process that leaked it.
  ///   - expirationHandler: What to do when time is up; nil is legal and means to be ended without a word.
  /// - Returns: `invalid` where none was begun: the policy denies it, the app does not run, or the device is closed. `lastDecision` says why.
  /// - Complexity: O(1).
  public func beginBackgroundTask(
    withName name: String? = nil, expirationHandler: (@Sendable () throws -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    guard let expirationHandler else { return core.beginTask(id, name ?? "", nil) }
    return core.beginTask(id, name ?? "") { _ in try expirationHandler() }
  }

  /// The same with a handler that is told why and since when it is called.
  public func beginBackgroundTask(
    withName name: String? = nil, onExpiration handler: @escaping @Sendable (Expiration) throws -> Void
  ) -> BackgroundTaskIdentifier {
    core.beginTask(id, name ?? "", handler)
  }

  /// `endBackgroundTask(_:)`: the work is done. Has to be called for each task that was begun; `invalid` and a task of a former process are
  /// ignored, one that has ended already is a diagnostic.
  /// - Complexity: O(1).
  public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) { core.endTask(id, identifier) }
}

extension DeviceCore {
  fileprivate func beginTask(_ app: AppID, _ name: String, _ handler: ExpirationClosure?) -> BackgroundTaskIdentifier {
    let presence: ExpirationHandler = handler == nil ? .absent : .present
    let begun = tell(by: app) { state in
      .beginTask(app, label: name.isEmpty ? 0 : state.texts.number(of: name), handler: presence)
    } _: { state -> BackgroundTask? in
      for index in 0..<state.actions.count {
        guard case .taskBegan(app, let task) = state.actions[index] else { continue }
        guard task.id != .invalid, state.engine.isOpen(task, of: app) else { return task }
        state.tasks.insert(task, of: app, named: name, at: state.now, handler, &state.apps[Int(app.rawValue)].lastTask)
        state.apps[Int(app.rawValue)].processNumber = task.process
        return task
      }
      return nil
    }
    guard case let task?? = begun else { return .invalid }
    return BackgroundTaskIdentifier(task)
  }

  fileprivate func endTask(_ app: AppID, _ identifier: BackgroundTaskIdentifier) {
    guard identifier.rawValue != 0 else { return }
    tell(by: app) { state in
      state.apps[Int(app.rawValue)].processNumber == identifier.task.process ? .endTask(app, identifier.task) : nil
    } _: { _ in
    }
  }
}
