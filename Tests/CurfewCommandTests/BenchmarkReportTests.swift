import BenchSupport
import CurfewBench
import TestRuns
import Testing

/// `curfew report` with results of benchmarks.
@Suite(.inTurn) struct BenchmarkReportTests {
  @Test func `results become a page, and others are refused with their place`() throws {
    let folder = try TemporaryFolder()
    try folder.write(BenchReport(BenchFixture.full).json + "\n", to: "r.json")
    let run = try CurfewProcess.run("report", "r.json", "--output", "page.html", in: folder)
    #expect(run.exitCode == 0, "\(run.messages)")
    #expect(try folder.read("page.html").contains("In deadlines/1"))
    try folder.write("{ \"curfew\": \"bench/2\" }\n", to: "other.json")
    let other = try CurfewProcess.run("report", "other.json", "--output", "o.html", in: folder)
    #expect(other.exitCode == 4 && other.messages.contains("other.json:1:13: error: expected"))
    let policy = try CurfewProcess.run("report", "r.json", "--policy", "ios13", in: folder)
    #expect(policy.exitCode == 64)
  }
}
