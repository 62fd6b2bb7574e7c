internal import CVirtualTime
internal import Foundation

/// Real time for this package's own waits. On a thread that runs captured work, `Date()` and the
/// Swift clocks follow virtual time.
struct RealTime {
  private let nanoseconds: Int64

  static var now: RealTime { RealTime(nanoseconds: cvt_real_uptime()) }

  /// The seconds that have passed since this time.
  var age: Double { Double(cvt_real_uptime() - nanoseconds) / 1e9 }

  static func + (time: RealTime, seconds: Double) -> RealTime {
    RealTime(nanoseconds: time.nanoseconds + Int64(min(seconds, 1e9) * 1e9))
  }
}

/// Runs `body` as work that is not captured: it reads real clocks, and what it begins is
/// not counted.
func uncaptured<Result>(_ body: () throws -> Result) rethrows -> Result {
  let clock = cvt_clock()
  cvt_set_clock(nil)
  defer { cvt_set_clock(clock) }
  return try body()
}

extension NSCondition {
  /// Waits for a signal, for so many seconds of real time.
  /// - Returns: False if the time is up first.
  func wait(forReal seconds: Double) -> Bool {
    uncaptured { wait(until: Date(timeIntervalSinceNow: seconds)) }
  }
}
