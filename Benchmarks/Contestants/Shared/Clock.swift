import Glibc

/// `CLOCK_MONOTONIC` in nanoseconds.
@inline(__always)
func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Blocks the thread until that instant of `CLOCK_MONOTONIC`.
func sleep(until instant: Int64) {
  var time = timespec(
    tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}
