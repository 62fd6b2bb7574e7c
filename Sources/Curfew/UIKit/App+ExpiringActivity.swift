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
  /// In real time this function returns at once, and each call of `block` has its own thread.
  /// On a virtual clock there are no other threads: this function returns when `block` has
  /// returned. The second call is then made from within the first, if the first lets time pass
  /// (`advance(by:)`) and was not made in one of the app's callbacks, which would delay the second
  /// call. On a virtual clock, a `block` that waits for its second call waits for ever.
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
      AppProcess.$current.withValue(task == .invalid ? AppProcess.current : process) {
        block(order.begin() || task == .invalid)
        endBackgroundTask(task)
      }
    }
    if let lane = core.lane { lane.cancel(activity) } else { activity() }
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
