import CLibuv

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension UVClock {
  /// What a clock counts. Neither is set by anybody: the time of day may go where it likes.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The time the machine was awake.
    case monotonic
    /// The time since the machine was started, asleep or awake. A deadline that passes in its sleep is late by the rest of the sleep.
    case boottime

    #if canImport(Darwin)
      // Darwin's CLOCK_MONOTONIC goes on in sleep and is slewed; these two are what Linux means by the names.
      var identifier: clockid_t { self == .monotonic ? CLOCK_UPTIME_RAW : CLOCK_MONOTONIC_RAW }
    #else
      var identifier: clockid_t { self == .monotonic ? CLOCK_MONOTONIC : CLOCK_BOOTTIME }
    #endif

    /// The clock's time in nanoseconds.
    func read() -> Int64 {
      var time = timespec()
      precondition(clock_gettime(identifier, &time) == 0, "There is no clock '\(rawValue)' here")
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  }

  /// What wakes a clock's loop.
  public enum TimerKind: String, Hashable, Sendable, CaseIterable {
    /// `timerfd` where there is one, else `uvTimer`.
    case best
    /// A kernel timer of Linux with a descriptor: exact to the nanosecond, set from any thread.
    case timerfd
    /// libuv's own timer: whole milliseconds, rounded up, set on the loop's thread only.
    case uvTimer
  }
}
