/// Runs apps' handlers for a device in real time.
///
/// A device hands over one app's work only when that app's last has returned, so an executor need
/// not keep any order; it may run as many as it likes at a time. An app's handler that blocks for
/// ever keeps whatever ran it. What a tick of the clock lets go of comes here too. Readers are
/// told, and Swift tasks cancelled, on a thread of the device's own, which no handler can keep.
public protocol HandlerExecutor: Sendable {
  /// Runs `work` soon, and not on the calling thread before this returns.
  func execute(_ work: @escaping @Sendable () -> Void)
}
