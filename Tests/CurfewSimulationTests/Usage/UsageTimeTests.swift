import CurfewEngine
import CurfewSimulation
import TestRuns
import Testing

/// Times in logs.
@Suite(.inTurn) struct UsageTimeTests {
  /// The Unix nanoseconds of a time; nil if the text is not a time.
  private func time(_ text: String, _ notation: UsageFormat.TimeNotation, _ zone: String = "UTC")
    throws -> Int64?
  {
    let zone = try #require(UsageZone(named: zone))
    let format = UsageFormat(
      columns: UsageFormat.Columns(time: "1", user: nil, app: "2", rows: .openings), time: notation,
      zone: zone)
    do {
      return try usageLog("\(text)\tmail", format, file: "log.tsv").users.first?.origin
    } catch {
      return nil
    }
  }

  private static let billion: Int64 = 1_000_000_000

  @Test(arguments: [
    ("1364095883", 1_364_095_883_000_000_000), ("1364095883.25", 1_364_095_883_250_000_000),
    ("0", 0), (" 7 ", 7_000_000_000),
    ("1364095883.1234567891", 1_364_095_883_123_456_789), ("1.5e9", 1_500_000_000_000_000_000),
    ("+5.", 5_000_000_000), (".5", 500_000_000),
    ("00012", 12_000_000_000),
  ])
  func `seconds since 1970 are read to the nanosecond`(_ text: String, _ nanoseconds: Int64) throws
  {
    #expect(try time(text, .unixSeconds) == nanoseconds)
  }

  @Test(arguments: [
    "", " ", "-", ".", "-1", "soon", "12x", "1 2", "1e", "1e400", "nan", "inf", "0x10", "1,5", "١٢",
    "9223372037", "1364095883000", "--1",
    "99999999999999999999999999",
  ])
  func `text that is not a number of seconds is not a time`(_ text: String) throws {
    #expect(try time(text, .unixSeconds) == nil)
  }

  @Test func `milliseconds since 1970, and seconds since 2001`() throws {
    #expect(try time("1364095883250", .unixMilliseconds) == 1_364_095_883_250_000_000)
    #expect(try time("1364095883250.5", .unixMilliseconds) == 1_364_095_883_250_500_000)
    #expect(try time("0", .secondsSince2001) == 978_307_200 * UsageTimeTests.billion)
    #expect(try time("-978307200", .secondsSince2001) == 0)
    #expect(try time("541000000.125", .secondsSince2001) == 1_519_307_200_125_000_000)
    #expect(try time("9000000000", .secondsSince2001) == nil)
  }

  @Test(arguments: [
    ("1970-01-01 00:00:00", 0), ("2018-01-16 06:01:05", 1_516_082_465_000_000_000),
    ("2018-01-16T06:01:05", 1_516_082_465_000_000_000),
    ("2018-01-16 06:01:05.5", 1_516_082_465_500_000_000),
    ("2018-01-16T06:01:05.123456789123Z", 1_516_082_465_123_456_789),
    ("2018-01-16T07:01:05+01:00", 1_516_082_465_000_000_000),
    ("2018-01-16T07:01:05 +0100", 1_516_082_465_000_000_000),
    ("2018-01-15 22:31:05-07:30", 1_516_082_465_000_000_000),
    ("2018-01-15 23:01:05-07", 1_516_082_465_000_000_000),
    ("2000-02-29 23:59:59", 951_868_799_000_000_000),
    ("2024-03-01 00:00:00", 1_709_251_200_000_000_000),
    ("2100-03-01 00:00:00", 4_107_542_400_000_000_000),
  ])
  func `dates and times of day in UTC`(_ text: String, _ nanoseconds: Int64) throws {
    #expect(try time(text, .local) == nanoseconds)
  }

  @Test(arguments: [
    "", "2018-01-16", "2018-01-16 06:01", "2018-1-16 06:01:05", "2018-13-01 00:00:00",
    "2018-00-01 00:00:00", "2018-02-29 00:00:00",
    "2100-02-29 00:00:00", "2018-04-31 00:00:00", "2018-01-16 24:00:00", "2018-01-16 06:60:05",
    "2018-01-16 06:01:60",
    "2018-01-16 06:01:05.", "2018-01-16 06:01:05x", "2018-01-16 06:01:05+1",
    "2018-01-16 06:01:05+01:", "2018-01-16 06:01:05Z ago",
    "2018-01-16 06:01:05+24:00", "1969-12-31 23:59:59", "9999-12-31 23:59:59", "1516082465",
  ])
  func `an impossible date is not a time`(_ text: String) throws {
    #expect(try time(text, .local) == nil)
  }

  // MARK: Zones

  @Test(arguments: [
    // In Berlin clocks were set forward on 25 March 2018 at 2:00, which was 1:00 UTC and the Unix
    // second 1,521,939,600.
    ("2018-03-25 01:59:59", 1_521_939_599), ("2018-03-25 03:00:00", 1_521_939_600),
    // Half an hour later it was 3:30; 2:30 did not exist.
    ("2018-03-25 03:30:00", 1_521_941_400),
    // Clocks were set back on 28 October at 3:00, which was 1:00 UTC and the second 1,540,688,400.
    // 2:30 came twice; the first one counts.
    ("2018-10-28 01:59:59", 1_540_684_799), ("2018-10-28 02:30:00", 1_540_686_600),
    ("2018-10-28 03:00:00", 1_540_692_000),
    ("2018-01-16 07:01:05", 1_516_082_465), ("2018-07-01 00:00:00", 1_530_396_000),
  ])
  func `local times in Berlin around the changes of clocks`(_ text: String, _ seconds: Int64) throws
  {
    #expect(try time(text, .local, "Europe/Berlin") == seconds * UsageTimeTests.billion)
  }

  @Test(arguments: ["2018-03-25 02:00:00", "2018-03-25 02:30:00", "2018-03-25 02:59:59"])
  func `a time that the clocks skip does not exist`(_ text: String) throws {
    #expect(try time(text, .local, "Europe/Berlin") == nil)
    #expect(try time(text, .local) != nil)
  }

  @Test
  func `local times elsewhere: half hours, the other side of the date line, and west of Greenwich`()
    throws
  {
    #expect(
      try time("2018-01-16 11:31:05", .local, "Asia/Kolkata") == 1_516_082_465
        * UsageTimeTests.billion)
    #expect(
      try time("2018-01-15 20:01:05", .local, "Pacific/Honolulu") == 1_516_082_465
        * UsageTimeTests.billion)
    // In New York clocks were set back on 4 November 2018 at 2:00, which was 6:00 UTC. 1:30
    // came twice.
    #expect(
      try time("2018-11-04 01:30:00", .local, "America/New_York") == 1_541_309_400
        * UsageTimeTests.billion)
    #expect(
      try time("2018-11-04 02:00:00", .local, "America/New_York") == 1_541_314_800
        * UsageTimeTests.billion)
    // Samoa skipped 30 December 2011: from 10 hours behind UTC to 14 hours ahead of it.
    #expect(
      try time("2011-12-29 23:59:59", .local, "Pacific/Apia") == 1_325_239_199
        * UsageTimeTests.billion)
    #expect(
      try time("2011-12-31 00:00:00", .local, "Pacific/Apia") == 1_325_239_200
        * UsageTimeTests.billion)
  }

  @Test func `an offset in the row overrides the zone, and other notations have no zone`()
    throws
  {
    #expect(
      try time("2018-01-16T06:01:05Z", .local, "Europe/Berlin") == 1_516_082_465
        * UsageTimeTests.billion)
    #expect(
      try time("1516082465", .unixSeconds, "Europe/Berlin") == 1_516_082_465
        * UsageTimeTests.billion)
  }

  @Test func `an unknown zone is refused`() {
    #expect(UsageZone(named: "Europe/Berlln") == nil && UsageZone(named: "") == nil)
    #expect(UsageZone(named: "UTC") == .utc && UsageZone.knownNames.contains("Europe/Berlin"))
  }
}
