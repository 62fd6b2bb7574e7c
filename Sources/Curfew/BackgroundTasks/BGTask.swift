internal import CurfewEngine
import CurfewSystem
import Dispatch

/// `BGTask`: a request that has been started. The app runs until the task is completed, or until
/// the policy's time for it is over (rules W2, W6). The task stands for the wake that a delegate
/// would receive.
public class BGTask: @unchecked Sendable {
  /// `identifier`: the identifier of the request.
  public let identifier: String
  private let wake: Wake
  /// Weak, to avoid a cycle: the handler usually refers to the task.
  private weak var expiration: TaskExpiration?

  fileprivate init(_ wake: Wake, _ identifier: String, _ expiration: TaskExpiration) {
    (self.identifier, self.wake, self.expiration) = (identifier, wake, expiration)
  }

  /// `expirationHandler`: called once, when only the policy's `warning` is left of the task's time,
  /// or when the user returns to the device during processing. The property is nil again after
  /// the handler has returned. The handler must make sure that the task is completed: a task that
  /// is still open at the end of its time is an overrun (rule W2). Under `ios13`, an overrun of app
  /// refresh terminates the process.
  ///
  /// Without a handler, the task is completed at that instant, without success. A handler that is
  /// set after another has been called is not called. The handler is kept until the task is over.
  public var expirationHandler: (() -> Void)? {
    get { expiration?.handler }
    set { expiration?.handler = newValue }
  }

  /// `setTaskCompleted(success:)`: the app is done with this task. A second call gives the
  /// diagnostic `alreadyCompleted`. A call after the end of the task's time or of its process has
  /// no effect.
  /// - Parameter success: A task that did not succeed is not started again automatically: submit
  ///   another request.
  public func setTaskCompleted(success: Bool) { wake.complete(success ? .newData : .failed) }
}

/// `BGAppRefreshTask`: the task of a started `BGAppRefreshTaskRequest`.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// `BGProcessingTask`: the task of a started `BGProcessingTaskRequest`.
public final class BGProcessingTask: BGTask, @unchecked Sendable {}

/// The handler that an app has registered for an identifier.
struct LaunchHandler: Sendable {
  /// The queue that runs the handler.
  let queue: HandlerQueue
  let body: @Sendable (BGTask) -> Void

  init(queue: DispatchQueue?, body: @escaping @Sendable (BGTask) -> Void) {
    self.queue = HandlerQueue(queue)
    self.body = body
  }
}

/// The expiration handler of a task. The wake keeps it until the wake is over.
private final class TaskExpiration: @unchecked Sendable {
  private let wake: Wake
  private let queue: HandlerQueue
  private let lock = Lock()
  private var kept: (() -> Void)?

  init(_ wake: Wake, _ queue: HandlerQueue) { (self.wake, self.queue) = (wake, queue) }

  var handler: (() -> Void)? {
    get { lock.withLock { kept } }
    set {
      // The old handler is released outside the lock.
      var handler = newValue
      lock.withLock { swap(&kept, &handler) }
    }
  }

  func expire() {
    guard let kept = handler else {
      wake.endUnhandled()
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
  /// Calls the handler that the app has registered for the request of a wake.
  /// - Returns: Whether there is such a handler; if not, the delegate receives the wake.
  /// - Throws: `SchedulerException` if the request was submitted to the scheduler and this process
  ///   has registered no handler for it.
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

  /// Runs code of the app on a queue. In real time it runs soon, if the process is still
  /// alive then.
  fileprivate func run(on queue: HandlerQueue, _ work: @escaping @Sendable () -> Void) {
    guard core.clock != nil else { return runInTurn(on: queue, work) }
    queue.queue.async { [self] in
      guard core.withState({ _ in isAlive }) else { return }
      AppProcess.inCall(of: self, work)
    }
  }

  /// On a virtual clock: runs code of the app as part of the present turn. The clock waits for it.
  private func runInTurn(on queue: HandlerQueue, _ work: @escaping @Sendable () -> Void) {
    let task = core.withState { _ in turnTask }
    let isMain = queue.isMain
    let call: @Sendable () -> Void = { [self] in
      AppProcess.inCall(of: self) { asTurn { if isMain { work() } else { queue.run(work) } } }
    }
    // A thread that holds the queue must not wait for another thread that needs it.
    if queue.isCurrent {
      call()
    } else {
      if !isMain, core.work?.isHere != true { queue.waitUntilFree() }
      core.run(onMainActor: isMain, call)
    }
    core.withState { _ in turnTask = task }
  }
}
