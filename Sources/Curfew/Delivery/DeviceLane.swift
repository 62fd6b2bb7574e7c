/// Threads of a device's own, in real time, for work that must not wait until a handler returns. No
/// handler of the program ever runs here.
///
/// The device's own work uses one thread, which no code of the program can block: it notifies
/// readers and hands over large steps. Swift tasks are cancelled on other threads, because
/// a cancellation handler of the program (`onCancel`) may block. The threads start with the
/// first work.
/// does on being cancelled (`onCancel`) may block. All of them are started by the first work.
final class DeviceLane: Sendable {
  /// The number of cancellations that may block before others wait and the program is notified.
  private static let limit = HandlerThreads.defaultLimit + HandlerThreads.defaultAbandonedLimit

  private let own = HandlerThreads(limit: 1, name: "curfew.lane")
  private let cancelling = HandlerThreads(limit: limit, name: "curfew.cancel")

  /// Does work of the device's own soon, in the order of the calls; not on the calling thread.
  func hurry(_ work: @escaping @Sendable () -> Void) { own.execute(work) }

  /// Cancels something soon; not on the calling thread.
  func cancel(_ work: @escaping @Sendable () -> Void) { cancelling.execute(work) }
}
