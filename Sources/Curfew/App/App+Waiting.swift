public import CurfewEngine

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
  /// No job holds a grant.
  case drained
}

extension DeviceState {
  func hasCome(_ moment: AwaitedMoment) -> Bool {
    switch moment {
    case .rest(let app): isClosed || !driver.engine.owesReturn(app)
    case .drained: isClosed || counts.jobsRunning == 0
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
  func wait(for moment: AwaitedMoment) async { await wait(for: moment, number: nil) }

  /// Waits for the moment, or until the calling task is cancelled.
  func waitUnlessCancelled(for moment: AwaitedMoment) async {
    let number = withState { state in
      state.waiterCount += 1
      return state.waiterCount
    }
    await withTaskCancellationHandler {
      await wait(for: moment, number: number)
    } onCancel: {
      let waiter = withState { state in
        state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
      }
      waiter?.tell()
    }
  }

  /// - Parameter number: The number under which the caller can stop waiting; nil if it cannot.
  private func wait(for moment: AwaitedMoment, number: Int?) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let isOver = withState { state in
        // If the task was cancelled before this line, its cancellation handler found no waiter.
        if state.hasCome(moment) || number != nil && Task.isCancelled { return true }
        state.waiters.append((moment, number ?? 0, { continuation.resume() }))
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
