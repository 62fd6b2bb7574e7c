/// Runs apps' handlers for a device in real time.
///
/// A device hands over one app's work only after the app's previous work has returned, so an
/// executor need not keep any order, and it may run any number of works at a time. An app's handler
/// that blocks for ever keeps its thread. Objects that a tick of the clock releases are released
/// here too. Readers are notified and Swift tasks cancelled on threads of the device's own, which
/// no handler can block.
public protocol HandlerExecutor: Sendable {
  /// Runs `work` soon, but not on the calling thread before this returns.
  func execute(_ work: @escaping @Sendable () -> Void)
}
