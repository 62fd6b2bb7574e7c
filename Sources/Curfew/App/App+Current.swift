import CurfewSystem

extension App {
  /// The app in whose name the calling code runs; nil in a test's own code.
  ///
  /// In a test with a device (module `CurfewTesting`), this holds for callbacks, handlers, `run`,
  /// and all tasks that such code begins, also detached tasks, which inherit no task-local values.
  /// In real time, and on a virtual clock without `CurfewTesting`, it is the app inside of
  /// callbacks, handlers and `run`, on the thread that calls them, and nil elsewhere.
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
  /// Without async work: whether the calling thread is in a call of the process. A task that was
  /// begun there inherits `current`, but is no part of the call.
  fileprivate var isCalledHere: Bool {
    AppProcess.callingThread == .current
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
