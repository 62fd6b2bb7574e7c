package import CurfewSystem
internal import Foundation

/// Threads for apps' handlers: usually a few; more if handlers block, up to a limit.
///
/// Swift's own pool has as many threads as the machine has cores, and stalls when that many
/// handlers block; here each handler that does not return costs one thread. If work has waited
/// for two milliseconds and no thread has become free, new threads are started. They are kept. At
/// the limit, work waits until a thread becomes free, and `whenExhausted` is called once each time
/// the limit is reached.
///
/// A thread no longer counts towards the limit after its app's process has ended.
/// So a handler that never returns ends its app's process, but takes no thread from other apps. Up
/// to `abandonedLimit` threads may be exempt in this way; further threads count.
///
/// The threads block all signals except the signals of their own crashes and of profilers, so they
/// run no other signal handlers of the program.
public final class HandlerThreads: HandlerExecutor {
  /// The default limit: the number of handlers that may block at once.
  public static let defaultLimit = 64
  /// The default number of further threads that handlers of dead processes may hold.
  public static let defaultAbandonedLimit = 448

  private let pool: HandlerThreadPool

  /// Creates the pool. No thread is started before there is work.
  ///
  /// - Parameters:
  ///   - limit: The number of threads, at least one.
  ///   - abandonedLimit: The number of further threads that handlers of dead processes may hold, 0
  ///     or more.
  ///   - whenExhausted: Called with the number of threads when all of them are busy and work has
  ///     begun to wait; runs on a separate thread. The default writes a line to standard error.
  ///   - onThreadFailure: Called with the system's error number when a needed thread cannot be
  ///     started, once per series of failed attempts, on the thread that tried to start it.
  ///     While work waits, a watching thread tries again. If the watching thread cannot be started
  ///     either, the next work and the device's ticks try again. Meanwhile the existing threads
  ///     continue. The default writes a line to standard error.
  public convenience init(
    limit: Int = HandlerThreads.defaultLimit,
    abandonedLimit: Int = HandlerThreads.defaultAbandonedLimit,
    whenExhausted: (@Sendable (Int) -> Void)? = nil,
    onThreadFailure: (@Sendable (Int32) -> Void)? = nil
  ) {
    self.init(
      limit: limit, abandonedLimit: abandonedLimit, name: "curfew.handler", start: .system,
      whenExhausted: whenExhausted ?? { HandlerThreads.tell(.handlersBlock($0)) },
      onThreadFailure: onThreadFailure ?? { HandlerThreads.tell(.noThread($0)) })
  }

  /// Creates a pool with the default limits. `onProblem` is called where `whenExhausted` and
  /// `onThreadFailure` are.
  convenience init(onProblem: @escaping @Sendable (HandlerThreadProblem) -> Void) {
    self.init(
      whenExhausted: { onProblem(.handlersBlock($0)) },
      onThreadFailure: { onProblem(.noThread($0)) })
  }

  /// Creates a device's own pool, whose threads have another name and whose limit the program
  /// cannot change. The first work starts a thread at once; further threads start if work
  /// has waited.
  convenience init(
    limit: Int, name: String, whenExhausted: @escaping @Sendable (Int) -> Void = { _ in },
    onProblem: @escaping @Sendable (HandlerThreadProblem) -> Void
  ) {
    self.init(
      limit: limit, abandonedLimit: 0, name: name, start: .system, eager: 1,
      whenExhausted: whenExhausted, onThreadFailure: { onProblem(.noThread($0)) })
  }

  package init(
    limit: Int, abandonedLimit: Int, name: String, start: ThreadStart,
    eager: Int = max(2, ProcessInfo.processInfo.activeProcessorCount),
    whenExhausted: @escaping @Sendable (Int) -> Void,
    onThreadFailure: @escaping @Sendable (Int32) -> Void
  ) {
    precondition(limit >= 1, "The limit is \(limit) threads; it must be at least 1")
    precondition(
      abandonedLimit >= 0, "The limit is \(abandonedLimit) abandoned threads; it must be 0 or more")
    pool = HandlerThreadPool(
      limit: limit, abandonedLimit: abandonedLimit, name: name, start: start,
      eager: min(limit, eager), whenExhausted: whenExhausted,
      onThreadFailure: onThreadFailure)
  }

  deinit { pool.close() }

  /// The sentence about a pool whose handlers hold all of its threads.
  package static func exhaustion(_ threads: Int) -> String {
    let all = HandlerThreadProblem.all(threads)
    return
      "handlers block \(all) of a HandlerThreads; other handlers wait until one returns, or use a greater 'limit'"
  }

  /// Writes a problem to standard error, with the remedy if the program has one.
  static func tell(_ problem: HandlerThreadProblem) {
    let sentence =
      if case .handlersBlock(let threads) = problem { exhaustion(threads) } else { "\(problem)" }
    FileHandle.standardError.write(Data("Curfew: \(sentence)\n".utf8))
  }

  /// Runs `work` on one of the threads.
  /// - Complexity: O(1).
  public func execute(_ work: @escaping @Sendable () -> Void) { pool.execute(work, for: nil) }

  /// Runs `work` for a process, which may end meanwhile.
  package func execute(for occupant: Occupant, _ work: @escaping @Sendable () -> Void) {
    pool.execute(work, for: occupant)
  }

  /// Tries again to start a thread if the last attempt failed and work waits.
  func retry() { pool.retry() }

  /// Notes that a process has died: a thread that one of its handlers holds no longer counts.
  package func abandon(_ occupant: Occupant) { pool.abandon(occupant) }

  /// The number of threads that count towards the limit, and how many of them run a handler or are
  /// about to.
  public var counts: (threads: Int, busy: Int) { pool.counts }

  /// The number of threads that do not count, because handlers of dead processes hold them.
  public var abandonedCount: Int { pool.abandonedCount }

  /// A process as the pool sees it. A process holds at most one thread, perhaps after its end. The
  /// pool's lock guards all properties.
  package final class Occupant: @unchecked Sendable {
    /// The number of the work for which the process holds a thread. The thread of its previous work
    /// may not be back in the pool yet.
    var work: UInt64?
    var isAbandoned = false
    /// Whether the thread that the process holds no longer counts.
    var isUncounted = false

    package init() {}
  }
}
