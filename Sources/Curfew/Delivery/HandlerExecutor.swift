/// Runs apps' handlers for a device in real time.
///
/// A device hands over one app's work only after the app's previous work has returned, so an
/// executor need not keep any order, and may run any number of handlers at a time. A handler that
/// never returns keeps its thread. The executor also releases the objects that a tick of the clock
/// no longer needs. Readers are notified, and Swift tasks cancelled, on the device's own threads,
/// which no handler can block.
public protocol HandlerExecutor: Sendable {
  /// Runs `work` soon, but not on the calling thread before this function returns.
  func execute(_ work: @escaping @Sendable () -> Void)
}
