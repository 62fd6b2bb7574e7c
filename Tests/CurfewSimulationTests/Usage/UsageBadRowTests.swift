import CurfewSimulation
import CurfewText
import TestRuns
import Testing

/// Unreadable rows: each is left out, counted and reported with its place, and the others are read.
@Suite(.inTurn) struct UsageBadRowTests {
  /// The warnings about rows between two good ones, and the log.
  private func warnings(
    _ rows: [String], _ format: UsageFormat = .plainEvents, header: String = "time,user,app,event",
    good: String = "open"
  ) throws -> (told: [String], bad: [UsageLog.BadRow: Int]) {
    let text =
      ([header, "100,a,mail,\(good)"] + rows + ["105,a,maps,\(good)"]).joined(separator: "\n")
      + "\n"
    return try outcome(try usageLog(text, format), rows.count)
  }

  private func outcome(_ log: UsageLog, _ rows: Int) throws -> (
    told: [String], bad: [UsageLog.BadRow: Int]
  ) {
    #expect(
      log.apps == ["mail", "maps"] && log.counts.badRows == rows && log.counts.rows == rows + 2)
    let start = ": warning: this row is left out: "
    let bad = Dictionary(uniqueKeysWithValues: log.counts.bad.map { ($0.reason, $0.rows) })
    return (log.warnings.map { $0.description.replacing(start, with: " ") }, bad)
  }

  @Test func `the wrong number of fields`() throws {
    let (told, bad) = try warnings(["101,a,mail", "101,a,mail,open,more", "101", " ", "\"x\ny\",1"])
    #expect(
      told == [
        "log.csv:3:11 3 fields; the first row has 4", "log.csv:4:17 5 fields; the first row has 4",
        "log.csv:5:4 1 field; the first row has 4",
        "log.csv:6:2 1 field; the first row has 4", "log.csv:8:5 2 fields; the first row has 4",
      ])
    #expect(bad == [.fields: 5])
  }

  @Test func `no time`() throws {
    let (told, bad) = try warnings([
      "soon,a,mail,open", ",a,mail,open", "\"1\"\"\",a,mail,open", "1364095883000,a,mail,nothing",
    ])
    #expect(
      told == [
        "log.csv:3:1 'soon' is not a time; times are seconds since 1970",
        "log.csv:4:1 '' is not a time; times are seconds since 1970",
        "log.csv:5:1 '1\"' is not a time; times are seconds since 1970",
        "log.csv:6:1 '1364095883000' is not a time; times are seconds since 1970",
      ])
    #expect(bad == [.time: 4])
  }

  @Test func `no app in events and visits`() throws {
    let events = try warnings(["101,žž,,open", "101,a,\"\",close"])
    #expect(events.told == ["log.csv:3:8 the app has no name", "log.csv:4:7 the app has no name"])
    let visits = try warnings(
      ["101,a,,1"], .plainVisits, header: "time,user,app,duration", good: "1")
    #expect(visits.told == ["log.csv:3:7 the app has no name"] && visits.bad == [.app: 1])
  }

  @Test func `an event that the format does not know`() throws {
    let (told, bad) = try warnings(["101,a,mail,opne", "101,a,mail,Broken", "101,a,mail,"])
    #expect(
      told == [
        "log.csv:3:12 'opne' is not an event of 'events'; did you mean 'open'?",
        "log.csv:4:12 'Broken' is not an event of 'events'; the events are: close, open, touch",
        "log.csv:5:12 '' is not an event of 'events'; the events are: close, open, touch",
      ])
    #expect(bad == [.event: 3])
  }

  @Test func `a rank or a duration that is not a number`() throws {
    let ranks = try warnings(
      ["101,a,mail,top", "101,a,mail,"], .plainSnapshots, header: "time,user,app,rank", good: "0")
    #expect(
      ranks.told == [
        "log.csv:3:12 'top' is not a rank; ranks are numbers, and the app with the smallest is in front",
        "log.csv:4:12 '' is not a rank; ranks are numbers, and the app with the smallest is in front",
      ])
    let visits = try warnings(
      ["101,a,mail,1m", "101,a,mail,-0.5"], .plainVisits, header: "time,user,app,duration",
      good: "1")
    #expect(
      visits.told == [
        "log.csv:3:12 '1m' is not a duration in seconds",
        "log.csv:4:12 '-0.5' is not a duration in seconds",
      ])
    #expect(ranks.bad == [.rank: 2] && visits.bad == [.duration: 2])
  }

  @Test func `broken quotes affect only the row in which they begin`() throws {
    let (told, bad) = try warnings([
      "101,a,\"mail\"x,open", "\"101,a,mail,open", "101,a,\"\"mail,open", "101,\"a\"\r,mail,open",
    ])
    #expect(
      told == [
        "log.csv:3:13 text follows the closing quote; inside quotes, a quote is written twice",
        "log.csv:4:1 the quote is not closed",
        "log.csv:5:9 text follows the closing quote; inside quotes, a quote is written twice",
        "log.csv:6:8 text follows the closing quote; inside quotes, a quote is written twice",
      ])
    #expect(bad == [.quoting: 4])
  }

  @Test func `a missing quote ends on its line, not at a quote of another row`() throws {
    let log = try usageLog(
      "time,user,app,event\n100,a,mail,open\n101,a,\"x,open\n102,a,\"chat\",open\n105,a,maps,open\n",
      .plainEvents)
    #expect(log.apps == ["mail", "chat", "maps"])
    #expect(log.warnings.map { $0.place?.line } == [3])
  }

  @Test func `a quote may have 32 line breaks in it, and no more`() throws {
    for breaks in [32, 33] {
      let app = String(repeating: "\n", count: breaks)
      let log = try usageLog(
        "time,user,app,event\n100,a,\"\(app)\",open\n105,a,maps,open,\n106,a,maps,open\n",
        .plainEvents)
      #expect(log.apps == (breaks == 32 ? [app, "maps"] : ["maps"]))
      // After the row, lines are counted as before.
      #expect(log.warnings.last?.place?.line == breaks + 3)
    }
  }

  @Test func `bytes that are not text`() throws {
    var bytes = Array("time,user,app,event\n100,a,mail,open\n101,ž,m".utf8)
    bytes += [0xFF] + Array("l,open\n102,a,".utf8) + [0xC5] + Array(",open\n105,a,maps,open\n".utf8)
    let (told, bad) = try outcome(try UsageLog.decode(bytes, name: "log.csv", .plainEvents), 2)
    #expect(
      told == ["log.csv:3:8 the byte 0xFF is not UTF-8", "log.csv:4:7 the byte 0xC5 is not UTF-8"])
    #expect(bad == [.notText: 2])
  }

  // MARK: JSON Lines

  @Test(arguments: [
    ("x", 1, "a row must be an object in braces"), ("[1]", 1, "a row must be an object in braces"),
    ("{", 2, "a key in quotes is missing"),
    (#"{"a" 1}"#, 6, "':' is missing after a key"), (#"{"a":}"#, 6, "not the beginning of a value"),
    (#"{"a":"#, 6, "the line ends where a value is expected"),
    (#"{"ž":1"#, 7, "the object is not closed"),
    (#"{"a":1,}"#, 8, "a key in quotes is missing"), (#"{"a":[1,2"#, 10, "the array is not closed"),
    (#"{"a":"b}"#, 6, "the quote is not closed"), (#"{"a":"\x"}"#, 7, "there is no such escape"),
    (#"{"a":"\ud800"}"#, 7, "the escape is not a character"),
    (#"{"a":"\u12g4"}"#, 7, "the escape is not a character"),
    (#"{"a":"\"#, 7, "the line ends in an escape"),
    (#"{"a":"\u00"#, 7, "the escape is not a character"),
    (#"{"a":01}"#, 6, "a number must not begin with 0"), (#"{"a":1.}"#, 8, "a digit is missing"),
    (#"{"a":1e+}"#, 9, "a digit is missing"),
    (#"{"a":NaN}"#, 6, "not the beginning of a value"),
    (#"{"a":tru}"#, 6, "not the beginning of a value"),
    ("{\"a\":\"\t\"}", 7, "a control character is inside quotes"),
    ("{} {}", 4, "text follows the object"),
    (
      #"{"a":"# + String(repeating: "[", count: 100_000), 69,
      "over 64 nested objects and arrays"
    ),
  ])
  func `a row that is not JSON is reported`(_ row: String, _ column: Int, _ message: String) throws
  {
    func good(_ time: Int, _ app: String) -> String {
      #"{"time":\#(time),"user":"a","app":"\#(app)","event":"open"}"#
    }
    let log = try usageLog(
      "\(good(100, "mail"))\n\(row)\r\n\(good(105, "maps"))\n", .plainEvents, file: "log.jsonl")
    let (told, bad) = try outcome(log, 1)
    #expect(told == ["log.jsonl:2:\(column) invalid JSON: \(message)"] && bad == [.json: 1])
  }

  @Test func `a JSON row without a key, or with a list where a value should be`() throws {
    let good = #"{"time":100,"user":"a","app":"mail","event":"open"}"#
    let rows = [
      #"{"time":100,"app":"mail","event":"open"}"#,
      #"{"time":[100],"user":"a","app":"mail","event":"open"}"#,
      #"{"time":null,"user":"a","app":"mail","event":"open"}"#,
      #"{"time":101,"user":"a","app":"mail","event": {"open":1}}"#,
      #"  {"time":101,"user":"a","app":"mail","event": 5}"#,
      #"{"time":101,"user":"a","app":"mail","event":"open","event":[]}"#,
    ]
    let log = try usageLog(([good] + rows).joined(separator: "\n"), .plainEvents, file: "log.jsonl")
    let start = ": warning: this row is left out: "
    #expect(
      log.warnings.map { $0.description.replacing(start, with: " ") } == [
        "log.jsonl:2:1 the row has no 'user'", "log.jsonl:3:1 the row has no 'time'",
        "log.jsonl:4:9 '' is not a time; times are seconds since 1970",
        "log.jsonl:5:1 the row has no 'event'",
        "log.jsonl:6:48 '5' is not an event of 'events'; the events are: close, open, touch",
        "log.jsonl:7:1 the row has no 'event'",
      ])
  }

  // MARK: Whole files

  @Test func `a hundred bad rows are reported, all are counted, and long texts are shortened`()
    throws
  {
    let rows = (0..<250).map {
      $0 % 2 == 0 ? "soon,a,mail,open" : "101,a,mail,\(String(repeating: "ž", count: 500))"
    }
    let (told, bad) = try warnings(rows)
    #expect(told.count == 100)
    #expect(bad == [.time: 125, .event: 125])
    #expect(
      told[1].hasPrefix("log.csv:4:12 '\(String(repeating: "ž", count: 80))…' is not an event"))
  }

  @Test func `a file in which no row can be read is refused, with the first reason`() {
    #expect(
      usageErrors(
        "time,user,app,event\n1,a,b,open\n",
        UsageFormat(columns: UsageFormat.plainEvents.columns, time: .local)) == [
          "log.csv: error: none of 1 row can be read",
          "log.csv:2:1: error: this row is left out: '1' is not a time; times are written 2018-03-25 01:59:59",
        ])
    #expect(
      usageErrors("time,user,app,event\n", .plainEvents) == [
        "log.csv: error: there is no row in the file"
      ])
    #expect(
      usageErrors("x\ny\n", .plainEvents, file: "log.jsonl").first
        == "log.jsonl: error: none of 2 rows can be read")
  }

  @Test func `a file in which nobody has an app in front is refused`() {
    let message = "log.csv: error: no app enters the foreground in 2 rows"
    #expect(
      usageErrors("time,user,app,event\n1,a,b,close\n1,a,b,touch\n", .plainEvents) == [message])
    #expect(usageErrors("time,user,app,rank\n1,a,,0\n2,a,,0\n", .plainSnapshots) == [message])
  }

  @Test func `an empty file, a missing file and an unknown format are refused`() {
    for text in ["", "\n", " \r\n\t\n", "\u{FEFF}", "\u{FEFF}\n"] {
      #expect(usageErrors(text, .plainEvents) == ["log.csv: error: the file is empty"])
    }
    #expect(
      usageErrors("x", .plainEvents, file: "a.csv/log.txt")
        == [
          "a.csv/log.txt: error: the file's name does not determine the format of its rows; state it as one of: csv, tsv, jsonl"
        ])
    #expect(throws: FileErrors([FileDiagnostic(file: "/nowhere/log.csv", "no such file")])) {
      try UsageLog.read("/nowhere/log.csv", .plainEvents)
    }
    #expect(throws: FileErrors([FileDiagnostic(file: "/", "it is a directory, not a file")])) {
      try UsageLog.read("/", .plainEvents)
    }
  }

  @Test func `the format takes precedence over the file's name`() throws {
    var format = UsageFormat.plainEvents
    format.file = .tsv
    #expect(try usageLog("time\tuser\tapp\tevent\n100\ta\tmail\topen\n", format).apps == ["mail"])
  }
}
