import CurfewSimulation
import TestRuns
import Testing

/// Comma-separated and tab-separated values, as found in practice.
@Suite(.inTurn) struct UsageQuotingTests {
  private static let header = "time,user,app,event\n"

  @Test func `a quoted field may contain separators, quotes and line breaks`() throws {
    let log = try usageLog(
      UsageQuotingTests.header + #""100","a, b","the ""mail""","open""#
        + "\n105,\"a, b\",\"two\r\nlines\",open\n"
        + #"109,"a, b",x"y""z,open"#,
      .plainEvents)
    #expect(
      log.apps == ["the \"mail\"", "two\r\nlines", "x\"y\"\"z"] && log.users.map(\.name) == ["a, b"]
    )
    #expect(log.counts.rows == 3 && log.counts.badRows == 0)
  }

  @Test func `lines end with LF or CRLF, the last one with neither`() throws {
    let told = ["a from 100: mail 0s, maps 5s to 9s, end 9s"]
    let rows = [
      "time,user,app,event", "100,a,mail,open", "105,a,maps,\"open\"", "", "109,a,maps,close",
    ]
    for lineBreak in ["\n", "\r\n"] {
      for last in ["", lineBreak, lineBreak + lineBreak, lineBreak + "\r"] {
        let log = try usageLog(rows.joined(separator: lineBreak) + last, .plainEvents)
        #expect(
          log.told == told && log.counts.rows == 3,
          "\(lineBreak.debugDescription), \(last.debugDescription)")
      }
    }
  }

  @Test func `a byte order mark is skipped, before a quote too`() throws {
    for header in ["time,user,app,event", "\"time\",\"user\",\"app\",\"event\""] {
      #expect(
        try usageLog("\u{FEFF}\(header)\n100,a,mail,open\n", .plainEvents).told == [
          "a from 100: mail 0s, end 0s"
        ])
    }
    #expect(
      try usageLog(
        "\u{FEFF}{\"time\":100,\"user\":\"a\",\"app\":\"mail\",\"event\":\"open\"}", .plainEvents,
        file: "log.jsonl"
      ).told
        == ["a from 100: mail 0s, end 0s"])
  }

  @Test func `commas mean nothing in a file with tabs, and blanks belong to a field`() throws {
    let log = try usageLog(
      "app\ttime\tevent\tuser\n mail, etc.\t100\topen\t\"a\tb\"\n", .plainEvents, file: "LOG.TSV")
    #expect(log.apps == [" mail, etc."] && log.users.map(\.name) == ["a\tb"])
  }

  @Test func `names with other letters are kept`() throws {
    let text = UsageQuotingTests.header + "100,žofie,Почта,open\n105,žofie,📧 メール,open\n"
    #expect(try usageLog(text, .plainEvents).apps == ["Почта", "📧 メール"])
  }

  // MARK: Columns

  @Test func `columns stand in any order, between others`() throws {
    let text = "x,event,app,y,user,time,z\n,open,mail,,a,100,\n"
    #expect(try usageLog(text, .plainEvents).told == ["a from 100: mail 0s, end 0s"])
  }

  @Test func `a file without a header has its columns by number`() throws {
    var format = UsageFormat.plainEvents
    format.columns = UsageFormat.Columns(time: "1", user: "3", app: "2", rows: .events(event: "4"))
    #expect(
      try usageLog("100,mail,a,open\n105,maps,a,open\n", format).told == [
        "a from 100: mail 0s, maps 5s, end 5s"
      ])
    // A header may have such a name, which is then the column's name.
    let odd = try usageLog("4,2,1,3\nopen,mail,100,a\n", format)
    #expect(odd.told == ["a from 100: mail 0s, end 0s"] && odd.counts.rows == 1)
    // If some columns are named and some numbered, there is a header.
    format.columns.time = "when"
    #expect(try usageLog("when,app,user,event\n100,mail,a,open\n", format).counts.rows == 1)
  }

  @Test func `one column may serve as two`() throws {
    var format = UsageFormat.plainEvents
    format.columns.user = "app"
    #expect(
      try usageLog(UsageQuotingTests.header + "100,a,mail,open\n", format).told == [
        "mail from 100: mail 0s, end 0s"
      ])
  }

  @Test func `a column that is not in the header is refused, and the nearest one named`() {
    var format = UsageFormat.plainEvents
    format.columns.time = "timestmp"
    format.columns.user = "who"
    #expect(
      usageErrors("timestamp,user,app,event\n100,a,mail,open\n", format) == [
        "log.csv:1:1: error: there is no column 'timestmp'; did you mean 'timestamp'?",
        "log.csv:1:1: error: there is no column 'who'; the columns are: timestamp, user, app, event",
      ])
    format.columns = UsageFormat.Columns(time: "1", user: "0", app: "2", rows: .events(event: "9"))
    #expect(
      usageErrors("\n100,mail,a,open\n", format) == [
        "log.csv:2:1: error: there is no column 0: the first row has 4 fields",
        "log.csv:2:1: error: there is no column 9: the first row has 4 fields",
      ])
  }

  @Test func `a header that cannot be read is refused`() {
    #expect(
      usageErrors("time,\"user,app,event\n", .plainEvents) == [
        "log.csv:1:6: error: the quote is not closed"
      ])
    #expect(
      usageErrors(String(repeating: ",", count: 5_000) + "\n1", .plainEvents)
        == ["log.csv:1:1: error: 5,001 columns; the limit is 4,096"])
  }

  // MARK: JSON Lines

  @Test func `a key is a path through objects, and all other keys are ignored`() throws {
    let format = UsageFormat(
      columns: UsageFormat.Columns(
        time: "time", user: "meta.who", app: "data.app", rows: .visits(duration: "duration")),
      time: .local)
    let log = try usageLog(
      """
      {"time":"2024-05-01T10:00:00.500000+00:00","duration":12.25,"data":{"app":"Fire\\u0066ox","title":"\\"b\\" \\ud83d\\ude00"},"meta":{"who":"a"}}

        { "meta" : {"who" : "a", "x" : [1, {"who": "b"}, []]} , "data":{"app":"Code","n":{"app":"no"}},\
       "duration":1e1,"time":"2024-05-01T10:00:20Z"}\u{20}
      {"meta.who":"b","data.app":"Mail","duration":3,"time":"2024-05-01 10:00:00","data":null}
      """, format, file: "x.ndjson")
    #expect(
      log.told == [
        "a from 1714557600.5: Firefox 0s to 12.25s, Code 19.5s to 29.5s, end 29.5s",
        "b from 1714557600: Mail 0s to 3s, end 3s",
      ])
    #expect(log.counts.badRows == 0)
  }

  @Test func `the second value of a duplicate key counts`() throws {
    let text = #"{"time":1,"time":100,"user":true,"app":"a","app":"mail","event":"open"}"#
    #expect(
      try usageLog(text, .plainEvents, file: "log.jsonl").told == ["true from 100: mail 0s, end 0s"]
    )
  }

  @Test func `a key that no row has is refused, and the nearest one named`() {
    let text = #"{"timestamp":100,"user":"a","data":{"app":"mail"},"event":"open"}"# + "\n"
    var format = UsageFormat.plainEvents
    format.columns.app = "data.ap"
    format.columns.user = "device.owner"
    format.columns.time = "timestamp"
    #expect(
      usageErrors(text, format, file: "log.jsonl") == [
        "log.jsonl: error: no row has a 'device.owner'; the first row has: timestamp, user, data.app, event",
        "log.jsonl: error: no row has a 'data.ap'; did you mean 'data.app'?",
      ])
  }
}
