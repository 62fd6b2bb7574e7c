import CLibuv

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
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
    package func read() -> Int64 {
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

  /// Waits on the calling thread until so many wall nanoseconds after the start; not at all where that is past.
  package func sleep(untilWall wall: Int64) {
    #if canImport(Darwin)
      let left = wall - wallNow()
      guard left > 0 else { return }
      var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
      while nanosleep(&time, &time) != 0 {}
    #else
      guard wall > wallNow() else { return }
      let instant = origin + wall
      var time = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
      // Interrupted by a signal, it goes on to the same instant.
      while clock_nanosleep(source.identifier, TIMER_ABSTIME, &time, nil) == EINTR {}
    #endif
  }
}
