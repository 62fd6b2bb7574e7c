internal import Foundation

/// Threads for apps' handlers: a few as a rule, more while some block, never more than a limit.
///
/// Swift's own pool has as many threads as the machine has cores, and stalls when so many handlers block; here each handler that does not return costs
/// one thread. Work that has waited for two milliseconds while no thread came free gets a new one, which then stays. At the limit it waits until one comes free, and
/// `whenExhausted` is told once for each time that it comes to that.
public final class HandlerThreads: HandlerExecutor {
  /// How many there may be unless told otherwise: so many apps may block at once.
  public static let usualLimit = 64

  private let pool: Pool

  /// Threads, none of them started before there is work.
  ///
  /// - Parameters:
  ///   - limit: How many there may be, at least one.
  ///   - whenExhausted: Called with the limit when all of them are busy and work has begun to wait; on a thread of its own. Without it a line on standard error says so.
  public init(limit: Int = HandlerThreads.usualLimit, whenExhausted: (@Sendable (Int) -> Void)? = nil) {
    precondition(limit >= 1, "A limit of \(limit) threads")
    pool = Pool(limit: limit, whenExhausted: whenExhausted ?? HandlerThreads.complain)
  }

  deinit { pool.close() }

  private static func complain(_ limit: Int) {
    let line = "Curfew: handlers block all \(limit) threads; other apps' wait until one returns\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  /// Runs `work` on one of the threads.
  /// - Complexity: O(1).
  public func execute(_ work: @escaping @Sendable () -> Void) { pool.execute(work) }

  /// How many threads there are now, and how many of them run a handler or are about to.
  public var counts: (threads: Int, busy: Int) { pool.counts }
}

/// What the threads share. They hold this and not the handle, so that letting go of the handle ends them.
private final class Pool: @unchecked Sendable {
  /// In seconds.
  private static let patience = 0.002

  private let lock = Lock()
  /// What the watcher waits for while nothing is to be watched.
  private let bell = DispatchSemaphore(value: 0)
  private let limit: Int
  private let eager: Int
  private let whenExhausted: @Sendable (Int) -> Void

  private var queue: [@Sendable () -> Void] = []
  private var first = 0
  private var threads = 0
  /// Threads that have been started and have not looked yet.
  private var starting = 0
  private var idle = 0
  /// Idle threads that have been called and have not looked yet.
  private var called = 0
  private var taken: UInt64 = 0
  private var isClosed = false
  private var hasWatcher = false
  private var isWatching = false
  /// Whether all threads that there may be are busy, while work waits, and it has been told.
  private var isExhausted = false

  init(limit: Int, whenExhausted: @escaping @Sendable (Int) -> Void) {
    self.limit = limit
    self.whenExhausted = whenExhausted
    eager = min(limit, max(2, ProcessInfo.processInfo.activeProcessorCount))
  }

  var counts: (threads: Int, busy: Int) { lock.withLock { (threads, threads - idle) } }

  func close() {
    lock.withLock {
      isClosed = true
      lock.broadcast()
    }
    bell.signal()
  }

  func execute(_ work: @escaping @Sendable () -> Void) {
    let isThreadIdle = lock.withLock {
      guard !isClosed else { return false }
      queue.append(work)
      if idle > called {
        called += 1
        return true
      }
      if threads < eager { startThread() } else { watch() }
      return false
    }
    // Outside the lock, which the thread that is called wants first of all.
    if isThreadIdle { lock.signal() }
  }

  /// Has the queue watched while work waits; not while every thread there may be is known to be busy, when nothing is to be done.
  private func watch() {
    guard !isWatching, !isExhausted else { return }
    isWatching = true
    if hasWatcher {
      bell.signal()
    } else {
      hasWatcher = true
      start(named: "curfew.watch") { $0.runWatcher() }
    }
  }

  private func startThread() {
    threads += 1
    starting += 1
    start(named: "curfew.handler") { $0.runThread() }
  }

  private func start(named name: String, _ body: @escaping @Sendable (Pool) -> Void) {
    Thread.detachNewThread { [self] in
      // Named from inside: a name given before the start does not reach the kernel on Linux.
      Thread.current.name = name
      body(self)
    }
  }

  private func runThread() {
    lock.lock()
    starting -= 1
    while true {
      if first < queue.count {
        if isExhausted {
          isExhausted = false
          if first + 1 < queue.count { watch() }
        }
        runNext()
        lock.lock()
      } else if isClosed {
        break
      } else {
        idle += 1
        lock.wait()
        idle -= 1
        called = max(0, called - 1)
      }
    }
    threads -= 1
    lock.unlock()
  }

  /// Runs what waits first. The lock is held on the way in and not on the way out: by then the work is gone, and with it perhaps the last that held this pool open.
  private func runNext() {
    let work = queue[first]
    queue[first] = {}
    first += 1
    if first > 64, first > queue.count / 2 {
      queue.removeFirst(first)
      first = 0
    }
    if first == queue.count {
      queue.removeAll(keepingCapacity: true)
      first = 0
    }
    taken &+= 1
    lock.unlock()
    work()
  }

  private func runWatcher() {
    repeat {
      watchQueue()
      bell.wait()
    } while !lock.withLock { isClosed }
  }

  /// Runs while work waits: starts a thread whenever none has taken any for a while.
  private func watchQueue() {
    var before = lock.withLock { taken }
    while true {
      Thread.sleep(forTimeInterval: Pool.patience)
      lock.lock()
      let isStuck = taken == before
      before = taken
      let isShort = isStuck && first < queue.count && idle == 0 && starting == 0
      isExhausted = isShort && threads == limit
      if isShort, !isExhausted { startThread() }
      let (isOver, tells) = (first == queue.count || isClosed || isExhausted, isExhausted)
      if isOver { isWatching = false }
      lock.unlock()
      if tells { whenExhausted(limit) }
      if isOver { return }
    }
  }
}
