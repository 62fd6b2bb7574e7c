#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processor time that the process has used, user and system, in nanoseconds.
func processorTime() -> Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }

/// `CLOCK_MONOTONIC` in nanoseconds.
func now() -> Int64 { read(CLOCK_MONOTONIC) }

private func read(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
