import BenchSupport
import CurfewBench
import CurfewText
import Foundation
import TestSupport
import Testing

/// Results files: `CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests` writes the schema.
@Suite struct BenchSchemaTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Documentation")

  private func read(_ text: String) throws -> RunRecord {
    try RunRecord.read(SourceFile(name: "r.json", bytes: Array(text.utf8)))
  }

  private func complaints(_ json: String) throws -> [String] {
    let schema = try #require(
      try JSONSerialization.jsonObject(with: Data(BenchReport.jsonSchema.utf8)) as? [String: Any])
    return TestSupport.complaints(
      about: try JSONSerialization.jsonObject(with: Data(json.utf8)), against: schema)
  }

  @Test func `the schema in the documentation is the one that the declarations give`() throws {
    let file = folder.appendingPathComponent("schemas/bench.schema.json")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_SCHEMAS"] != nil {
      try Data(BenchReport.jsonSchema.utf8).write(to: file)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == BenchReport.jsonSchema,
      "CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests writes it again")
  }

  @Test func `results are read as they were written`() throws {
    var record = BenchFixture.full
    record.interruption = "SIGINT"
    record.options.until = 0.1
    record.options.seed = .max
    record.options.only = ["a \"quoted\" name: with \\ signs, #1", "مرحبا"]
    record.options.against = "/tmp/other"
    record.options.againstCommit = "9c1e0f2+changes"
    record.workloads[0].contestants[1].ownCode = true
    record.workloads[0].segments[0].othersShare = nil
    record.workloads[0].segments[0].figures[0].value = 1.0 / 3e20
    record.workloads[0].segments[1].figures[0].value = 1e17
    let json = try BenchReport(record).json
    #expect(try read(json) == record)
    #expect(try complaints(json) == [])
    #expect(try BenchReport(read(json)).json == json)
  }

  @Test func `text that a contestant printed has one line and no control characters`() throws {
    var record = BenchFixture.full
    record.workloads[0].contestants[0].notes = "one line\r\nanother\u{1b}[31m\u{202e}"
    let found = try read(BenchReport(record).json).workloads[0].contestants[0].notes
    #expect(found == "one line another\\u{1b}[31m\\u{202e}")
  }

  @Test(arguments: [
    (#""clean":true"#, #""clean":"yes""#), (#""outcome":"measured""#, #""outcome":"fine""#),
    (#""cores":2"#, #""cores":"2""#), (#""p50":"#, #""p50":null,"q":"#),
    (#""segments":["#, #""pieces":["#),
  ])
  func `invalid results have complaints and an error with its place`(_ good: String, _ bad: String)
    throws
  {
    let json = try BenchReport(BenchFixture.full).json
    let broken = json.replacingOccurrences(of: good, with: bad)
    #expect(broken != json)
    #expect(try complaints(broken) != [])
    let error = #expect(throws: FileErrors.self) { try read(broken) }
    #expect(error?.description.hasPrefix("r.json:1:") == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    (
      "\"p50\":12375", "\"p50\":1e308",
      "expected a number from -1e18 to 1e18 under 'p50', found '1e308'"
    ),
    ("\"p50\":12375", "\"p50\":-5", "'p50' is negative in a segment without early timers: '-5'"),
    (
      "\"p50\":12375", "\"p5\":12375",
      "'p5' is not among the figures of 'deadlines/1, spaced, size 2,000'"
    ),
    ("\"ended\":\"11750000000\"", "\"ended\":\"1\"", "'ended' is 1, before 'began', 11000000000"),
    (
      "\"began\":\"11000000000\"", "\"began\":\"-1\"",
      "expected a whole number in quotes under 'began', found '-1'"
    ),
    (
      "\"contestant\":\"curfew\",\"repetition\"", "\"contestant\":\"nobody\",\"repetition\"",
      "'nobody' is not among the contestants of 'deadlines/1, spaced, size 2,000'"
    ),
    (
      "\"others\":0.0125", "\"others\":1.5",
      "expected a number from 0 to 1 under 'others', found '1.5'"
    ),
    (
      "\"size\":1000000", "\"size\":0",
      "expected a whole number from 1 to 1000000 under 'size', found '0'"
    ),
    (
      "\"repetitions\":10", "\"repetitions\":41",
      "expected a whole number from 1 to 40 under 'repetitions', found '41'"
    ),
  ])
  func `a number or a name that cannot be is refused with its place`(
    _ good: String, _ bad: String, _ message: String
  ) throws {
    let json = try BenchReport(BenchFixture.full).json
    let broken = json.replacingOccurrences(of: good, with: bad)
    #expect(broken != json)
    let error = #expect(throws: FileErrors.self) { try read(broken) }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("r.json:1:") && text.contains(message), "\(text)")
  }

  @Test(arguments: [
    ("{\"name\":\"jdk\"", "{\"name\":\"curfew\"", "'curfew' is in 'contestants' twice"),
    ("{\"name\":\"cpu\"", "{\"name\":\"p50\"", "'p50' is in 'figures' twice"),
    (
      "\"name\":\"fleet/1\",\"size\":1000000", "\"name\":\"fleet/1\",\"size\":10000",
      "'fleet/1, size 10,000' is in 'workloads' twice"
    ),
  ])
  func `a name that is there twice is refused with its place`(
    _ once: String, _ twice: String, _ message: String
  ) throws {
    let json = try BenchReport(BenchFixture.full).json
    let broken = json.replacingOccurrences(of: once, with: twice)
    #expect(broken != json)
    let error = #expect(throws: FileErrors.self) { try read(broken) }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("r.json:1:") && text.contains(message), "\(text)")
  }

  @Test(arguments: [
    ("{}", "r.json:1:1: error: missing key 'curfew'"),
    (#"{"curfew":"bench/2"}"#, "r.json:1:11: error: expected 'bench/1', found 'bench/2'"),
    (#"{"curfew":"sweep/2"}"#, "another kind of file, or another version"),
    (#"{"curfew":"bench/1"}"#, "r.json:1:1: error: missing key 'machine'"),
    ("[1,2]", "r.json:1:1: error"), ("{\"curfew\":\"bench/1\",", "r.json:1:"),
  ])
  func `a file that has no results is refused with its place`(_ text: String, _ message: String) {
    let error = #expect(throws: FileErrors.self) { try read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `the example of the page is valid`() throws {
    let page = try String(
      contentsOf: folder.appendingPathComponent("formats/bench.md"), encoding: .utf8)
    let example = try #require(
      page.components(separatedBy: "```json\n").dropFirst().first?
        .components(separatedBy: "\n```").first)
    #expect(try complaints(example) == [])
    let report = try BenchReport(read(example))
    #expect(report.verdict.exitCode == 0)
    let written = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? NSDictionary
    let shown = try JSONSerialization.jsonObject(with: Data(example.utf8)) as? NSDictionary
    #expect(written == shown)
  }
}
