/// Reads the times of a log as Unix nanoseconds.
///
/// Valid times are from 1970 to the year 2262, so the time between any two of them is
/// an `Interval`.
struct UsageClock {
  /// A time of a log, in Unix nanoseconds.
  enum Reading {
    /// One instant.
    case one(Int64)
    /// A local time that occurs at two instants, because clocks were set back.
    case two(Int64, Int64)
    /// A local time that does not occur, because clocks were set forward.
    case skipped
    /// The text is not a valid time.
    case invalid
  }

  private let notation: UsageFormat.TimeNotation
  private var wall: WallClock

  private static let nanosecondsOfSecond: Int64 = 1_000_000_000
  private static let nanosecondsOfMillisecond: Int64 = 1_000_000
  /// The time from 1970 to 2001, in seconds.
  private static let secondsTo2001: Int64 = 978_307_200

  init(_ notation: UsageFormat.TimeNotation, _ zone: UsageZone) {
    (self.notation, wall) = (notation, WallClock(zone))
  }

  /// Reads the time in `text`.
  mutating func read(_ text: ArraySlice<UInt8>) -> Reading {
    switch notation {
    case .unixSeconds:
      return UsageClock.one(UsageNumber.scaled(text, by: UsageClock.nanosecondsOfSecond))
    case .unixMilliseconds:
      return UsageClock.one(UsageNumber.scaled(text, by: UsageClock.nanosecondsOfMillisecond))
    case .secondsSince2001:
      guard let since = UsageNumber.scaled(text, by: UsageClock.nanosecondsOfSecond) else {
        return .invalid
      }
      let (sum, overflow) = since.addingReportingOverflow(
        UsageClock.secondsTo2001 * UsageClock.nanosecondsOfSecond)
      return UsageClock.one(overflow ? nil : sum)
    case .local:
      guard let moment = WrittenMoment(text.trimmingBlanks) else { return .invalid }
      if let offset = moment.offset { return UsageClock.one(moment.at(moment.seconds - offset)) }
      switch wall.unixSeconds(ofLocal: moment.seconds) {
      case .one(let seconds): return UsageClock.one(moment.at(seconds))
      case .skipped: return .skipped
      case .two(let first, let second):
        guard let first = moment.at(first), let second = moment.at(second), first >= 0 else {
          return .invalid
        }
        return .two(first, second)
      }
    }
  }

  private static func one(_ nanoseconds: Int64?) -> Reading {
    nanoseconds.map { $0 < 0 ? .invalid : .one($0) } ?? .invalid
  }

  /// The form of times in this notation, for errors.
  var rule: String {
    switch notation {
    case .unixSeconds: "times are seconds since 1970"
    case .unixMilliseconds: "times are milliseconds since 1970"
    case .secondsSince2001: "times are seconds since 2001"
    case .local: "times are written 2018-03-25 01:59:59"
    }
  }
}

/// A date and a time of day: `2018-03-25 01:59:59.250+01:00`.
private struct WrittenMoment {
  /// The seconds since 1970, as if the time were in UTC.
  var seconds: Int64 = 0
  /// The nanoseconds after the whole second. Digits after the ninth are ignored.
  var nanoseconds: Int64 = 0
  /// The offset of the clock from UTC in seconds, positive if it is ahead; nil if none is given.
  var offset: Int64?

  private static let secondsOfDay: Int64 = 86_400

  /// The Unix nanoseconds of this moment if its whole second is `seconds`; nil if they do not fit.
  func at(_ seconds: Int64) -> Int64? {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowToo) = product.addingReportingOverflow(nanoseconds)
    return overflow || overflowToo ? nil : sum
  }

  /// Returns nil if `text` is not a time, or if the calendar does not have this time.
  init?(_ text: ArraySlice<UInt8>) {
    var signs = Signs(text: text)
    guard let year = signs.number(4), signs.skip("-"), let month = signs.number(2), signs.skip("-"),
      let day = signs.number(2),
      signs.skip("T") || signs.skip("t") || signs.skip(" "),
      let hour = signs.number(2), signs.skip(":"), let minute = signs.number(2), signs.skip(":"),
      let second = signs.number(2),
      1...12 ~= month, 1...WrittenMoment.days(of: month, year) ~= day, hour < 24, minute < 60,
      second < 60
    else { return nil }
    seconds =
      WrittenMoment.dayNumber(year, month, day) * WrittenMoment.secondsOfDay + hour * 3_600 + minute
      * 60 + second
    if signs.skip(".") || signs.skip(",") {
      guard let nanoseconds = signs.fraction() else { return nil }
      self.nanoseconds = nanoseconds
    }
    if signs.isAtEnd { return }
    _ = signs.skip(" ")
    if signs.skip("Z") || signs.skip("z") {
      offset = 0
    } else {
      let isWest = signs.skip("-")
      guard isWest || signs.skip("+"), let hours = signs.number(2), hours < 24 else { return nil }
      var minutes: Int64 = 0
      if !signs.isAtEnd {
        _ = signs.skip(":")
        guard let number = signs.number(2), number < 60 else { return nil }
        minutes = number
      }
      offset = (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }
    guard signs.isAtEnd else { return nil }
  }

  private static func days(of month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The number of days since 1 January 1970. Years begin in March, so that a leap day is the last
  /// day of its year.
  private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // Years are shifted by 400, a cycle of the calendar (146,097 days), to avoid negative numbers.
    let years = (month <= 2 ? year - 1 : year) + 400
    let months = (month + 9) % 12
    let (cycles, rest) = years.quotientAndRemainder(dividingBy: 400)
    let dayOfCycle = rest * 365 + rest / 4 - rest / 100 + (153 * months + 2) / 5 + day - 1
    // The days from 1 March of the year -400 to 1 January 1970.
    return cycles * 146_097 + dayOfCycle - 865_565
  }
}

/// A text that is consumed from its beginning.
private struct Signs {
  var text: ArraySlice<UInt8>

  var isAtEnd: Bool { text.isEmpty }

  mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard text.first == UInt8(ascii: sign) else { return false }
    text.removeFirst()
    return true
  }

  /// Reads a number of exactly `count` digits.
  mutating func number(_ count: Int) -> Int64? {
    guard text.count >= count else { return nil }
    var number: Int64 = 0
    for byte in text.prefix(count) {
      guard let digit = byte.digit else { return nil }
      number = number * 10 + digit
    }
    text.removeFirst(count)
    return number
  }

  /// Reads the digits after a decimal point, in billionths.
  mutating func fraction() -> Int64? {
    var (number, place) = (Int64(0), Int64(1_000_000_000))
    guard text.first?.digit != nil else { return nil }
    while let digit = text.first?.digit {
      place /= 10
      number += digit * place
      text.removeFirst()
    }
    return number
  }
}
