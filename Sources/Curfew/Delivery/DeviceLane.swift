internal import Foundation

/// One thread of a device's own, in real time, for short work that must not wait until somebody's handler returns: readers are told, Swift tasks cancelled.
///
/// Work is done in order. The thread is started by the first, and ends after the last once nobody holds the lane. No handler of a program's ever runs here.
final class DeviceLane: Sendable {
  private let queue = LaneQueue()

  deinit { queue.close() }

  /// Does `work` soon, after all that it was given before; not on the calling thread.
  func execute(_ work: @escaping @Sendable () -> Void) { queue.append(work) }
}

/// What the thread holds: not the lane, so that letting go of that ends it.
private final class LaneQueue: @unchecked Sendable {
  private let lock = Lock()
  // All of it within the lock.
  private var waiting: [@Sendable () -> Void] = []
  private var hasThread = false
  private var isIdle = false
  private var isClosed = false

  func append(_ work: @escaping @Sendable () -> Void) {
    lock.lock()
    waiting.append(work)
    let (isFirst, wakes) = (!hasThread, isIdle)
    hasThread = true
    isIdle = false
    lock.unlock()
    if isFirst {
      Thread.detachNewThread { [self] in
        Thread.current.name = "curfew.lane"
        run()
      }
    } else if wakes {
      lock.signal()
    }
  }

  func close() {
    lock.withLock {
      isClosed = true
      lock.signal()
    }
  }

  private func run() {
    while let work = take() { for item in work { item() } }
  }

  /// Waits for work; nil where there will be none.
  private func take() -> [@Sendable () -> Void]? {
    lock.lock()
    defer { lock.unlock() }
    while waiting.isEmpty {
      guard !isClosed else { return nil }
      isIdle = true
      lock.wait()
    }
    isIdle = false
    let work = waiting
    waiting = []
    return work
  }
}
