import CurfewEngine
import CurfewSimulation
import TestRuns
import Testing

/// Logs of events.
@Suite(.inTurn) struct UsageEventTests {
  private func told(_ rows: String..., longestVisit: Interval? = nil) throws -> [String] {
    let text = (["time,user,app,event"] + rows).joined(separator: "\n") + "\n"
    return try usageLog(text, .plainEvents, longestVisit: longestVisit).told
  }

  private func log(_ rows: String...) throws -> UsageLog {
    try usageLog((["time,user,app,event"] + rows).joined(separator: "\n"), .plainEvents)
  }

  @Test func `an app that opens comes to the front, and one that closes leaves it`() throws {
    #expect(
      try told(
        "100,a,mail,open", "105,a,maps,open", "109,a,maps,close", "112,a,mail,open",
        "120,a,mail,close")
        == ["a from 100: mail 0s, maps 5s to 9s, mail 12s to 20s, end 20s"])
  }

  @Test func `a close of an app that is not in front changes nothing`() throws {
    #expect(
      try told("100,a,mail,open", "101,a,maps,open", "103,a,mail,close") == [
        "a from 100: mail 0s, maps 1s, end 3s"
      ])
    #expect(try told("90,a,chat,close", "100,a,mail,open") == ["a from 100: mail 0s, end 0s"])
  }

  @Test func `an app that is in front and opens again changes nothing`() throws {
    #expect(
      try told("100,a,mail,open", "101,a,mail,open", "103,a,maps,open") == [
        "a from 100: mail 0s, maps 3s, end 3s"
      ])
  }

  @Test func `an app that closes and opens at the same time has two visits`() throws {
    #expect(
      try told("100,a,mail,open", "105,a,mail,close", "105,a,mail,open") == [
        "a from 100: mail 0s to 5s, mail 5s, end 5s"
      ])
  }

  @Test func `users are separate, and in the order in which they appear`() throws {
    #expect(
      try told("100,b,mail,open", "90,a,maps,open", "103,b,maps,open", "94,a,maps,close")
        == ["b from 100: mail 0s, maps 3s, end 3s", "a from 90: maps 0s to 4s, end 4s"])
  }

  @Test func `apps and users that are never in front are left out`() throws {
    let log = try log("99,x,news,close", "100,a,chat,close", "101,a,mail,open", "102,y,mail,touch")
    #expect(log.apps == ["mail"] && log.users.map(\.name) == ["a"])
    #expect(log.counts.ignored == 1 && log.counts.rows == 4 && log.counts.badRows == 0)
  }

  @Test func `the last of several apps at the same time is in front, and the others are counted`()
    throws
  {
    let log = try log(
      "100,a,mail,open", "105,a,maps,open", "105,a,chat,open", "105,a,news,open", "109,a,news,close"
    )
    #expect(log.told == ["a from 100: mail 0s, news 5s to 9s, end 9s"])
    #expect(log.counts.zeroLengthVisits == 2 && log.apps == ["mail", "news"])
  }

  @Test func `an app stays in front if another takes the front for no time`() throws {
    let log = try log("100,a,mail,open", "105,a,maps,open", "105,a,mail,open", "109,a,mail,close")
    #expect(log.told == ["a from 100: mail 0s to 9s, end 9s"] && log.counts.zeroLengthVisits == 1)
  }

  @Test func `an app that opens and closes at the same time ends the previous visit, and has none`()
    throws
  {
    let log = try log(
      "100,a,mail,open", "105,a,maps,open", "105,a,maps,close", "109,a,mail,close",
      "110,a,mail,open")
    #expect(
      log.told == ["a from 100: mail 0s to 5s, mail 10s, end 10s"]
        && log.counts.zeroLengthVisits == 1)
  }

  @Test func `rows that are not sorted by time mean the same`() throws {
    let sorted = try told(
      "100,a,mail,open", "105,a,maps,open", "109,a,maps,close", "112,a,mail,open")
    #expect(
      try told("112,a,mail,open", "105,a,maps,open", "100,a,mail,open", "109,a,maps,close")
        == sorted)
  }

  @Test func `rows with the same time keep their order in the file`() throws {
    #expect(
      try told("105,a,maps,open", "105,a,mail,close", "100,a,mail,open") == [
        "a from 100: mail 0s, maps 5s, end 5s"
      ])
    #expect(
      try told("105,a,mail,close", "105,a,maps,open", "100,a,mail,open") == [
        "a from 100: mail 0s to 5s, maps 5s, end 5s"
      ])
  }

  @Test func `a duplicate row is dropped, even if other rows are between the two`()
    throws
  {
    let log = try log(
      "100,a,mail,open", "105,a,maps,open", "105,a,chat,open", "105,a,maps,open", "100,a,mail,open")
    #expect(log.told == ["a from 100: mail 0s, chat 5s, end 5s"])
    #expect(log.counts.duplicates == 2 && log.counts.rows == 5)
    let text =
      "time,user,app,event,session\n100,a,mail,open,1\n100,a,maps,open,1\n100,a,mail,open,2\n"
    let other = try usageLog(text, .plainEvents)
    #expect(other.counts.duplicates == 0 && other.told == ["a from 100: mail 0s, end 0s"])
  }

  // MARK: Longest visits

  @Test func `a visit without an end in the rows lasts for the longest visit`() throws {
    let rows = ["100,a,mail,open", "108,a,mail,open", "200,a,maps,open", "205,a,chat,open"]
    let text = (["time,user,app,event"] + rows).joined(separator: "\n")
    #expect(
      try usageLog(text, .plainEvents, longestVisit: .seconds(10)).told
        == ["a from 100: mail 0s to 18s, maps 100s, chat 105s to 115s, end 115s"])
    #expect(
      try usageLog(text, .plainEvents).told == [
        "a from 100: mail 0s, maps 100s, chat 105s, end 105s"
      ])
  }

  @Test func `a visit has its row's length, and one as long as the longest is not cut`()
    throws
  {
    #expect(
      try told("100,a,mail,open", "200,a,mail,close", longestVisit: .seconds(10)) == [
        "a from 100: mail 0s to 100s, end 100s"
      ])
    #expect(
      try told("100,a,mail,open", "110,a,maps,open", longestVisit: .seconds(10)) == [
        "a from 100: mail 0s, maps 10s to 20s, end 20s"
      ])
  }

  @Test func `an app that comes back after its visit was cut has another visit`() throws {
    #expect(
      try told("100,a,mail,open", "200,a,mail,open", longestVisit: .seconds(10))
        == ["a from 100: mail 0s to 10s, mail 100s to 110s, end 110s"])
  }

  @Test func `a longest visit of zero is an error`() async {
    await #expect(processExitsWith: .failure) {
      _ = try UsageLog.decode([], name: "log.csv", .plainEvents, longestVisit: .zero)
    }
  }

  // MARK: Extremes

  @Test func `times at both ends of the range`() throws {
    let log = try log(
      "0,a,mail,open", "9223372036.854775806,a,maps,open", "9223372036.854775807,a,maps,close",
      "-0.000000001,a,mail,open")
    #expect(log.users[0].origin == 0 && log.users[0].end == .distantFuture)
    #expect(
      log.users[0].changes.map(\.at) == [.zero, Instant(nanoseconds: .max - 1)]
        && log.counts.bad.map(\.reason) == [.time])
    let text = "time,user,app,duration\n9223372036,a,mail,9223372036\n"
    #expect(
      try usageLog(text, .plainVisits).told == [
        "a from 9223372036: mail 0s to 0.854775807s, end 0.854775807s"
      ])
  }

  // MARK: LSApp

  private static let lsapp = UsageFormat(
    columns: UsageFormat.Columns(
      time: "timestamp", user: "user_id", app: "app_name", rows: .events(event: "event_type")),
    time: .local,
    events: ["Opened": .front, "Closed": .back, "User Interaction": .ignore, "Broken": .ignore])

  @Test
  func `a log like LSApp: equal seconds, sessions that overlap, several apps open, broken rows`()
    throws
  {
    let rows = [
      "user_id\tsession_id\ttimestamp\tapp_name\tevent_type",
      "0\t1\t2018-01-16 06:01:05\tMicrosoft Outlook\tOpened",
      "0\t1\t2018-01-16 06:01:05\tMicrosoft Outlook\tClosed",
      "0\t1\t2018-01-16 06:01:05\tMicrosoft Outlook\tBroken",
      "0\t1\t2018-01-16 06:02:00\tGoogle\tOpened",
      "0\t2\t2018-01-16 06:02:10\tPhone\tOpened",
      "0\t1\t2018-01-16 06:02:12\tGoogle\tUser Interaction",
      "0\t1\t2018-01-16 06:02:14\tGoogle\tClosed",
      "0\t2\t2018-01-16 06:02:20\tPhone\tClosed",
      "0\t2\t2018-01-16 06:02:20\tGoogle\tOpened",
      "0\t3\t2018-01-16 06:02:20\tClock\tOpened",
      "0\t3\t2018-01-16 06:02:50\tClock\tClosed",
      "1\t4\t2018-01-16 06:00:00\tBroken\tBroken",
      "1\t4\t2018-01-16 06:00:01\tPhone\tOpened",
    ]
    let log = try usageLog(
      rows.joined(separator: "\n") + "\n", UsageEventTests.lsapp, file: "lsapp.tsv")
    #expect(
      log.told == [
        "0 from 1516082520: Google 0s, Phone 10s to 20s, Clock 20s to 50s, end 50s",
        "1 from 1516082401: Phone 0s, end 0s",
      ])
    #expect(log.apps == ["Google", "Phone", "Clock"])
    #expect(
      log.counts.rows == 13 && log.counts.ignored == 3 && log.counts.zeroLengthVisits == 2
        && log.counts.badRows == 0)
  }
}
