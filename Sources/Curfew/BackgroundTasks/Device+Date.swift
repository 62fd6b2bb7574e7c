internal import CurfewEngine
internal import CurfewSystem
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

  /// The machine's date. In code that runs on another device, `Date()` is that device's date.
  static var dateOfMachine: Date {
    Date(timeIntervalSince1970: Double(SystemClock.timeOfDay) / 1e9)
  }

  /// The date on the device: its start date plus the time that has passed since.
  /// - Complexity: O(1).
  public var date: Date { core.date(at: core.now) }
}

extension Device {
  /// The start date, in seconds and nanoseconds since 1970.
  package var startDate: (seconds: Int64, nanoseconds: Int64) {
    (core.startDate.seconds, core.startDate.nanoseconds)
  }
}

/// A date in the form in which the system's clock returns it. `Date()` is computed from this form,
/// so a device computes its dates in the same way: both are equal to the last bit.
struct ClockDate {
  private static let referenceDate: Int64 = 978_307_200
  /// The seconds since 1970.
  let seconds: Int64
  /// 0 to 999,999,999.
  let nanoseconds: Int64

  /// Rounds a date to the nanosecond.
  init(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    precondition(
      interval.magnitude < 1e12, "The start date is \(interval) s from 2001, which no clock tells")
    let whole = interval.rounded(.down)
    let nanoseconds = Int64(((interval - whole) * 1e9).rounded())
    self.init(seconds: Int64(whole) + Self.referenceDate, nanoseconds: nanoseconds)
  }

  private init(seconds: Int64, nanoseconds: Int64) {
    let (carry, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    (self.seconds, self.nanoseconds) = (seconds + carry, rest)
  }

  func advanced(by nanoseconds: Int64) -> ClockDate {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return ClockDate(seconds: self.seconds + seconds, nanoseconds: self.nanoseconds + rest)
  }

  /// The date, with the arithmetic of `Date.init()`.
  var date: Date {
    Date(
      timeIntervalSinceReferenceDate: Double(seconds - Self.referenceDate) + 1e-9
        * Double(nanoseconds))
  }
}

extension App {
  /// The date on the app's device.
  /// - Complexity: O(1).
  public var date: Date { core.date(at: core.now) }
}

extension DeviceCore {
  func date(at instant: Instant) -> Date { startDate.advanced(by: instant.nanoseconds).date }

  /// Returns the time for which a request must wait; never negative. A date is rounded to the
  /// microsecond, because today's dates are not more precise. A request for a date beyond the last
  /// representable instant never starts.
  func interval(until earliest: TaskSubmission.Earliest, _ now: Instant) -> Interval {
    switch earliest {
    case .after(let interval): return interval
    case .at(nil): return .zero
    case .at(let date?):
      let microseconds = (date.timeIntervalSince(startDate.date) * 1e6).rounded()
      guard microseconds < Double(Int64.max / 1000) else { return Instant.distantFuture - now }
      return max(.zero, Instant(nanoseconds: Int64(max(microseconds, 0)) * 1000) - now)
    }
  }
}
