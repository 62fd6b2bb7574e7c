import CurfewSystem

extension UVClock {
  /// The system clock that a `UVClock` follows. Changes to the time of day affect neither clock.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The time during which the machine was awake.
    case monotonic
    /// The time since the machine was started, asleep or awake. A deadline that passes while
    /// the machine sleeps is late by the rest of the sleep.
    case boottime

    var clock: SystemClock { self == .monotonic ? .monotonic : .boottime }

    /// The clock's time in nanoseconds.
    package func read() -> Int64 { clock.now }
  }

  /// The kind of timer that wakes a clock's loop.
  public enum TimerKind: String, Hashable, Sendable, CaseIterable {
    /// `timerfd` if the system has it, otherwise `uvTimer`.
    case best
    /// A kernel timer of Linux with a descriptor: exact to the nanosecond, set from any thread.
    case timerfd
    /// libuv's own timer: whole milliseconds, rounded up, set on the loop's thread only.
    case uvTimer
  }

  /// Blocks the calling thread until `wall` nanoseconds after the start; returns at once if that
  /// instant has passed.
  package func sleep(untilWall wall: Int64) { source.clock.sleep(until: origin + wall) }
}
