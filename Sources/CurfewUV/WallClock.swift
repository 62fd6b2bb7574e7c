import CurfewSystem

extension UVClock {
  /// What a clock counts. Neither is set by anybody: the time of day may go where it likes.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The time the machine was awake.
    case monotonic
    /// The time since the machine was started, asleep or awake. A deadline that passes in its sleep
    /// is late by the rest of the sleep.
    case boottime

    var clock: SystemClock { self == .monotonic ? .monotonic : .boottime }

    /// The clock's time in nanoseconds.
    package func read() -> Int64 { clock.now }
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

  /// Waits on the calling thread until so many wall nanoseconds after the start; not at all where
  /// that is past.
  package func sleep(untilWall wall: Int64) { source.clock.sleep(until: origin + wall) }
}
