import CurfewEngine
import CurfewSimulation
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Logs that are read with the wrong unit, or that lack rows, produce a warning.
@Suite(.inTurn) struct UsageReviewTests {
  private func warnings(
    _ text: String, _ format: UsageFormat, longestVisit: Interval? = nil
  ) throws -> [String] {
    try usageLog(text, format, longestVisit: longestVisit).overallWarnings.map {
      $0.description.replacing("log.csv: warning: ", with: "")
    }
  }

  private func visits(_ unit: UsageFormat.DurationUnit) -> UsageFormat {
    UsageFormat(
      columns: .init(
        time: "time", user: "user", app: "app", rows: .visits(duration: "duration", unit: unit)),
      time: .unixSeconds)
  }

  /// A day of 30 visits: one every 28 minutes from 8:00 on, of 59 s to 88 s, 2,205 s in all.
  private static func day(_ unit: Int) -> String {
    "time,user,app,duration\n"
      + (0..<30).map { "\(28_800 + 1_680 * $0),a,app\($0 % 5),\((59 + $0) * unit)\n" }.joined()
  }

  // MARK: Units

  @Test func `durations in each unit are read as the same visits`() throws {
    let seconds = try usageLog(Self.day(1), visits(.seconds))
    #expect(seconds.overallWarnings.isEmpty)
    #expect(try usageLog(Self.day(1_000), visits(.milliseconds)).users == seconds.users)
    #expect(try usageLog(Self.day(1_000_000), visits(.microseconds)).users == seconds.users)
    let minutes = try usageLog(
      "time,user,app,duration\n60,a,mail,1.5\n600,a,maps,2\n", visits(.minutes))
    #expect(minutes.told == ["a from 60: mail 0s to 90s, maps 540s to 660s, end 660s"])
  }

  @Test func `milliseconds that are read as seconds are reported, with the line to write`() throws {
    #expect(
      try warnings(Self.day(1_000), visits(.seconds)).first
        == "as seconds, 29 of 30 visits last beyond the beginning of the next one, and half of the visits last 20h 33m or longer; these look like milliseconds: 'duration: {column: duration, unit: ms}'"
    )
    #expect(
      try warnings(Self.day(1_000_000), visits(.milliseconds)).first?.hasSuffix(
        "these look like microseconds: 'duration: {column: duration, unit: us}'") == true)
  }

  @Test func `a duration that is not a number is reported with its unit`() throws {
    let log = try usageLog(
      "time,user,app,duration\n1,a,b,1\n2,a,c,soon\n", visits(.milliseconds))
    #expect(
      log.warnings.map(\.message) == [
        "this row is left out: 'soon' is not a duration in milliseconds"
      ])
  }

  @Test func `lengths that are read with too small a unit are reported, with the line to write`()
    throws
  {
    let flaw = "half of the visits are shorter than 1s"
    #expect(
      try warnings(Self.day(1), visits(.milliseconds)) == [
        "as milliseconds, \(flaw); these look like seconds: 'duration: {column: duration, unit: s}'"
      ])
    #expect(
      try warnings(Self.day(1), visits(.microseconds)).first
        == "as microseconds, \(flaw); these look like seconds: 'duration: {column: duration, unit: s}'"
    )
    // Visits of 1 to 3 minutes: as seconds they would be too short.
    let minutes =
      "time,user,app,duration\n"
      + (0..<30).map { "\(28_800 + 1_680 * $0),a,app\($0 % 5),\(1 + $0 % 3)\n" }.joined()
    #expect(
      try warnings(minutes, visits(.milliseconds)) == [
        "as milliseconds, \(flaw); these look like minutes: 'duration: {column: duration, unit: min}'"
      ])
    // Visits of 1 s to 3 s are possible.
    #expect(try warnings(minutes, visits(.seconds)) == [])
  }

  // MARK: People

  @Test func `more than one visit a second is too many for a person`() throws {
    // 60 visits in the 59 s that a log of milliseconds shows as 35.4 s and 59 s.
    func log(_ pace: Int) -> String {
      "time,user,app,event\n"
        + (0..<60).map { "\(1_000_000 + pace * $0),a,app\($0 % 3),open\n" }.joined()
        + "\(1_000_000 + pace * 60),a,app2,close\n"
    }
    var format = UsageFormat.plainEvents
    format.time = .unixMilliseconds
    #expect(
      try warnings(log(600), format).contains(
        "1 user has more than one visit a second, such as 'a' with 60 visits within 35.4s; do the times match the notation in 'time'?"
      ))
    #expect(
      try !warnings(log(1_100), format).contains { $0.contains("more than one visit a second") })
  }

  @Test func `an app in front for more than 20 hours of a day`() throws {
    // 1:00 to 22:00 is 21 hours; 1:00 to 21:00 is 20, which is allowed.
    func log(_ end: Int) -> String {
      "time,user,app,event\n3600,a,mail,open\n\(end * 3_600),a,mail,close\n"
    }
    #expect(try warnings(log(21), .plainEvents) == [])
    #expect(
      try warnings(log(22), .plainEvents) == [
        "on 1 day apps are in front for more than 20h, such as 21h on a day of 'a'; 'longestVisit' ends visits whose end is not recorded"
      ])
  }

  @Test func `a visit of more than a day`() throws {
    let log = "time,user,app,event\n0,a,mail,open\n18748800,a,mail,close\n"
    #expect(
      try warnings(log, .plainEvents).contains(
        "1 visit is longer than a day: 'a' has 'mail' in front for 217d; 'longestVisit' ends visits whose end is not recorded"
      ))
  }

  @Test func `fewer than one visit a day`() throws {
    let log =
      "time,user,app,event\n0,a,mail,open\n60,a,mail,close\n864000,a,mail,open\n864060,a,mail,close\n"
    #expect(
      try warnings(log, .plainEvents) == [
        "1 user has fewer than one visit a day, such as 'a' in 10 days; do the times match the notation in 'time'?"
      ])
  }

  @Test func `an app that the user never leaves`() throws {
    let log =
      "time,user,app,event\n0,a,mail,open\n60,a,mail,close\n90,a,maps,open\n100,b,mail,open\n"
    let told = try warnings(log, .plainEvents)
    #expect(
      told.contains(
        "'a' never leaves 'maps', which stays in front until the end of the run, as do the last apps of 1 other user; 'longestVisit' ends visits whose end is not recorded"
      ))
    #expect(try warnings(log, .plainEvents, longestVisit: .seconds(60)).count < told.count)
  }

  // MARK: Rows

  @Test func `more than 5 % of the rows lost`() throws {
    func log(_ bad: Int) -> String {
      "time,user,app,duration\n"
        + (0..<100).map { "\(1_000 * $0),a,app\($0 % 3),\($0 < bad ? "x" : "9")\n" }.joined()
    }
    #expect(try warnings(log(5), visits(.seconds)) == [])
    #expect(
      try warnings(log(6), visits(.seconds)) == ["6 % of the rows (6 of 100) cannot be read"])
  }

  @Test func `more than 5 % of the events without their counterpart, to the event`() throws {
    // 60 visits; the first ones lack their end. 6 of 114 events are 5.3 %, 5 of 115 are 4.3 %.
    func log(_ lost: Int, ending: String = "") -> String {
      "time,user,app,event\n"
        + (0..<60).map {
          let end = $0 < lost ? "" : "\(1_000 * $0 + 90),a,mail,close\n"
          return "\(1_000 * $0),a,mail,open\n\(end)"
        }.joined() + ending
    }
    #expect(
      try warnings(log(6), .plainEvents) == [
        "5.3 % of the events (6 of 114) have no counterpart: an app enters and never leaves, or leaves and never entered; are rows missing?"
      ])
    #expect(try warnings(log(5), .plainEvents) == [])
    // The log ends with an app in front, whose entry is not counted: 5 of 116, and 6 of 115.
    let open = "60000,a,mail,open\n"
    #expect(
      try !warnings(log(5, ending: open), .plainEvents).contains { $0.contains("counterpart") })
    #expect(
      try warnings(log(6, ending: open), .plainEvents).first?.hasPrefix(
        "5.2 % of the events (6 of 115)") == true)
    // As does the one that ends with the change to another screen of the app.
    let screen = "60000,a,mail,open\n60100,a,mail,open\n60101,a,mail,close\n"
    #expect(
      try !warnings(log(5, ending: screen), .plainEvents).contains { $0.contains("counterpart") })
  }

  @Test func `a part of the log that is in the file twice`() throws {
    let day = Self.day(1)
    let rows = day.split(separator: "\n").dropFirst().prefix(12).joined(separator: "\n")
    let log = try usageLog(day + rows + "\n", visits(.seconds))
    #expect(
      log.overallWarnings.map(\.description) == [
        "log.csv:32:1: warning: from here on, 12 rows repeat earlier rows and are left out; does the file contain a part of the log twice?"
      ])
  }

  // MARK: Zones

  private static let berlin = UsageFormat(
    columns: UsageFormat.plainEvents.columns, time: .local,
    zone: UsageZone(named: "Europe/Berlin") ?? .utc, events: UsageFormat.plainEvents.events)

  @Test func `a time that the clocks skip is reported, and is not a visit of 217 days`() throws {
    let log = try usageLog(
      "time,user,app,event\n2023-03-26 01:00:00,a,maps,open\n2023-03-26 01:10:00,a,maps,close\n2023-03-26 02:30:00,a,mail,open\n2023-10-29 12:00:00,a,maps,open\n2023-10-29 12:01:00,a,maps,close\n",
      Self.berlin)
    #expect(log.apps == ["maps"])
    #expect(
      log.warnings.map(\.description) == [
        "log.csv:4:1: warning: this row is left out: '2023-03-26 02:30:00' does not exist in Europe/Berlin, where clocks were set forward past it"
      ])
  }

  @Test func `a time that the clocks show twice is decided by the file's order`() throws {
    // Clocks were set back at 3:00, which was 1:00 UTC. 2:50 is the first 2:50 of two. 2:10 in the
    // next row is the second 2:10, 20 minutes later, and 2:20 follows it. 1:50 is 23:50 UTC.
    let log = try usageLog(
      "time,user,app,event\n2023-10-29 01:50:00,a,mail,open\n2023-10-29 02:50:00,a,maps,open\n2023-10-29 02:10:00,a,chat,open\n2023-10-29 02:20:00,a,chat,close\n2023-10-29 02:05:00,b,mail,open\n2023-10-29 03:00:00,b,mail,close\n",
      Self.berlin)
    #expect(
      log.told == [
        "a from 1698537000: mail 0s, maps 3600s, chat 4800s to 5400s, end 5400s",
        "b from 1698537900: mail 0s to 6900s, end 6900s",
      ])
    #expect(
      log.overallWarnings.last?.description
        == "log.csv:3:1: warning: 4 rows have a time that the clocks of Europe/Berlin show twice; the file's order decides which is meant"
    )
  }

  // MARK: Bytes

  @Test func `bytes that are not UTF-8 are reported, with the command that converts them`() {
    func errors(_ bytes: [UInt8], _ name: String = "log.csv") -> [String] {
      do throws(FileErrors) {
        return try UsageLog.decode(bytes, name: name, .plainEvents).overallWarnings.map(\.message)
      } catch {
        return error.diagnostics.map(\.message)
      }
    }
    let text = "time,user,app,event\n100,a,mail,open\n110,a,mail,close\n"
    let utf16 =
      "the file is UTF-16, not UTF-8; 'iconv -f UTF-16 -t UTF-8 log.csv > log.utf8.csv' converts it"
    #expect(errors([0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }) == [utf16])
    #expect(errors(text.utf8.flatMap { [0, $0] }) == [utf16])
    #expect(
      errors([0x1F, 0x8B, 8, 0], "my log.csv.gz") == [
        "the file is compressed with gzip; 'gunzip -c \"my log.csv.gz\" > \"my log.csv\"' unpacks it"
      ])
    let latin = Array(text.utf8) + Array("120,a,caf".utf8) + [0xE9] + Array(",open\n".utf8)
    #expect(
      errors(latin).first
        == "the file is Latin-1, not UTF-8; 'iconv -f LATIN1 -t UTF-8 log.csv > log.utf8.csv' converts it"
    )
    #expect(errors(Array(text.utf8)) == [])
  }
}
