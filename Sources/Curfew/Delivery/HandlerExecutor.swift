/// Runs apps' handlers for a device in real time.
///
/// A device hands over one app's work only when that app's last has returned, so an executor need not keep any order; it may run as many as it likes
/// at a time. An app's handler that blocks for ever keeps whatever ran it. What the device lets go of or cancels on the side comes here too.
public protocol HandlerExecutor: Sendable {
  /// Runs `work` soon, and not on the calling thread before this returns.
  func execute(_ work: @escaping @Sendable () -> Void)
}
