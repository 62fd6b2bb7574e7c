#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock and a condition that goes with it.
///
/// `Synchronization.Mutex` asks for macOS 15, has no condition, and reports races that are none under ThreadSanitizer on Linux.
final class Monitor: @unchecked Sendable {
  // Both are used only through the calls that are made for several threads.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    precondition(pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(condition, nil) == 0, "No memory for a lock")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(condition)
    mutex.deallocate()
    condition.deallocate()
  }

  /// Runs `body` while no other thread is in here.
  func within<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Leaves, and comes back after `announce`, or for no reason. Only from within.
  func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes whoever waits. Only from within.
  func announce() { pthread_cond_broadcast(condition) }
}
