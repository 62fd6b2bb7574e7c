internal import CurfewEngine
import CurfewSystem

extension App {
  /// `ProcessInfo.performExpiringActivity(withReason:using:)`: does something under a background
  /// task of its own, which ends when `block` returns.
  ///
  /// `block` is called with false, once the task has begun. When the app's time is nearly over
  /// and it has not returned, it is called a second time, with true, beside the first call: that
  /// has to tell the first to come to its end. Where no task can be begun, the app does not run,
  /// or the time is up before the first call has begun, it is called once, with true.
  ///
  /// In real time this returns at once, and each call has a thread of its own. On a virtual clock
  /// there are no other threads: this returns when `block` has, and the second call comes from
  /// within the first, if that lets time pass (`advance(by:)`) and was not made in one of the app's
  /// callbacks, whose turn it would be. A `block` that waits there for its second call waits
  /// for ever.
  /// - Parameters:
  ///   - reason: The background task's name.
  ///   - block: Told whether the time is up.
  public func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
  ) {
    let order = CallOrder()
    let request = TaskBegin(
      name: reason, origin: core.caller, handler: .cancelling { if order.expire() { block(true) } })
    let task = core.beginTask(id, request).identifier
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

/// Which comes first, the call or the end of its time.
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

  /// - Returns: Whether the call has begun, and is to be told.
  func expire() -> Bool {
    lock.withLock {
      isExpired = true
      return hasBegun
    }
  }
}
