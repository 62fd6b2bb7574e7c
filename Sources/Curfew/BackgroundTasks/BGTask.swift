internal import CurfewEngine
import CurfewSystem
import Dispatch

/// `BGTask`: a request that has been started: the app runs until it is completed, or for as long as
/// the policy lets it (rules W2, W6). It is the wake that a delegate would get.
public class BGTask: @unchecked Sendable {
  /// `identifier`: the request's.
  public let identifier: String
  private let wake: Wake
  /// Not kept by what it calls, which nearly always knows the task.
  private weak var expiration: TaskExpiration?

  fileprivate init(_ wake: Wake, _ identifier: String, _ expiration: TaskExpiration) {
    (self.identifier, self.wake, self.expiration) = (identifier, wake, expiration)
  }

  /// `expirationHandler`: called once, shortly before the end of the task's time as the policy's
  /// `warning` says, or when the user comes back while it processes; nil again when it has
  /// returned. It has to see to it that the task is completed: one that is not at the end of its
  /// time is overrun (rule W2), which in `ios13` ends the process for app refresh.
  ///
  /// A task without a handler is completed at that instant instead, without success. A second
  /// handler, which is set when the first has been called, is not. Kept until the task is over.
  public var expirationHandler: (() -> Void)? {
    get { expiration?.handler }
    set { expiration?.handler = newValue }
  }

  /// `setTaskCompleted(success:)`: the app is done with this task. A second call, or one after its
  /// time or its process has ended, does nothing.
  /// - Parameter success: A task without success is not started again by itself: submit
  ///   another request.
  public func setTaskCompleted(success: Bool) { wake.complete(success ? .newData : .failed) }
}

/// `BGAppRefreshTask`: what a `BGAppRefreshTaskRequest` has led to.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// `BGProcessingTask`: what a `BGProcessingTaskRequest` has led to.
public final class BGProcessingTask: BGTask, @unchecked Sendable {}

/// What an app has registered for an identifier.
struct LaunchHandler: Sendable {
  /// In real time; nil for the app's run loop.
  let queue: DispatchQueue?
  let body: @Sendable (BGTask) -> Void
}

/// What is done when a task's time is nearly over. Its wake keeps it until that is over.
private final class TaskExpiration: @unchecked Sendable {
  private let wake: Wake
  private let queue: DispatchQueue?
  private let lock = Lock()
  private var kept: (() -> Void)?

  init(_ wake: Wake, _ queue: DispatchQueue?) { (self.wake, self.queue) = (wake, queue) }

  var handler: (() -> Void)? {
    get { lock.withLock { kept } }
    set {
      // What was kept ends outside the lock.
      var handler = newValue
      lock.withLock { swap(&kept, &handler) }
    }
  }

  func expire() {
    guard let kept = handler else {
      wake.complete(.failed)
      return
    }
    nonisolated(unsafe) let handler = kept
    wake.process.run(on: queue) { [self] in
      handler()
      self.handler = nil
    }
  }
}

extension AppProcess {
  /// Calls what the app has registered for a wake's request.
  /// - Returns: Whether it has: else the wake is the delegate's.
  /// - Throws: `SchedulerException` where the request was the scheduler's and this process has
  ///   registered nothing for it.
  func launch(_ wake: Wake) throws -> Bool {
    guard let identifier = wake.identifier, wake.kind == .appRefresh || wake.kind == .processing
    else { return false }
    let (handler, isOfScheduler) = core.withState {
      (launchHandlers[identifier], $0.isOfScheduler(identifier, app))
    }
    guard let handler else {
      if isOfScheduler { throw SchedulerException.unregistered(identifier) }
      return false
    }
    let expiration = TaskExpiration(wake, handler.queue)
    wake.expirationHandler = { expiration.expire() }
    let task =
      wake.kind == .appRefresh
      ? BGAppRefreshTask(wake, identifier, expiration)
      : BGProcessingTask(wake, identifier, expiration)
    run(on: handler.queue) { handler.body(task) }
    return true
  }

  /// Runs what is the app's own: here, or in real time on the queue that the program has named, if
  /// the process still lives then.
  fileprivate func run(on queue: DispatchQueue?, _ work: @escaping @Sendable () -> Void) {
    guard let queue, core.clock != nil else { return work() }
    queue.async { [self] in
      guard core.withState({ _ in isAlive }) else { return }
      AppProcess.$current.withValue(self, operation: work)
    }
  }
}
