internal import CurfewEngine
import CurfewSystem

extension App {
  /// `ProcessInfo.performExpiringActivity(withReason:using:)`: runs `block` under a separate
  /// background task, which ends when `block` returns.
  ///
  /// `block` is called with false after the task has begun. If `block` has not returned when
  /// the app's time is nearly over, it is called a second time, with true, while the first call
  /// is still running. The second call must make the first call finish. `block` is called only
  /// once, with true, if no task can be begun, if the app is not running, or if the time is up
  /// before the first call has begun.
  ///
  /// This function returns at once, and `block` has a thread of its own, which it may block. On
  /// a virtual clock this holds in a test with a device (module `CurfewTesting`). Without one this
  /// function returns when `block` has returned, and the second call is made from within the first,
  /// if the first lets time pass (`advance(by:)`).
  /// - Parameters:
  ///   - reason: The background task's name.
  ///   - block: Receives true if the time is up.
  public func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
  ) {
    let order = CallOrder()
    let request = TaskBegin(
      name: reason, origin: core.caller, handler: .cancelling { if order.expire() { block(true) } })
    let task = core.beginTask(id, request)
    let process = core.withState { $0.apps[id].process }
    let activity: @Sendable () -> Void = {
      AppProcess.inCall(of: task == .invalid ? AppProcess.current : process) {
        block(order.begin() || task == .invalid)
        endBackgroundTask(task)
      }
    }
    if let lane = core.lane { return lane.cancel(activity) }
    if let process, let work = core.work, work.start(for: process, activity) { return }
    activity()
  }
}

/// The order of two events: the call of the block, and the end of its time.
private final class CallOrder: @unchecked Sendable {
  private let lock = Lock()
  private var hasBegun = false
  private var isExpired = false

  /// - Returns: Whether the time is up already.
  func begin() -> Bool {
    lock.withLock {
      hasBegun = true
      return isExpired
    }
  }

  /// - Returns: Whether the call has begun, so that the second call must be made.
  func expire() -> Bool {
    lock.withLock {
      isExpired = true
      return hasBegun
    }
  }
}
