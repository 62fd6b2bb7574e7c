package import CurfewSystem
internal import Foundation

/// Threads for apps' handlers: a few as a rule, more while some block, never more than a limit.
///
/// Swift's own pool has as many threads as the machine has cores, and stalls when so many handlers
/// block; here each handler that does not return costs one thread. Work that has waited for two
/// milliseconds while no thread came free gets new ones, which then stay. At the limit it waits
/// until one comes free, and `whenExhausted` is told once for each time that it comes to that.
///
/// A thread whose app's process has ended counts no more: a handler that never returns costs its
/// app a process, and other apps nothing. There may be `abandonedLimit` of these threads; what goes
/// beyond counts again.
///
/// None of the threads takes a signal of the program's.
public final class HandlerThreads: HandlerExecutor {
  /// How many there may be unless told otherwise: so many apps may block at once.
  public static let usualLimit = 64
  /// How many more may be held by handlers of dead processes unless told otherwise.
  public static let usualAbandonedLimit = 448

  private let pool: HandlerThreadPool

  /// Threads, none of them started before there is work.
  ///
  /// - Parameters:
  ///   - limit: How many there may be, at least one.
  ///   - abandonedLimit: How many more there may be that handlers of dead processes hold, 0
  ///     or more.
  ///   - whenExhausted: Called with the number of threads when all that there may be are busy
  ///     and work has begun to wait; on a thread of its own. Without it a line on standard error
  ///     says so.
  ///   - whenUnstartable: Called with the system's error number when a thread that is needed cannot
  ///     be started, once for each time that it comes to that. It is called by whoever needed
  ///     the thread. It is tried again while work waits: by a thread that watches, and if not even
  ///     that could be started, with the next work and at the device's ticks. Work goes on with
  ///     the threads there are. Without it a line on standard error says so.
  public convenience init(
    limit: Int = HandlerThreads.usualLimit,
    abandonedLimit: Int = HandlerThreads.usualAbandonedLimit,
    whenExhausted: (@Sendable (Int) -> Void)? = nil,
    whenUnstartable: (@Sendable (Int32) -> Void)? = nil
  ) {
    self.init(
      limit: limit, abandonedLimit: abandonedLimit, name: "curfew.handler", start: .system,
      whenExhausted: whenExhausted ?? HandlerThreads.complain,
      whenUnstartable: whenUnstartable ?? HandlerThreads.complain)
  }

  /// Threads of another name, which start with one.
  convenience init(limit: Int, name: String) {
    self.init(
      limit: limit, abandonedLimit: 0, name: name, start: .system, eager: 1,
      whenExhausted: HandlerThreads.complain,
      whenUnstartable: HandlerThreads.complain)
  }

  package init(
    limit: Int, abandonedLimit: Int, name: String, start: ThreadStart,
    eager: Int = max(2, ProcessInfo.processInfo.activeProcessorCount),
    whenExhausted: @escaping @Sendable (Int) -> Void,
    whenUnstartable: @escaping @Sendable (Int32) -> Void
  ) {
    precondition(limit >= 1, "A limit of \(limit) threads; at least 1 is needed")
    precondition(
      abandonedLimit >= 0, "A limit of \(abandonedLimit) abandoned threads; 0 or more are possible")
    pool = HandlerThreadPool(
      limit: limit, abandonedLimit: abandonedLimit, name: name, start: start,
      eager: min(limit, eager), whenExhausted: whenExhausted,
      whenUnstartable: whenUnstartable)
  }

  deinit { pool.close() }

  private static func complain(_ threads: Int) {
    tell("handlers block all \(threads) threads; others wait until one returns")
  }

  private static func complain(_ error: Int32) {
    tell(
      "no thread can be started for apps' handlers (\(String(cString: strerror(error)))); they wait for one, and it is tried again"
    )
  }

  private static func tell(_ sentence: String) {
    FileHandle.standardError.write(Data("Curfew: \(sentence)\n".utf8))
  }

  /// Runs `work` on one of the threads.
  /// - Complexity: O(1).
  public func execute(_ work: @escaping @Sendable () -> Void) { pool.execute(work, for: nil) }

  /// The same for a process, which may die meanwhile.
  package func execute(for occupant: Occupant, _ work: @escaping @Sendable () -> Void) {
    pool.execute(work, for: occupant)
  }

  /// Tries again to start a thread where one could not be started and work waits.
  func retry() { pool.retry() }

  /// A process has died: if a handler of it holds a thread, that counts no more.
  package func abandon(_ occupant: Occupant) { pool.abandon(occupant) }

  /// How many threads there are now that count towards the limit, and how many of them run
  /// a handler or are about to.
  public var counts: (threads: Int, busy: Int) { pool.counts }

  /// How many threads are held by handlers of dead processes and do not count.
  public var abandonedCount: Int { pool.abandonedCount }

  /// A process, as the threads see it: it holds at most one, perhaps longer than it lives. The
  /// pool's lock guards all of it.
  package final class Occupant: @unchecked Sendable {
    /// The number of the work that it holds a thread with. The thread of its work before may
    /// not have come back yet.
    var work: UInt64?
    var isAbandoned = false
    /// Whether the thread that it holds has been taken out of the count.
    var isUncounted = false

    package init() {}
  }
}
