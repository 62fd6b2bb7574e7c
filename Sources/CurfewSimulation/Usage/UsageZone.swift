internal import Foundation

/// A time zone of the tz database that this system knows, identified by its name.
package struct UsageZone: Hashable, Sendable {
  /// `Europe/Berlin`
  package let name: String

  /// The zone of this name; nil if the system does not know it.
  package init?(named name: String) {
    guard name == UsageZone.utc.name || TimeZone(identifier: name) != nil else { return nil }
    self.name = name
  }

  private init(known name: String) { self.name = name }

  /// Universal time.
  package static let utc = UsageZone(known: "UTC")

  /// All names that the system knows, sorted: candidates for a misspelled name.
  package static var knownNames: [String] { TimeZone.knownTimeZoneIdentifiers.sorted() }

  /// The local time of day, in nanoseconds since midnight, at an instant in nanoseconds since 1970.
  func nanosecondsOfDay(atUnix nanoseconds: Int64) -> Int64 {
    let seconds = nanoseconds / 1_000_000_000
    let offset = Int64(
      timeZone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) ?? 0)
    let second = (seconds + offset) % 86_400
    return (second < 0 ? second + 86_400 : second) * 1_000_000_000 + nanoseconds % 1_000_000_000
  }

  fileprivate var timeZone: TimeZone? { self == .utc ? nil : TimeZone(identifier: name) }
}

/// Converts local times of a zone to instants.
///
/// Most days have one offset from midnight to midnight. The offsets of a day are looked up once,
/// because Foundation takes a microsecond for each look-up, and a log has a million rows.
struct WallClock {
  /// The offsets in seconds, one day before the day begins and one day after it ends.
  private struct Offsets {
    var before: Int64
    var after: Int64
  }

  private static let secondsOfDay: Int64 = 86_400

  /// The zone; nil for universal time.
  private let zone: TimeZone?
  private var days: [Int64: Offsets] = [:]

  init(_ zone: UsageZone) { self.zone = zone.timeZone }

  /// The instants at which a local clock shows a time, in Unix seconds.
  enum Reading: Equatable {
    /// One instant, as on most days.
    case one(Int64)
    /// Two instants: clocks were set back, and an hour occurred twice.
    case two(Int64, Int64)
    /// No instant: clocks were set forward, and an hour is missing.
    case skipped
  }

  /// Returns the instants at which a local clock shows `local`, which is counted as if the clock
  /// were in UTC.
  mutating func unixSeconds(ofLocal local: Int64) -> Reading {
    guard let zone else { return .one(local) }
    let day = local.flooredQuotient(by: WallClock.secondsOfDay)
    let offsets = days[day] ?? look(day, zone)
    let first = local - offsets.before
    if offsets.before == offsets.after { return .one(first) }
    let second = local - offsets.after
    switch (
      WallClock.offset(zone, first) == offsets.before,
      WallClock.offset(zone, second) == offsets.after
    ) {
    case (true, true): return .two(first, second)
    case (true, false): return .one(first)
    case (false, true): return .one(second)
    case (false, false): return .skipped
    }
  }

  private mutating func look(_ day: Int64, _ zone: TimeZone) -> Offsets {
    let start = day * WallClock.secondsOfDay
    let offsets = Offsets(
      before: WallClock.offset(zone, start - WallClock.secondsOfDay),
      after: WallClock.offset(zone, start + 2 * WallClock.secondsOfDay))
    days[day] = offsets
    return offsets
  }

  private static func offset(_ zone: TimeZone, _ unixSeconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(unixSeconds))))
  }
}

extension Int64 {
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
