internal import CVirtualTime
internal import Foundation

/// Finds a cancelled task that goes on without ever waiting, since what it waits with is over at once: a loop around `try? await Task.sleep(nanoseconds:)`, or one that takes its next element of a
/// stream. In real time it keeps a core busy, and nobody else waits for it; here neither time nor anybody else would come to its turn. So its cancellation is taken back, and it waits again.
///
/// One that asks for the time at each turn is found sooner, where it asks (`clock_gettime` in CVirtualTime).
enum Watchdog {
  /// How many seconds a cancelled task may go on without waiting.
  private static let patience = 5

  private static let thread: Void = {
    let thread = Thread { watch() }
    thread.start()
  }()

  /// From now on, once for the process.
  static func start() { thread }

  private static func watch() {
    var (jobs, seconds) = (UInt64.max, 0)
    while true {
      Thread.sleep(forTimeInterval: 1)
      guard cvt_is_capturing() else { continue }
      let now = Scheduler.shared.takenJobs
      (jobs, seconds) = (now, jobs == now ? seconds + 1 : 0)
      if seconds >= patience {
        seconds = 0
        Scheduler.shared.stopSpinning(at: jobs)
      }
    }
  }
}

extension Scheduler {
  fileprivate var takenJobs: UInt64 {
    condition.lock()
    defer { condition.unlock() }
    return jobs
  }

  /// Takes the cancellation of the task back whose job runs, if there has been no other job since.
  fileprivate func stopSpinning(at jobs: UInt64) {
    condition.lock()
    defer { condition.unlock() }
    guard jobs == self.jobs, let running, cvt_is_running(running), cvt_is_cancelled(running) else { return }
    cvt_take_cancellation_back(running)
  }

  /// - Returns: Whose job ran till now.
  func setRunning(_ task: UnsafeRawPointer?) -> UnsafeRawPointer? {
    condition.lock()
    defer { condition.unlock() }
    let outer = running
    running = task
    return outer
  }
}
