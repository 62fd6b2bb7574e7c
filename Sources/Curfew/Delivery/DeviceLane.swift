/// Threads of a device's own, in real time, for what must not wait until somebody's handler
/// returns. No handler of a program's ever runs here.
///
/// What is the device's own goes by one thread, which nothing of a program's holds up: readers are
/// told, a large step is handed over. Swift tasks are cancelled on others, since what a program
/// does on being cancelled (`onCancel`) may block. All of them are started by the first work.
final class DeviceLane: Sendable {
  /// So many cancellations may block before others' wait; then the program is told.
  private static let limit = HandlerThreads.usualLimit + HandlerThreads.usualAbandonedLimit

  private let own = HandlerThreads(limit: 1, name: "curfew.lane")
  private let cancelling = HandlerThreads(limit: limit, name: "curfew.cancel")

  /// Does work of the device's own soon, after all that it was given before; not on the
  /// calling thread.
  func hurry(_ work: @escaping @Sendable () -> Void) { own.execute(work) }

  /// Cancels something soon; not on the calling thread.
  func cancel(_ work: @escaping @Sendable () -> Void) { cancelling.execute(work) }
}
