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

  /// Returns the Unix seconds of the instant at which a local clock shows `local`. `local` is
  /// counted as if the clock were in UTC.
  ///
  /// When clocks are set back, an hour occurs twice, and its first occurrence is used. When
  /// clocks are set forward, an hour is missing. A time in that hour is read with the offset from
  /// before the change; at the resulting instant a clock shows a time that is later by the length
  /// of the change.
  mutating func unixSeconds(ofLocal local: Int64) -> Int64 {
    guard let zone else { return local }
    let day = local.flooredQuotient(by: WallClock.secondsOfDay)
    let offsets = days[day] ?? look(day, zone)
    let first = local - offsets.before
    if offsets.before == offsets.after || WallClock.offset(zone, first) == offsets.before {
      return first
    }
    let second = local - offsets.after
    return WallClock.offset(zone, second) == offsets.after ? second : first
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
