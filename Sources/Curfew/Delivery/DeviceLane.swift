/// A device's own threads, in real time, for work that must not wait until a handler returns.
///
/// The device's own work uses one thread, which no code of the program can block. On it, the device
/// notifies readers and hands over the remaining warnings of large steps. A recording has a thread
/// of its own, because its sink may block; readers are then notified there. Swift tasks are
/// cancelled on other threads, because a cancellation handler of the program (`onCancel`) may
/// block. If a tick has a single task to cancel, the tick's own thread may do so instead
/// (decision 0010). Blocks of `performExpiringActivity` run on the other threads too. The threads
/// are started when they first have work.
final class DeviceLane: Sendable {
  /// The number of cancellations that may block at once. If more block, further cancellations wait
  /// and the program is notified.
  private static let limit = HandlerThreads.defaultLimit + HandlerThreads.defaultAbandonedLimit

  private let own: HandlerThreads
  private let recording: HandlerThreads
  private let cancelling: HandlerThreads

  /// - Parameter onProblem: Called if the threads do not suffice, on any thread.
  init(onProblem: @escaping @Sendable (HandlerThreadProblem) -> Void) {
    own = HandlerThreads(limit: 1, name: "curfew.lane", onProblem: onProblem)
    recording = HandlerThreads(limit: 1, name: "curfew.recording", onProblem: onProblem)
    cancelling = HandlerThreads(
      limit: DeviceLane.limit, name: "curfew.cancel",
      whenExhausted: { onProblem(.cancellationsBlock($0)) }, onProblem: onProblem)
  }

  /// Schedules work of the device on the device's own thread. Work runs in the order of the calls.
  func hurry(_ work: @escaping @Sendable () -> Void) { own.execute(work) }

  /// Schedules the writing of a recording on its own thread.
  func record(_ work: @escaping @Sendable () -> Void) { recording.execute(work) }

  /// Schedules a cancellation on another thread.
  func cancel(_ work: @escaping @Sendable () -> Void) { cancelling.execute(work) }
}
