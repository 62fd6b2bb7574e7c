internal import CurfewEngine
public import Foundation

extension Device {
  /// The date that a device on a virtual clock starts on if it is given none: 2001-01-01 00:00:00
  /// UTC, the zero of `Date`.
  ///
  /// It is fixed so that a test has the same dates on every day and every machine, and this
  /// one because a `Date` counts seconds from there in floating point: near its zero every
  /// nanosecond has a date of its own, today's dates have a tenth of a microsecond.
  /// `device.date.timeIntervalSinceReferenceDate` is `device.now`.
  public static var virtualStartDate: Date { Date(timeIntervalSinceReferenceDate: 0) }

  /// What date it is on the device: the date it started on, and the time since.
  /// - Complexity: O(1).
  public var date: Date { core.date(at: core.now) }
}

extension App {
  /// What date it is on its device.
  /// - Complexity: O(1).
  public var date: Date { core.date(at: core.now) }
}

extension DeviceCore {
  func date(at instant: Instant) -> Date { startDate + Double(instant.nanoseconds) / 1e9 }

  /// How long a request has to wait, not less than nothing. A date is taken to the microsecond,
  /// which is what today's are good for; one past the end of time never comes.
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
