/// Threads of a device's own, in real time, for short work that must not wait until somebody's handler returns: readers are told, Swift tasks cancelled.
///
/// One thread as a rule, started by the first work. What a program does on being cancelled runs here too, and may block: then there are more. No handler of a program's ever runs here.
final class DeviceLane: Sendable {
  /// So many cancellations may block at once before others' wait.
  private static let limit = 64

  private let threads = HandlerThreads(limit: limit, name: "curfew.lane")

  /// Does `work` soon; not on the calling thread. What must come one after the other asks for the next itself.
  func execute(_ work: @escaping @Sendable () -> Void) { threads.execute(work) }
}
