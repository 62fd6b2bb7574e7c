import Foundation
import Testing

/// `curfew loadtest` as a user runs it, with few apps for a short time.
@Suite struct LoadTestCommandTests {
  private static let short = ["loadtest", "--apps", "200", "--for", "1400ms", "--segments", "2", "--visits", "400"]

  private func object(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  @Test func `a run is a report, a trace that replays and a file of percentiles`() throws {
    let folder = try TemporaryFolder()
    let run = try CurfewProcess.run(
      Self.short + ["--json", "--trace", "t.jsonl", "--hgrm", "t.hgrm", "--threshold", "early==0,lost==0,twice==0"], in: folder)
    #expect(run.exitCode == 0 && run.messages.isEmpty, "\(run.messages)")
    let json = try object(run.output)
    #expect(json["curfew"] as? String == "loadtest/1" && json["apps"] as? Int == 200 && json["interrupted"] as? Bool == false)
    let counts = try #require(json["expirations"] as? [String: Any])
    let delivered = try #require(counts["delivered"] as? Int)
    #expect(delivered > 200 && counts["expected"] as? Int == delivered)
    #expect((json["thresholds"] as? [[String: Any]])?.count == 3)
    let percentiles = try folder.read("t.hgrm")
    #expect(percentiles.contains("Percentile") && percentiles.contains("#[Max"))
    let replay = try CurfewProcess.run("replay", "t.jsonl", in: folder)
    #expect(replay.exitCode == 0 && replay.output.hasSuffix("the same\n"), "\(replay.output)\(replay.messages)")
  }

  @Test func `a threshold that is crossed is told, after the report, and is exit code 99`() throws {
    let run = try CurfewProcess.run(Self.short + ["--threshold", "lateness.p50<1ns,early==0"])
    #expect(run.exitCode == 99)
    #expect(run.output.contains("expirations expected") && run.output.contains("the floor"))
    #expect(run.messages.hasPrefix("curfew: threshold crossed: lateness.p50<1ns"), "\(run.messages)")
    #expect(!run.messages.contains("early"))
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(2))) func `Ctrl-C ends a run with what was measured, and its trace replays`() throws {
      let folder = try TemporaryFolder()
      let run = try CurfewProcess.run(
        ["loadtest", "--apps", "200", "--for", "120s", "--segments", "2", "--visits", "100", "--json", "--trace", "t.jsonl"], in: folder
      ) { process in
        // The file is made when the plan is: then not before there is something to keep.
        let trace = folder.url.appendingPathComponent("t.jsonl").path
        while process.isRunning, !FileManager.default.fileExists(atPath: trace) { usleep(1_000) }
        sleep(1)
        try process.interruptWhenHeard()
      }
      #expect(run.exitCode == 130 && run.messages.hasPrefix("curfew: interrupted"), "\(run.messages)")
      let json = try object(run.output)
      #expect(json["interrupted"] as? Bool == true)
      #expect((json["work"] as? [String: Any])?["events"] as? Int ?? 0 > 0)
      #expect(try CurfewProcess.run("replay", "t.jsonl", in: folder).exitCode == 0)
    }
  #endif

  @Test(arguments: [
    (["--apps", "0"], "apps"), (["--for", "10"], "--for: "), (["--time-scale", "0"], "'0' is not a time scale"),
    (["--segments", "0"], "segments"), (["--leeway", "fast"], "--leeway: "),
    (["--threshold", "lateness.p98<1ms"], "--threshold: "), (["--visits", "-1"], "visits"),
    (["--policy", "ios3"], "ios3"), (["--for", "1s", "--segments", "5"], "no room for a visit"),
  ])
  func `wrong usage is exit code 64 and names what is wrong`(_ arguments: [String], _ message: String) throws {
    let run = try CurfewProcess.run(["loadtest"] + arguments)
    #expect(run.exitCode == 64 && run.output.isEmpty)
    #expect(run.messages.contains(message), "\(run.messages)")
  }

  @Test func `an invalid policy is exit code 4, and told with its place`() throws {
    let folder = try TemporaryFolder()
    try folder.write("curfew: policy/1\nname: own\nextends: ios13\ntasks: {grant: soon}\n", to: "own.yaml")
    let run = try CurfewProcess.run("loadtest", "--policy", "own.yaml", in: folder)
    #expect(run.exitCode == 4 && run.messages.hasPrefix("own.yaml:4:"), "\(run.messages)")
  }

  @Test func `where a file cannot be written, nothing is run`() throws {
    let folder = try TemporaryFolder()
    let long = ["loadtest", "--for", "60s", "--visits", "10"]
    for option in ["--trace", "--hgrm"] {
      let run = try CurfewProcess.run(long + [option, "none/t.jsonl"], in: folder)
      #expect(run.exitCode == 1 && run.messages.hasPrefix("none/t.jsonl: error: cannot open it for writing"), "\(run.messages)")
    }
    try folder.write("curfew: policy/1\nname: own\nextends: ios13\n", to: "own.yaml")
    let same = try CurfewProcess.run(long + ["--policy", "own.yaml", "--trace", "./own.yaml"], in: folder)
    #expect(same.exitCode == 64)
    #expect(try folder.read("own.yaml").contains("extends"))
    let both = try CurfewProcess.run(long + ["--trace", "x", "--hgrm", "x"], in: folder)
    #expect(both.exitCode == 64 && both.messages.contains("--hgrm x would overwrite x"), "\(both.messages)")
  }
}
