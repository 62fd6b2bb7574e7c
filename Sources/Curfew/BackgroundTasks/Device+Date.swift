internal import CurfewEngine
public import Foundation

extension Device {
  /// The default start date of a device on a virtual clock: 2001-01-01 00:00:00 UTC, the zero
  /// of `Date`.
  ///
  /// The date is fixed so that a test has the same dates on every day and every machine.
  /// It is the zero of `Date` because a `Date` counts seconds from zero in floating point: near
  /// zero it can represent every nanosecond, but near today's dates its steps are about a tenth of
  /// a microsecond. With this start, `device.date.timeIntervalSinceReferenceDate` is `device.now`.
  public static var virtualStartDate: Date { Date(timeIntervalSinceReferenceDate: 0) }

  /// The date on the device: its start date plus the time that has passed since.
  /// - Complexity: O(1).
  public var date: Date { core.date(at: core.now) }
}

extension App {
  /// The date on the app's device.
  /// - Complexity: O(1).
  public var date: Date { core.date(at: core.now) }
}

extension DeviceCore {
  func date(at instant: Instant) -> Date { startDate + Double(instant.nanoseconds) / 1e9 }

  /// Returns the time for which a request must wait; never negative. A date is rounded to the
  /// microsecond, because today's dates are not more precise. A request for a date beyond the last
  /// representable instant never starts.
  func interval(until earliest: TaskSubmission.Earliest, _ now: Instant) -> Interval {
    switch earliest {
    case .after(let interval): return interval
    case .at(nil): return .zero
    case .at(let date?):
      let microseconds = (date.timeIntervalSince(startDate) * 1e6).rounded()
      guard microseconds < Double(Int64.max / 1000) else { return Instant.distantFuture - now }
      return max(.zero, Instant(nanoseconds: Int64(max(microseconds, 0)) * 1000) - now)
    }
  }
}
