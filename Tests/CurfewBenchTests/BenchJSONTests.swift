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
    record.workloads[0].segments[1].figures[0].value = 1e300
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
