#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processor time that the process has used, user and system, in nanoseconds.
func processorTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// `CLOCK_MONOTONIC` in nanoseconds.
func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Sleeps until that instant of `CLOCK_MONOTONIC`.
func sleep(until instant: Int64) {
  while true {
    let left = instant - now()
    guard left > 0 else { return }
    var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
    nanosleep(&time, nil)
  }
}

/// The result of one contestant in one segment.
struct Sample {
  /// The processor time per deadline, in nanoseconds.
  var cost: Double
  /// The time from each deadline to the action on it, in nanoseconds, ascending.
  var latenesses: [Int64]

  func percentile(_ share: Double) -> Int64 {
    latenesses.isEmpty
      ? 0 : latenesses[min(latenesses.count - 1, Int(Double(latenesses.count) * share))]
  }
}
