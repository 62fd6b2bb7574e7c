import Dispatch
import Synchronization

/// A number of things that have to happen, on any threads.
final class Countdown: Sendable {
  private let missing = Atomic(0)
  private let complete = DispatchSemaphore(value: 0)

  /// Sets the number. No thread waits or counts.
  func reset(to number: Int) {
    while complete.wait(timeout: .now()) == .success {}
    missing.store(number, ordering: .releasing)
    if number == 0 { complete.signal() }
  }

  @inline(__always)
  func count() {
    if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { complete.signal() }
  }

  /// Blocks the thread until everything has happened, but at most until that instant
  /// of `CLOCK_MONOTONIC`.
  func wait(until instant: Int64) {
    _ = complete.wait(timeout: DispatchTime(uptimeNanoseconds: UInt64(max(0, instant))))
  }
}
