/// A device's own threads, in real time, for work that must not wait until a handler returns. No
/// handler of the program ever runs on them.
///
/// The device's own work uses one thread, which no code of the program can block: it notifies
/// readers and hands over large steps. Swift tasks are cancelled on other threads, because
/// a cancellation handler of the program (`onCancel`) may block. The threads are started when they
/// first have work.
final class DeviceLane: Sendable {
  /// The number of cancellations that may block before other cancellations wait and the program
  /// is notified.
  private static let limit = HandlerThreads.defaultLimit + HandlerThreads.defaultAbandonedLimit

  private let own = HandlerThreads(limit: 1, name: "curfew.lane")
  private let cancelling = HandlerThreads(
    limit: limit, name: "curfew.cancel", whenExhausted: HandlerThreads.complainOfCancellations)

  /// Runs work of the device soon, in the order of the calls; not on the calling thread.
  func hurry(_ work: @escaping @Sendable () -> Void) { own.execute(work) }

  /// Runs a cancellation soon; not on the calling thread.
  func cancel(_ work: @escaping @Sendable () -> Void) { cancelling.execute(work) }
}
