import Foundation
import TestRuns
import Testing

/// `curfew report`: a trace as a page.
@Suite(.inTurn) struct ReportCommandTests {
  /// A folder with `t.jsonl`, the trace of an upload whose app is terminated.
  private func recorded() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    #expect(
      try CurfewProcess.run("simulate", "upload.yaml", "--trace", "t.jsonl", in: folder).exitCode
        == 0)
    return folder
  }

  /// The first sentence of a page.
  private func lead(of page: String) -> String? {
    page.firstMatch(of: /<p class="lead">([^<]*)</).map { String($0.output.1) }
  }

  @Test func `the page of the day begins with the events, and is identical each time`() throws {
    let folder = try TemporaryFolder()
    _ = try CurfewProcess.run("simulate", "--json", "--trace", "day.jsonl", in: folder)
    let run = try CurfewProcess.run("report", "day.jsonl", in: folder)
    #expect(
      run.exitCode == 0 && run.messages.isEmpty && run.output.hasSuffix("</html>\n"),
      "\(run.messages)")
    let sentence = try #require(lead(of: run.output))
    #expect(
      sentence.hasPrefix(
        "3 of 5 background tasks ended in time; 14 processes ended, 8 of them to make room in memory"
      ), "\(sentence)")
    #expect(
      sentence.hasSuffix(
        "because it did not end its task &#39;upload&#39; within 5s of its expiration handler."),
      "\(sentence)")
    #expect(
      try CurfewProcess.run("report", "-", "--output", "day.html", in: folder, input: "day.jsonl")
        .exitCode == 0)
    #expect(try folder.read("day.html").hasPrefix("<!DOCTYPE html>"))
    #expect(try CurfewProcess.run("report", "day.jsonl", in: folder).output == run.output)
  }

  @Test func `the page of a cut trace and a message say that the trace was cut`() throws {
    let folder = try recorded()
    let lines = try folder.read("t.jsonl").split(separator: "\n").map(String.init)
    try folder.write(lines.dropLast().joined(separator: "\n") + "\n", to: "cut.jsonl")
    let run = try CurfewProcess.run("report", "cut.jsonl", in: folder)
    #expect(
      run.exitCode == 0
        && run.messages.hasPrefix("cut.jsonl:\(lines.count - 1):1: warning: the trace has no end"),
      "\(run.messages)")
    #expect(lead(of: run.output)?.hasPrefix("Up to ") ?? false)
  }

  @Test func `an invalid trace is an error with its place, and an older page is kept`() throws {
    let folder = try recorded()
    let text = try folder.read("t.jsonl")
    try folder.write("an older page", to: "page.html")
    try folder.write(
      text.replacingOccurrences(of: #""type":"state""#, with: #""type":"stale""#), to: "bad.jsonl")
    let run = try CurfewProcess.run("report", "bad.jsonl", "--output", "page.html", in: folder)
    #expect(
      run.exitCode == 4 && run.output.isEmpty && run.messages.hasPrefix("bad.jsonl:3:1: error: "),
      "\(run.messages)")
    #expect(try folder.read("page.html") == "an older page")
    #expect(try CurfewProcess.run("report", "missing.jsonl", in: folder).exitCode == 4)
    let same = try CurfewProcess.run("report", "t.jsonl", "--output", "t.jsonl", in: folder)
    #expect(
      same.exitCode == 64 && same.messages.contains("would overwrite t.jsonl"), "\(same.messages)")
    #expect(try folder.read("t.jsonl") == text)
  }

  @Test func `a page has no values without its policy, and has them if an option names the policy`()
    throws
  {
    let folder = try recorded()
    let text = try folder.read("t.jsonl")
    let digest = try #require(text.firstMatch(of: /"policyDigest":"([0-9a-f]+)"/)?.output.1)
    try folder.write(
      text.replacingOccurrences(of: digest, with: "0000000000000000"), to: "other.jsonl")
    let without = try CurfewProcess.run("report", "other.jsonl", in: folder)
    #expect(
      without.exitCode == 0 && without.messages.contains("the page has no policy values"),
      "\(without.messages)")
    #expect(
      !without.output.contains("tasks.grant is 30s")
        && without.output.contains("the grant ended with"))
    let with = try CurfewProcess.run("report", "other.jsonl", "--policy", "ios13", in: folder)
    #expect(with.exitCode == 0 && with.output.contains("tasks.grant is 30s"), "\(with.messages)")
  }
}
