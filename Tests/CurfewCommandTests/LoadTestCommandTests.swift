import Foundation
import Testing

/// `curfew loadtest` as a user runs it, with few apps for a short time.
@Suite struct LoadTestCommandTests {
  private static let short = ["loadtest", "--apps", "200", "--for", "1400ms", "--segments", "2", "--visits", "400"]
  /// What CI asks of a run.
  private static let gate = ["--threshold", "early==0,lost==0,twice==0", "--threshold", "loopShare>=0.3,wakeups>0"]

  private func object(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  @Test func `a run is a report, a trace that replays and a file of percentiles`() throws {
    let folder = try TemporaryFolder()
    let run = try CurfewProcess.run(
      Self.short + ["--json", "--trace", "t.jsonl", "--hgrm", "t.hgrm"] + Self.gate, in: folder)
    #expect(run.exitCode == 0 && run.messages.isEmpty, "\(run.messages)")
    let json = try object(run.output)
    #expect(json["curfew"] as? String == "loadtest/1" && json["apps"] as? Int == 200 && json["interrupted"] as? Bool == false)
    #expect(json["visits"] as? Int == 400 && json["leeway"] as? Int == 0)
    let counts = try #require(json["expirations"] as? [String: Any])
    let delivered = try #require(counts["delivered"] as? Int)
    #expect(delivered > 200 && counts["lost"] as? Int == 0 && counts["expected"] as? Int ?? 0 > 200)
    #expect((json["thresholds"] as? [[String: Any]])?.compactMap { $0["holds"] as? Bool } == Array(repeating: true, count: 5))
    let percentiles = try folder.read("t.hgrm")
    #expect(percentiles.contains("Percentile") && percentiles.contains("#[Max"))
    let replay = try CurfewProcess.run("replay", "t.jsonl", in: folder)
    #expect(replay.exitCode == 0 && replay.output.hasSuffix("the same\n"), "\(replay.output)\(replay.messages)")
  }

  @Test func `a threshold that is crossed is told, after the report, and is exit code 99`() throws {
    let run = try CurfewProcess.run(Self.short + ["--threshold", "lateness.p50<1ns,early==0", "--threshold", "twice==0"])
    #expect(run.exitCode == 99)
    #expect(run.output.hasSuffix("\n\nthresholds that hold: early==0, twice==0\n"), "\(run.output)")
    #expect(run.output.contains("expirations expected") && run.output.contains("the floor"))
    #expect(run.messages.hasPrefix("curfew: threshold crossed: lateness.p50<1ns"), "\(run.messages)")
    #expect(!run.messages.contains("early"))
  }

  @Test func `no threshold is forgotten for another`() throws {
    let run = try CurfewProcess.run(Self.short + ["--threshold", "lateness.p50<1ns", "--threshold", "twice>0", "--threshold", "early==0"])
    #expect(run.exitCode == 99)
    #expect(run.messages.contains("crossed: lateness.p50<1ns") && run.messages.contains("crossed: twice>0"), "\(run.messages)")
  }

  @Test func `a run whose loop leaves it to the callers does not pass CI's gate`() throws {
    let run = try CurfewProcess.run(Self.short + ["--leeway", "49ms"] + Self.gate)
    #expect(run.exitCode == 99)
    #expect(run.messages.contains("crossed: loopShare>=0.3: measured 0"), "\(run.messages)")
    #expect(run.output.contains("The loop decided ") && run.output.contains("49ms"), "\(run.output)")
  }

  @Test(arguments: [("ios4", "0.0005 (a grant of 10m"), ("ios7", "0.0016 (a grant of 3m")])
  func `every policy has a scale of its own, and the header says it`(policy: String, scale: String) throws {
    let run = try CurfewProcess.run(
      ["loadtest", "--apps", "50", "--for", "1s", "--segments", "1", "--visits", "50", "--policy", policy])
    #expect(run.exitCode == 0 && run.output.contains("time scale \(scale) lasts "), "\(run.messages)\(run.output)")
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(2))) func `Ctrl-C ends a run with what was measured, and its trace replays`() throws {
      let folder = try TemporaryFolder()
      let run = try CurfewProcess.run(
        [
          "loadtest", "--apps", "200", "--for", "120s", "--segments", "2", "--visits", "100", "--json", "--trace", "t.jsonl", "--threshold",
          "expirations<1",
        ], in: folder
      ) { process in
        try process.waitUntilHeard(SIGINT)
        sleep(1)
        try process.interruptWhenHeard()
      }
      #expect(run.exitCode == 130)
      #expect(run.messages.hasPrefix("curfew: threshold crossed: expirations<1: measured "), "\(run.messages)")
      #expect(run.messages.hasSuffix("curfew: interrupted; this is what was measured until then\n"), "\(run.messages)")
      let json = try object(run.output)
      #expect(json["interrupted"] as? Bool == true)
      #expect((json["work"] as? [String: Any])?["events"] as? Int ?? 0 > 0)
      let counts = try #require(json["expirations"] as? [String: Any])
      let decided = try #require(counts["decided"] as? Int)
      #expect(counts["lost"] as? Int == 0 && counts["expected"] as? Int == decided && decided > 0, "\(counts)")
      #expect(try CurfewProcess.run("replay", "t.jsonl", in: folder).exitCode == 0)
    }

    @Test(.timeLimit(.minutes(2)), arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal is heard where nothing happens for a minute`(_ signal: Int32, _ exitCode: Int32) throws {
      let sparse = ["loadtest", "--apps", "1", "--time-scale", "1", "--for", "90s", "--segments", "1", "--visits", "1"]
      var start = Date()
      let run = try CurfewProcess.run(sparse) { process in
        try process.waitUntilHeard(signal)
        usleep(200_000)
        start = Date()
        try process.interruptWhenHeard(signal)
      }
      #expect(run.exitCode == exitCode && run.output.contains("; interrupted"), "\(run.output)\(run.messages)")
      // A step is some thirty seconds away. Two seconds are the patience with handlers on their way.
      #expect(Date().timeIntervalSince(start) < 10)
    }

    @Test(.timeLimit(.minutes(2))) func `a second Ctrl-C ends the process at once`() throws {
      let folder = try TemporaryFolder()
      // Nobody reads the trace, so that it is never written to its end.
      let pipe = folder.url.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let run = try CurfewProcess.run(["loadtest", "--for", "60s", "--trace", pipe], in: folder) { process in
        try process.interruptWhenHeard()
        // The first one is heard when the second is not any more.
        while process.isRunning, try process.catches(SIGINT) { usleep(1_000) }
        sleep(1)
        #expect(process.isRunning)
        process.interrupt()
      }
      #expect(run.exitCode == SIGINT && run.messages.isEmpty, "\(run.exitCode) \(run.messages)")
    }
  #endif

  @Test(arguments: [
    (["--apps", "0"], "0 apps; 1 to 1,000,000 are possible"), (["--for", "10"], "--for: '10' has no unit"),
    (["--time-scale", "0"], "--time-scale: '0' is not a time scale; a time scale is a decimal number from 0.000001 to 1000000"),
    (["--time-scale", "1/100"], "'1/100' is not a time scale"), (["--segments", "0"], "0 segments; 1 to 10,000 are possible"),
    (["--leeway", "fast"], "--leeway: 'fast' is not a duration"),
    (["--leeway", "50ms"], "a leeway of 50ms reaches the warning, which 'ios13' gives 50ms before the end of a grant at 0.01"),
    (["--threshold", "early==0", "--threshold", "lost==0, latency<1"], "--threshold, character 10: unknown metric 'latency'"),
    (["--visits", "0"], "0 visits a second; 1 to"), (["--policy", "ios3"], "the policy 'ios3' has no multitasking"),
    (["--for", "1s", "--segments", "5"], "run for 2965ms or longer"), (["--for", "1h"], "run for 1000s at most"),
    (["--trace", "-"], "--trace takes a file; /dev/stdout is one"), (["--hgrm", "-"], "--hgrm takes a file; /dev/stdout is one"),
  ])
  func `wrong usage is exit code 64 and names what is wrong`(_ arguments: [String], _ message: String) throws {
    let run = try CurfewProcess.run(["loadtest"] + arguments)
    #expect(run.exitCode == 64 && run.output.isEmpty)
    #expect(run.messages.hasPrefix("curfew loadtest: error: ") && run.messages.contains(message), "\(run.messages)")
    #expect(run.messages.split(separator: "\n").count == 1, "\(run.messages)")
  }

  @Test func `the help names what may be asked for`() throws {
    let help = try CurfewProcess.run("loadtest", "--help")
    let words = help.output.split(separator: /\s+/).joined(separator: " ")
    for word in ["0.000001 to 1000000", "Documentation/formats/loadtest.md", "loopShare", "143 terminated"] {
      #expect(words.contains(word), "\(word)")
    }
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
