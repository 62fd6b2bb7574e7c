internal import CurfewEngine

/// Helpers for tests: time on demand, and what should not be left.
extension Device {
  /// Lets so much virtual time pass. Everything that is due meanwhile happens at its own instant,
  /// handlers included, on this thread, before it returns.
  ///
  /// A handler may call it as well, which is how a handler takes long. While another thread
  /// is in the middle of a call of the device's, this one waits for it.
  ///
  /// In a test that has its device from `CurfewTesting`, async code is part of it: at each instant
  /// all of it comes to rest. Elsewhere work that handlers start with `Task { }` goes on in real
  /// time, beside the virtual clock: await it yourself, `await task.value`, before you let time
  /// pass, or let time pass by `settle(advancing:)`.
  ///
  /// Where apps cause their own calls at one instant, it returns at that instant with a
  /// ``DeviceDiagnostic/Cause/standstill(_:)`` (rule C4). A loop around it that waits for `now`
  /// does not end then.
  /// - Precondition: The clock is virtual.
  public func advance(by interval: Duration) {
    precondition(interval >= .zero, "Time goes backwards by \(interval)")
    core.advance(by: Interval(interval))
  }

  /// Lets virtual time pass until no app is in the background any more: each has been suspended,
  /// or has ended. Apps that are in front stay there.
  ///
  /// Like `advance(by:)` it waits for async code only in a test that has its device from
  /// `CurfewTesting`: elsewhere what ends its background task in a `Task { }` has to be
  /// awaited first.
  ///
  /// - Parameter limit: The longest that it waits.
  /// - Returns: false if somebody was still in the background when the limit was over: a session
  ///   goes on, for instance.
  @discardableResult
  public func finishBackgroundWork(within limit: Duration = .seconds(3600)) -> Bool {
    precondition(limit >= .zero, "A limit of \(limit)")
    return core.advance(by: Interval(limit)) { state in
      state.apps.ids.allSatisfy { state.driver.engine.state(of: $0) != .background }
    }
  }

  /// The tasks that apps hold open, by app and in the order in which they were begun.
  /// - Complexity: O(apps and open tasks).
  public var openTasks: [OpenTask] { apps.flatMap(\.openTasks) }

  /// The tasks that took their processes along because they were still open when their time
  /// was over.
  ///
  /// `#expect(device.leakedTasks.isEmpty)`.
  /// - Complexity: O(apps and their ends).
  public var leakedTasks: [OpenTask] {
    processEnds.filter { $0.reason == .backgroundTaskAssertionTimeout && $0.kind == .finiteTask }
      .flatMap(\.openTasks)
  }

  /// How processes have ended, by app and the first first.
  /// - Complexity: O(apps and their ends).
  public var processEnds: [ProcessEnd] { apps.flatMap(\.processEnds) }
}
