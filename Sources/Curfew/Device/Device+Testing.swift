internal import CurfewEngine

/// Functions for tests: control of time, and leftovers.
extension Device {
  /// Lets virtual time pass. Everything that becomes due, including handlers, happens at its own
  /// instant, on this thread, before this function returns.
  ///
  /// A handler may call this function to simulate a slow handler. If another thread is in the
  /// middle of a call of the device, this call waits for it.
  ///
  /// In a test whose device comes from `CurfewTesting`, async code is included: at each instant it
  /// runs until no more can run. Elsewhere, work that handlers start with `Task { }` runs in real
  /// time, independently of the virtual clock. Await such work yourself, `await task.value`, before
  /// you let time pass, or let time pass with `settle(advancing:)`.
  ///
  /// If apps keep causing their own callbacks at one instant, this function returns at that instant
  /// with a ``DeviceDiagnostic/Cause/standstill(_:)`` (rule C4). A loop that waits for `now`
  /// to advance would then not end.
  /// - Precondition: The clock is virtual.
  public func advance(by interval: Duration) {
    precondition(interval >= .zero, "The interval to advance is negative: \(interval)")
    core.advance(by: Interval(interval))
  }

  /// Lets virtual time pass until no app is in the background any more: each has been suspended
  /// or has ended. Apps in the foreground stay there.
  ///
  /// Like `advance(by:)`, this function waits for async code only in a test whose device comes from
  /// `CurfewTesting`. Elsewhere, first await any `Task { }` that ends a background task.
  ///
  /// - Parameter limit: The longest time to let pass.
  /// - Returns: false if an app was still in the background at the limit, for instance because
  ///   a session was still on.
  @discardableResult
  public func finishBackgroundWork(within limit: Duration = .seconds(3600)) -> Bool {
    precondition(limit >= .zero, "The limit is negative: \(limit)")
    return core.advance(by: Interval(limit)) { state in
      state.apps.ids.allSatisfy { state.driver.engine.state(of: $0) != .background }
    }
  }

  /// The open tasks of all apps, by app and in the order in which they were begun.
  /// - Complexity: O(apps and open tasks).
  public var openTasks: [OpenTask] { apps.flatMap(\.openTasks) }

  /// The tasks that ended their processes because they were still open when their time was over.
  ///
  /// `#expect(device.leakedTasks.isEmpty)`.
  /// - Complexity: O(apps and their ends).
  public var leakedTasks: [OpenTask] {
    processEnds.filter { $0.reason == .backgroundTaskAssertionTimeout && $0.kind == .finiteTask }
      .flatMap(\.openTasks)
  }

  /// The ends of all processes, by app, oldest first.
  /// - Complexity: O(apps and their ends).
  public var processEnds: [ProcessEnd] { apps.flatMap(\.processEnds) }
}
