public import Foundation

/// The system's clocks. Changes to the time of day affect none of the cases.
@usableFromInline
package enum SystemClock: String, Sendable {
  /// The time during which the machine was awake.
  case monotonic = "'monotonic'"
  /// The time since the machine was started, asleep or awake.
  case boottime = "'boottime'"
  /// Processor time of the calling thread, in user space and in the kernel.
  case thread = "of a thread's processor time"

  @inlinable
  var identifier: clockid_t {
    switch self {
    // Darwin's CLOCK_MONOTONIC continues during sleep and is slewed; these two clocks have
    // the meanings that the names have on Linux.
    #if canImport(Darwin)
      case .monotonic: CLOCK_UPTIME_RAW
      case .boottime: CLOCK_MONOTONIC_RAW
    #else
      case .monotonic: CLOCK_MONOTONIC
      case .boottime: CLOCK_BOOTTIME
    #endif
    case .thread: CLOCK_THREAD_CPUTIME_ID
    }
  }

  /// The clock's time in nanoseconds.
  @inlinable
  package var now: Int64 {
    var time = timespec()
    precondition(clock_gettime(identifier, &time) == 0, "There is no clock \(rawValue) here")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The time of day in nanoseconds since 1970. Unlike `Date()`, it is the machine's in every test:
  /// code that runs on a simulated device reads the device's date there.
  package static var timeOfDay: Int64 {
    var time = timespec()
    precondition(clock_gettime(CLOCK_REALTIME, &time) == 0, "There is no clock of the day here")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Waits on the calling thread until `instant`; returns at once if it has passed.
  package func sleep(until instant: Int64) {
    let left = instant - now
    guard left > 0 else { return }
    // If a signal interrupts the wait, the wait continues to the same instant.
    #if canImport(Darwin)
      var time = timespec(nanoseconds: left)
      while nanosleep(&time, &time) != 0 {}
    #else
      var time = timespec(nanoseconds: instant)
      while clock_nanosleep(identifier, TIMER_ABSTIME, &time, nil) == EINTR {}
    #endif
  }
}

extension timespec {
  init(nanoseconds: Int64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
