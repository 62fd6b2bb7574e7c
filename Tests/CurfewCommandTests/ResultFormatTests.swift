import Foundation
import TestRuns
import Testing

@testable import CurfewCommand

/// `--format`: the forms of a result, the valid combinations, and the requirements of a trace
/// for Perfetto.
@Suite(.inTurn) struct ResultFormatTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    return folder
  }

  @Test(arguments: ["json", "csv"])
  func `a format gives the same output by its name and by its flag`(_ form: String) throws {
    let folder = try folder()
    let (named, flag) = (
      try CurfewProcess.run("simulate", "upload.yaml", "--format", form, in: folder),
      try CurfewProcess.run("simulate", "upload.yaml", "--\(form)", in: folder)
    )
    #expect(named.exitCode == 0 && named.output == flag.output && !named.output.isEmpty)
  }

  @Test(arguments: ["--format json", "--format=json", "--json"])
  func `with JSON as the format, messages are JSON`(_ option: String) throws {
    let arguments = ["simulate", "nobody.yaml"] + option.split(separator: " ").map(String.init)
    #expect(
      ResultFormat.isJSON(arguments)
        && !ResultFormat.isJSON(["simulate", "--format", "text", "--", "--json"]))
    let run = try CurfewProcess.run(arguments)
    #expect(
      run.exitCode == 4 && run.messages.hasPrefix("{\"curfew\":\"message/1\""), "\(run.messages)")
  }

  @Test func `standard output has only the trace for Perfetto, even beside a trace in JSON Lines`()
    throws
  {
    let folder = try folder()
    let plain = try CurfewProcess.run(
      "simulate", "upload.yaml", "--trace", "plain.jsonl", in: folder)
    let script =
      #""$0" simulate upload.yaml --format perfetto --trace beside.jsonl > run.pftrace && "$0" replay beside.jsonl --format perfetto > again.pftrace"#
    let both = try CurfewProcess.shell(script, in: folder)
    #expect(
      plain.exitCode == 0 && both.exitCode == 0 && both.messages.isEmpty && both.output.isEmpty,
      "\(both.messages)")
    #expect(try folder.read("beside.jsonl") == folder.read("plain.jsonl"))
    let bytes = try (1...2).map {
      try Data(
        contentsOf: folder.url.appendingPathComponent($0 == 1 ? "run.pftrace" : "again.pftrace"))
    }
    // The trace begins with a packet, which is a field 1 of bytes, and contains the task's label.
    #expect(
      bytes.allSatisfy {
        $0.first == 0x0A && $0.count > 1000 && $0.range(of: Data("upload".utf8)) != nil
      })
  }

  @Test
  func `a replay that differs writes the trace up to the difference, and reports the difference`()
    throws
  {
    let folder = try folder()
    _ = try CurfewProcess.run("simulate", "upload.yaml", "--trace", "t.jsonl", in: folder)
    let script = #""$0" replay t.jsonl --policy ios7 --format perfetto > run.pftrace"#
    let run = try CurfewProcess.shell(script, in: folder)
    #expect(
      run.exitCode == 5
        && run.messages.contains("t.jsonl: failed: different under ios7 from line "),
      "\(run.messages)")
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("run.pftrace")).count > 500)
  }

  @Test(arguments: [
    (
      "simulate upload.yaml --json --format csv",
      "--format csv and --json are mutually exclusive: the result has one format"
    ),
    (
      "simulate upload.yaml --json --csv",
      "--json and --csv are mutually exclusive: the result has one format"
    ),
    (
      "simulate upload.yaml --format perfetto --trace -",
      "cannot both be standard output; name a file: --trace FILE"
    ),
    ("simulate upload.yaml --format perfetto --stats", "--stats does not apply"),
    ("simulate upload.yaml --format perfetto --only ends", "--format perfetto has the whole run"),
    ("simulate phone", "'phone' is a workload, which is run on devices: curfew fleet phone"),
    (
      "fleet upload.yaml",
      "'upload.yaml' is a scenario, which is run once: curfew simulate upload.yaml"
    ),
    ("fleet --format perfetto", "'text', 'json', 'csv' or 'openmetrics'"),
    (
      "fleet --json --format csv",
      "--format csv and --json are mutually exclusive: the result has one format"
    ),
    ("simulate upload.yaml --devices 3", "unknown option '--devices'"),
    ("simulate upload.yaml --hgrm there", "it needs --stats"),
    ("replay t.jsonl --format csv", "'text', 'json' or 'perfetto'"),
    ("simulate upload.yaml --format svg", "svg"),
  ])
  func `mutually exclusive options are refused with one sentence`(
    _ line: String, _ message: String
  )
    throws
  {
    let run = try CurfewProcess.run(line.split(separator: " ").map(String.init), in: try folder())
    #expect(
      run.exitCode == 64 && run.output.isEmpty && run.messages.contains(message), "\(run.messages)")
  }

  @Test(arguments: [
    ("simulate ios13", 4, "no such file; 'ios13' is a built-in policy: --policy ios13"),
    (
      "explain phone --app a", 4, "no such file; 'phone' is a built-in workload: curfew fleet phone"
    ),
    ("simulate mine.yaml", 4, "another kind of file, or another version; --policy takes a policy"),
    (
      "replay upload.yaml", 4,
      "upload.yaml:1:1: error: not a trace line: curfew: scenario/1; 'simulate --trace' writes the trace of a"
    ),
  ])
  func `a file of another sort is an error that names the command for it`(
    _ line: String, _ code: Int32, _ message: String
  ) throws {
    let folder = try folder()
    try Data("curfew: policy/1\nname: mine\nextends: ios13\n".utf8).write(
      to: folder.url.appendingPathComponent("mine.yaml"))
    let run = try CurfewProcess.run(line.split(separator: " ").map(String.init), in: folder)
    #expect(
      run.exitCode == code && run.output.isEmpty && run.messages.contains(message),
      "\(run.messages)")
  }

  @Test func `figures for Prometheus name their run and have an end`() throws {
    let run = try CurfewProcess.run(
      "simulate", "upload.yaml", "--format", "openmetrics", in: try folder())
    #expect(run.exitCode == 0 && run.output.hasSuffix("\n# EOF\n"))
    #expect(run.output.contains("policy=\"ios13\""))
  }

  @Test func `distributions are files in a folder, named after their subject`() throws {
    let folder = try folder()
    let run = try CurfewProcess.run(
      "simulate", "upload.yaml", "--stats", "--hgrm", "new/folder", in: folder)
    #expect(run.exitCode == 0 && run.messages.isEmpty, "\(run.messages)")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.appendingPathComponent("new/folder").path)
    #expect(
      files.contains("all.taskLength.hgrm") && files.contains("mail.taskLength.hgrm")
        || files.contains("com.example.mail.taskLength.hgrm"))
    #expect(try folder.read("new/folder/all.taskLength.hgrm").hasSuffix("#[Unit    = seconds]\n"))
    let refused = try CurfewProcess.run(
      "simulate", "upload.yaml", "--stats", "--hgrm", "upload.yaml", in: folder)
    #expect(
      refused.exitCode == 1 && refused.messages.contains("upload.yaml/"), "\(refused.messages)")
  }

  @Test func `a trace on a full disk consists of whole packets`() throws {
    let folder = try folder()
    // 16 blocks of 512 or 1,024 bytes: less than the trace of a day needs.
    let run = try CurfewProcess.shell(
      #"ulimit -f 16; trap '' XFSZ; "$0" simulate --format perfetto > day.pftrace"#, in: folder)
    #expect(run.exitCode == 1, "\(run.messages)")
    let bytes = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("day.pftrace")))
    #expect(!bytes.isEmpty && wholePackets(bytes))
  }

  /// Whether the bytes consist of complete fields with the number 1 and their lengths.
  private func wholePackets(_ bytes: [UInt8]) -> Bool {
    var place = 0
    while place < bytes.count {
      guard bytes[place] == 0x0A else { return false }
      place += 1
      var (length, shift) = (0, 0)
      repeat {
        guard place < bytes.count else { return false }
        length |= Int(bytes[place] & 0x7F) << shift
        (place, shift) = (place + 1, shift + 7)
      } while bytes[place - 1] >= 0x80
      place += length
    }
    return place == bytes.count
  }
}
