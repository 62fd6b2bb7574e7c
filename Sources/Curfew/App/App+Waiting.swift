public import CurfewEngine

/// Callers that wait for an app.
extension App {
  /// The user opens the app. Returns when the app has handled the launch: `didFinishLaunching` and
  /// `didBecomeActive` have returned, or its process has ended, or the device was closed. In real
  /// time the call waits; on a virtual clock it returns at once, unless another thread is calling
  /// the app.
  /// - Returns: The app's state when the wait ends.
  @discardableResult
  public func launchAndWait() async -> AppState {
    launch()
    await core.wait(for: .rest(id))
    return applicationState
  }
}

extension Device {
  /// Removes an app. If the app is running, it is first terminated as by `App.forceQuit`, with
  /// `willTerminate`, and removed when its process has ended (rules A7, A12).
  /// - Returns: Whether the app was registered and has been removed.
  @discardableResult
  public func terminateAndRemove(_ app: App) async -> Bool {
    if app.applicationState != .notRunning { app.forceQuit() }
    await core.wait(for: .end(app.id))
    return removeApp(app)
  }
}

/// The condition that a caller waits for.
enum AwaitedMoment {
  /// The app is not in a callback, or is not running.
  case rest(AppID)
  /// The app's process has ended.
  case end(AppID)
}

extension DeviceState {
  func hasCome(_ moment: AwaitedMoment) -> Bool {
    switch moment {
    case .rest(let app): isClosed || !driver.engine.owesReturn(app)
    case .end(let app): isClosed || driver.engine.isRemoved(app) || driver.engine.isRemovable(app)
    }
  }

  /// Notifies the waiters whose condition holds.
  mutating func tellWaiters() {
    for index in waiters.indices.reversed() where hasCome(waiters[index].moment) {
      outgoing.notices.append(waiters.remove(at: index).tell)
    }
  }
}

extension DeviceCore {
  func wait(for moment: AwaitedMoment) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let hasCome = withState { state in
        if state.hasCome(moment) { return true }
        state.waiters.append((moment, { continuation.resume() }))
        return false
      }
      if hasCome { continuation.resume() }
    }
  }
}
