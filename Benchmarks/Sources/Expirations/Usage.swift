#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Processor time that the process has used, user and system, in nanoseconds.
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

/// What one contestant came to in one segment.
struct Sample {
  /// Processor time for each deadline, in nanoseconds.
  var cost: Double
  /// From each deadline to where it was acted on, in nanoseconds, ascending.
  var latenesses: [Int64]

  func percentile(_ share: Double) -> Int64 {
    latenesses.isEmpty
      ? 0 : latenesses[min(latenesses.count - 1, Int(Double(latenesses.count) * share))]
  }
}
