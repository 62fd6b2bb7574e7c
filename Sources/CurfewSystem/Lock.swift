public import Foundation

/// A mutex with a condition variable.
///
/// `Synchronization.Mutex` would require macOS 15, and ThreadSanitizer does not know it on Linux.
@usableFromInline
package final class Lock: @unchecked Sendable {
  @usableFromInline
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_mutexattr_t()
    var isMade = pthread_mutexattr_init(&attributes) == 0
    #if canImport(Glibc)
      // The lock is held for about a microsecond, so spinning is cheaper than sleeping
      // (decision 0008).
      isMade =
        isMade && pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP)) == 0
    #endif
    isMade =
      isMade && pthread_mutex_init(mutex, &attributes) == 0
      && pthread_cond_init(condition, nil) == 0
    precondition(isMade, "A mutex could not be created")
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  @inlinable
  package func lock() { pthread_mutex_lock(mutex) }

  @inlinable
  package func unlock() { pthread_mutex_unlock(mutex) }

  @inlinable
  package func withLock<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Releases the mutex, waits for `signal`, and locks the mutex again; may return spuriously.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// The same, for at most so many seconds of the machine's clock.
  /// - Returns: False if the time is up.
  package func wait(upTo seconds: Double) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let nanoseconds = Int(deadline.tv_nsec) + Int(seconds * 1e9)
    deadline.tv_sec += time_t(nanoseconds / 1_000_000_000)
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    return pthread_cond_timedwait(condition, mutex, &deadline) == 0
  }

  package func signal() { pthread_cond_signal(condition) }

  package func broadcast() { pthread_cond_broadcast(condition) }
}
