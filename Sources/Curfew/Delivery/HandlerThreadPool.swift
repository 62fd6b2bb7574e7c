import CurfewSystem
internal import Foundation

/// The state that the threads share. The threads hold this object, not the handle, so that they end
/// when the handle is released.
final class HandlerThreadPool: @unchecked Sendable {
  private struct Work {
    var run: @Sendable () -> Void = {}
    var occupant: HandlerThreads.Occupant?
  }

  /// The time, in seconds, for which work waits before it gets a new thread; also the longest wait
  /// before another attempt after a failure.
  private static let patience = 0.002
  private static let longestPatience = 0.1

  private let lock = Lock()
  /// Wakes the watcher when there is something to watch.
  private let bell = DispatchSemaphore(value: 0)
  private let limit: Int
  private let abandonedLimit: Int
  private let eager: Int
  private let name: String
  private let starter: ThreadStart
  private let whenExhausted: @Sendable (Int) -> Void
  private let onThreadFailure: @Sendable (Int32) -> Void

  private var queue: [Work] = []
  private var first = 0
  /// Threads that count, and threads that handlers of dead processes hold.
  private var threads = 0
  private var abandoned = 0
  /// Dead processes whose threads still count, because `abandonedLimit` is reached.
  private var overflow: [HandlerThreads.Occupant] = []
  /// Threads that have been started and have not yet looked for work.
  private var starting = 0
  private var idle = 0
  /// Idle threads that have been signalled and have not yet looked for work.
  private var called = 0
  private var taken: UInt64 = 0
  private var isClosed = false
  private var hasWatcher = false
  private var isWatching = false
  /// Whether all allowed threads are busy while work waits, and this has been reported.
  private var isExhausted = false
  /// The system's error from the latest start of a thread; 0 if it succeeded.
  private var startError: Int32 = 0
  /// An error that is still to be reported, outside the lock.
  private var untoldError: Int32 = 0

  init(
    limit: Int, abandonedLimit: Int, name: String, start: ThreadStart, eager: Int,
    whenExhausted: @escaping @Sendable (Int) -> Void,
    onThreadFailure: @escaping @Sendable (Int32) -> Void
  ) {
    (self.limit, self.abandonedLimit, self.name, starter) = (limit, abandonedLimit, name, start)
    (self.whenExhausted, self.onThreadFailure) = (whenExhausted, onThreadFailure)
    self.eager = eager
  }

  var counts: (threads: Int, busy: Int) { lock.withLock { (threads, threads - idle) } }
  var abandonedCount: Int { lock.withLock { abandoned } }

  func close() {
    lock.withLock {
      isClosed = true
      lock.broadcast()
    }
    bell.signal()
  }

  func execute(_ work: @escaping @Sendable () -> Void, for occupant: HandlerThreads.Occupant?) {
    lock.lock()
    guard !isClosed else { return lock.unlock() }
    queue.append(Work(run: work, occupant: occupant))
    let isThreadIdle = idle > called
    if isThreadIdle { called += 1 } else if threads >= eager || !startThread() { watch() }
    unlockAndTell()
    // Outside the lock, because the signalled thread takes it first.
    if isThreadIdle { lock.signal() }
  }

  func retry() {
    lock.lock()
    guard startError != 0, first < queue.count, threads == 0 || !hasWatcher else {
      return lock.unlock()
    }
    if threads >= eager || !startThread() { watch() }
    unlockAndTell()
  }

  func abandon(_ occupant: HandlerThreads.Occupant) {
    lock.lock()
    occupant.isAbandoned = true
    if occupant.work != nil, !occupant.isUncounted {
      if abandoned < abandonedLimit { takeOut(occupant) } else { overflow.append(occupant) }
    }
    unlockAndTell()
  }

  /// Stops counting the thread that a dead process holds.
  private func takeOut(_ occupant: HandlerThreads.Occupant) {
    occupant.isUncounted = true
    abandoned += 1
    threads -= 1
    // There is room for another thread.
    isExhausted = false
    if first < queue.count { watch() }
  }

  // MARK: Starting threads

  /// Starts a thread, and returns whether that succeeded. The lock is held.
  private func startThread() -> Bool {
    threads += 1
    starting += 1
    let answer = starter.start(name) { [self] in runThread() }
    note(answer)
    guard answer != 0 else { return true }
    threads -= 1
    starting -= 1
    return false
  }

  /// Makes the watcher watch the queue while work waits. Does nothing if all allowed threads are
  /// known to be busy. The lock is held.
  private func watch() {
    guard !isWatching, !isExhausted else { return }
    isWatching = true
    if hasWatcher {
      bell.signal()
      return
    }
    let answer = starter.start("curfew.watch") { [self] in runWatcher() }
    note(answer)
    // Without a watcher, the next caller tries again.
    (hasWatcher, isWatching) = (answer == 0, answer == 0)
  }

  private func note(_ answer: Int32) {
    if answer != 0, startError == 0 { untoldError = answer }
    startError = answer
  }

  /// The lock is held on entry and released on return.
  private func unlockAndTell() {
    let error = untoldError
    untoldError = 0
    lock.unlock()
    if error != 0 { onThreadFailure(error) }
  }

  // MARK: A thread

  private func runThread() {
    lock.lock()
    starting -= 1
    while true {
      if first < queue.count {
        if isExhausted {
          isExhausted = false
          if first + 1 < queue.count { watch() }
        }
        // A thread that held a dead process has been replaced, and is now superfluous.
        guard runNext() else { return lock.unlock() }
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

  /// Runs the first waiting work, without the lock. The work is released before the lock is taken
  /// again; this may release the last reference to the handle.
  /// - Returns: Whether the thread still counts.
  private func runNext() -> Bool {
    let (number, occupant) = runFirst()
    lock.lock()
    // Another thread may already have the process's next work.
    guard let occupant, occupant.work == number else { return true }
    occupant.work = nil
    guard occupant.isUncounted else {
      overflow.removeAll { $0 === occupant }
      return true
    }
    occupant.isUncounted = false
    abandoned -= 1
    if let next = overflow.popLast() { takeOut(next) }
    guard threads < limit else { return false }
    threads += 1
    return true
  }

  /// The lock is held on entry and released on return.
  /// - Returns: The work's number and its process.
  private func runFirst() -> (UInt64, HandlerThreads.Occupant?) {
    let work = queue[first]
    queue[first] = Work()
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
    let number = taken
    // Work of a dead process only notices that the process is dead.
    if work.occupant?.isAbandoned == false { work.occupant?.work = number }
    unlockAndTell()
    work.run()
    return (number, work.occupant)
  }

  // MARK: The watcher

  private func runWatcher() {
    repeat {
      watchQueue()
      bell.wait()
    } while !lock.withLock { isClosed }
  }

  /// Starts a thread for each waiting piece of work, but at most doubles the number of threads. If
  /// many handlers block at one time, a few rounds suffice.
  private func startThreads() -> Bool {
    for _ in 0..<min(queue.count - first, max(1, threads), limit - threads) where !startThread() {
      return false
    }
    return true
  }

  /// Runs while work waits, and starts threads whenever no work has been taken for a while.
  private func watchQueue() {
    var before = lock.withLock { taken }
    var wait = HandlerThreadPool.patience
    while true {
      Thread.sleep(forTimeInterval: wait)
      lock.lock()
      let isStuck = taken == before
      before = taken
      let isShort = isStuck && first < queue.count && idle == 0 && starting == 0
      isExhausted = isShort && threads >= limit
      let isStarted = isShort && !isExhausted ? startThreads() : true
      wait =
        isStarted ? HandlerThreadPool.patience : min(2 * wait, HandlerThreadPool.longestPatience)
      let (isOver, tells, count) = (
        first == queue.count || isClosed || isExhausted, isExhausted, threads + abandoned
      )
      if isOver { isWatching = false }
      unlockAndTell()
      if tells { whenExhausted(count) }
      if isOver { return }
    }
  }
}
