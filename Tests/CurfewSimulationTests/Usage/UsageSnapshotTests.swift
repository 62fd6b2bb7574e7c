import CurfewEngine
import CurfewSimulation
import TestRuns
import Testing

/// Logs with snapshots of the app in front, and logs of visits with their lengths.
@Suite(.inTurn) struct UsageSnapshotTests {
  private func log(_ rows: String..., longestVisit: Interval? = nil) throws -> UsageLog {
    try usageLog(
      (["time,user,app,rank"] + rows).joined(separator: "\n"), .plainSnapshots,
      longestVisit: longestVisit)
  }

  @Test
  func `the app with the smallest rank of a snapshot is in front, wherever its row stands`()
    throws
  {
    let log = try log(
      "100,a,mail,0", "100,a,maps,1", "200,a,mail,1", "200,a,maps,0", "300,a,chat,7",
      "300,a,mail,5", "300,b,news,0", "400,a,maps,0.0")
    #expect(
      log.told == [
        "a from 100: mail 0s, maps 100s, mail 200s, maps 300s, end 300s",
        "b from 300: news 0s, end 0s",
      ])
    #expect(log.apps == ["mail", "maps", "news"])
  }

  @Test func `snapshots of the same app are one visit, which lasts until another is seen`() throws {
    #expect(
      try log("100,a,mail,0", "200,a,mail,0", "300,a,mail,0", "400,a,maps,0", "900,a,maps,0").told
        == ["a from 100: mail 0s, maps 300s, end 800s"])
  }

  @Test func `a snapshot without a name in front is ignored`() throws {
    let log = try log("100,a,mail,0", "200,a,,0", "200,a,maps,1", "300,a,,", "400,a,mail,0")
    #expect(log.told == ["a from 100: mail 0s, end 300s"])
    #expect(log.counts.emptySnapshots == 2 && log.counts.badRows == 0)
  }

  @Test func `the first of two rows with the same rank is in front`() throws {
    #expect(try log("100,a,mail,0", "100,a,maps,0").told == ["a from 100: mail 0s, end 0s"])
  }

  @Test func `duplicate rows and unsorted snapshots change nothing`() throws {
    let log = try log(
      "400,a,maps,0", "100,a,mail,0", "100,a,maps,1", "100,a,mail,0", "400,a,maps,0", "400,a,maps,0"
    )
    #expect(log.told == ["a from 100: mail 0s, maps 300s, end 300s"] && log.counts.duplicates == 3)
  }

  @Test func `a gap ends a visit with many snapshots, and begins another of the same app`() throws {
    let log = try log(
      "100,a,mail,0", "200,a,mail,0", "300,a,mail,0", "9000,a,mail,0", longestVisit: .seconds(150))
    #expect(log.told == ["a from 100: mail 0s to 350s, mail 8900s to 9050s, end 9050s"])
  }

  // MARK: Visits

  private func visits(_ rows: String...) throws -> UsageLog {
    try usageLog((["time,user,app,duration"] + rows).joined(separator: "\n"), .plainVisits)
  }

  @Test func `a visit ends after its duration, or when the next one begins`() throws {
    let log = try visits(
      "100,a,mail,2.5", "105,a,maps,10", "110,a,chat,1", "120,a,mail,0.000000001")
    #expect(
      log.told == [
        "a from 100: mail 0s to 2.5s, maps 5s, chat 10s to 11s, mail 20s to 20.000000001s, end 20.000000001s"
      ])
  }

  @Test func `visits of the same app that touch or overlap are one`() throws {
    #expect(
      try visits("100,a,mail,5", "105,a,mail,5", "108,a,mail,1", "111,a,mail,1").told
        == ["a from 100: mail 0s to 10s, mail 11s to 12s, end 12s"])
  }

  @Test func `a visit of length 0 is left out and counted`() throws {
    let log = try visits("100,a,mail,5", "110,a,maps,0", "120,a,mail,1", "125,a,maps,0")
    #expect(
      log.told == ["a from 100: mail 0s to 5s, mail 20s to 21s, end 25s"]
        && log.counts.zeroLengthVisits == 2)
  }

  @Test func `a row may have only the app that came to the front`() throws {
    let format = UsageFormat(
      columns: UsageFormat.Columns(time: "1", user: nil, app: "2", rows: .openings),
      time: .unixSeconds)
    let log = try usageLog(
      "100 \tmail\n 130\tmaps\n140\tmaps\n", format, file: "log.tsv", longestVisit: .seconds(20))
    #expect(log.told == ["user from 100: mail 0s to 20s, maps 30s to 60s, end 60s"])
  }
}
