import CurfewSystem

extension App {
  /// The app in whose name the calling code runs; nil in a test's own code.
  ///
  /// In a test with a device (module `CurfewTesting`), this holds for callbacks, handlers, `run`,
  /// and all tasks that such code begins, also detached tasks, which inherit no task-local values.
  /// In real time, and on a virtual clock without `CurfewTesting`, it is the app in callbacks,
  /// in handlers on whatever queue they have, and in the synchronous `run`. It is nil elsewhere,
  /// also in the tasks that such code begins.
  /// - Complexity: O(1).
  public static var current: App? {
    if let process = AppProcess.current, process.core.work == nil {
      return process.isCalledHere ? App(core: process.core, id: process.app) : nil
    }
    guard let work = AttachedWork.current, work.isHere, let process = work.owner as? AppProcess
    else { return nil }
    return App(core: process.core, id: process.app)
  }
}

extension AppProcess {
  /// The place of a call of a process. Tasks that the call begins inherit the value, but run
  /// elsewhere, or are other tasks on the same thread.
  struct Call: Sendable {
    private let thread: ThreadID
    private let task: Int?
    /// Whether the call is a turn of the process's run loop, rather than a handler that has
    /// a queue.
    private let isTurn: Bool

    /// A call on this thread, in this task.
    static func here(isTurn: Bool) -> Call {
      Call(thread: .current, task: currentTask, isTurn: isTurn)
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Whether the calling code is in the call.
    var isHere: Bool { thread == .current && task == Self.currentTask }
    /// Whether the call is a turn that holds the calling thread.
    var isTurnOfThread: Bool { isTurn && thread == .current }
  }

  /// Calls a handler of a process on this thread, outside the turns of its run loop.
  static func inCall(of process: AppProcess?, _ body: () -> Void) {
    with(process, .here(isTurn: false), body)
  }

  /// Runs `body` as code of a process.
  /// - Parameter call: nil if `body` stays in the call in which the caller is.
  static func with<Result>(_ process: AppProcess?, _ call: Call? = nil, _ body: () throws -> Result)
    rethrows -> Result
  {
    try $caller.withValue(Caller(process: process, call: call ?? caller.call), operation: body)
  }

  /// Without async work: whether the calling code is in a call of the process. On a virtual clock
  /// the thread that delivers makes all calls.
  fileprivate var isCalledHere: Bool {
    AppProcess.caller.call?.isHere == true
      || core.clock == nil && core.withState { _ in core.pump?.thread == .current }
  }
}

/// The async work of the test in progress. Detached tasks and Dispatch's blocks inherit nothing
/// from which they could find their device.
enum AttachedWork {
  private static let lock = Lock()
  nonisolated(unsafe) private static var work: (any VirtualWork)?

  static var current: (any VirtualWork)? {
    get { lock.withLock { work } }
    set {
      // The old work is released outside the lock.
      var value = newValue
      lock.withLock { swap(&work, &value) }
    }
  }
}
