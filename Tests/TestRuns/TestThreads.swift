import Foundation

/// Threads for tests: a job that finds no idle thread gets a new one, so that a test that blocks
/// its thread delays no other.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class TestThreads: TaskExecutor {
  static let shared = TestThreads()

  /// Tests that begin thousands of tasks share these.
  private static let most = 64

  private let condition = NSCondition()
  // Guarded by the condition's lock.
  nonisolated(unsafe) private var jobs: [UnownedJob] = []
  nonisolated(unsafe) private var threads = 0
  nonisolated(unsafe) private var idle = 0

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      if jobs.count > idle, threads < TestThreads.most {
        threads += 1
        Thread.detachNewThread { self.work() }
      } else {
        condition.signal()
      }
    }
  }

  private func work() -> Never {
    while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob {
    condition.withLock {
      idle += 1
      while jobs.isEmpty { condition.wait() }
      idle -= 1
      return jobs.removeFirst()
    }
  }
}

/// Runs a test on a thread that it may block, if the system supports that.
func runOnThreadOfItsOwn(_ body: @Sendable () async throws -> Void) async throws {
  if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
    try await withTaskExecutorPreference(TestThreads.shared) { try await body() }
  } else {
    try await body()
  }
}
