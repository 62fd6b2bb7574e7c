import Foundation
import TestRuns
import Testing

#if os(Linux)
  extension Process {
    /// Waits until the process has opened its output file, which it does after planning and before
    /// the run, or until it has ended.
    fileprivate func waitUntilPlanned(_ file: String) throws {
      let folder = "/proc/\(processIdentifier)/fd"
      while isRunning {
        let links = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
          .compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
          }
        if links.contains(where: { $0.hasSuffix("/\(file)") }) { return }
        usleep(1_000)
      }
    }
  }
#endif

/// `curfew loadtest` as a user runs it, with few apps for a short time.
@Suite(.inTurn) struct LoadTestCommandTests {
  /// Grants of one second: a handler is missed only if the machine stalls for 167 ms.
  private static let short = [
    "loadtest", "--apps", "200", "--time-scale", "0.0334", "--for", "4s", "--segments", "2",
    "--visits", "100",
  ]

  /// Grants of 300 ms, for tests that do not look at the measurements.
  private static let shortest = [
    "loadtest", "--apps", "100", "--for", "600ms", "--segments", "1", "--visits", "100",
  ]

  private func object(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  /// Success depends on the machine; the exit code and the messages must agree with the report.
  private func expectVerdict(_ run: CurfewProcess, _ report: NSDictionary) throws {
    let contradictions = try #require(report["contradictions"] as? [String])
    let failures = try #require(report["failures"] as? [String])
    let doubts = try #require(report["doubts"] as? [String])
    let crossings = try #require(report["thresholds"] as? [[String: Any]]).filter {
      $0["holds"] as? Bool == false
    }
    #expect(contradictions.isEmpty, "\(contradictions)")
    #expect(
      run.exitCode == (!failures.isEmpty || !crossings.isEmpty ? 99 : !doubts.isEmpty ? 7 : 0),
      "\(run.messages)")
    let lines = run.told
    #expect(
      lines.filter { $0.hasPrefix("curfew: failed: ") } == failures.map { "curfew: failed: \($0)" })
    #expect(
      lines.filter { $0.hasPrefix("curfew: inconclusive: ") }
        == doubts.map { "curfew: inconclusive: \($0)" })
    #expect(lines.count == failures.count + doubts.count + crossings.count, "\(lines)")
    let counts = try #require(report["expirations"] as? [String: Any])
    let fates = try ["delivered", "endedFirst", "missed", "pending"].map {
      try #require(counts[$0] as? Int)
    }
    #expect(counts["expected"] as? Int == fates.reduce(0, +), "\(counts)")
    for name in ["missed", "lost", "twice"] where counts[name] as? Int ?? 0 > 0 {
      #expect(!failures.isEmpty, "\(name)")
    }
  }

  @Test func `a run is a report, a trace that replays and a file of percentiles`() throws {
    let folder = try TemporaryFolder()
    let run = try CurfewProcess.run(
      Self.short + [
        "--json", "--trace", "t.jsonl", "--hgrm", "t.hgrm", "--threshold", "early==0,twice==0",
        "--threshold", "wakeups>0",
      ],
      in: folder)
    let json = try object(run.output)
    try expectVerdict(run, json)
    #expect(
      json["curfew"] as? String == "loadtest/4" && json["apps"] as? Int == 200
        && json["interrupted"] as? Bool == false)
    #expect(json["visits"] as? Int == 100 && json["leeway"] as? Int == 0)
    let counts = try #require(json["expirations"] as? [String: Any])
    #expect(counts["expected"] as? Int ?? 0 > 200 && counts["delivered"] as? Int ?? 0 > 0)
    #expect(
      (json["thresholds"] as? [[String: Any]])?.compactMap { $0["holds"] as? Bool }
        == Array(repeating: true, count: 3))
    let percentiles = try folder.read("t.hgrm")
    #expect(percentiles.contains("Percentile") && percentiles.contains("#[Max"))
    let replay = try CurfewProcess.run("replay", "t.jsonl", in: folder)
    #expect(
      replay.exitCode == 0 && replay.output.hasSuffix("the same\n"),
      "\(replay.output)\(replay.messages)")
  }

  @Test func `a crossed threshold is reported after the report, with exit code 99`() throws {
    let run = try CurfewProcess.run(
      Self.shortest + ["--threshold", "lateness.p50<1ns,early==0", "--threshold", "twice==0"])
    #expect(run.exitCode == 99)
    #expect(run.output.hasSuffix("\n\nthresholds that hold: early==0, twice==0\n"), "\(run.output)")
    #expect(run.output.contains("expirations expected") && run.output.contains("the floor"))
    #expect(run.messages.contains("curfew: threshold crossed: lateness.p50<1ns"), "\(run.messages)")
    #expect(!run.messages.contains("crossed: early"))
  }

  @Test func `all thresholds are checked`() throws {
    let run = try CurfewProcess.run(
      Self.shortest + [
        "--threshold", "lateness.p50<1ns", "--threshold", "twice>0", "--threshold", "early==0",
      ])
    #expect(run.exitCode == 99)
    #expect(
      run.messages.contains("crossed: lateness.p50<1ns")
        && run.messages.contains("crossed: twice>0"), "\(run.messages)")
  }

  @Test func `the report has the loop's share of decisions`() throws {
    let run = try CurfewProcess.run(
      Self.shortest + [
        "--leeway", "49ms", "--threshold", "early==0", "--threshold", "loopShare>1,wakeups>0",
      ])
    #expect(run.exitCode == 99)
    #expect(run.messages.contains("crossed: loopShare>1: measured "), "\(run.messages)")
    #expect(
      run.output.contains("The loop decided ") && run.output.contains("49ms"), "\(run.output)")
  }

  @Test(arguments: Campaign.some(1, of: [("ios7", "0.002"), ("ios4", "0.002")]))
  func `every policy has its own scale, and the report prints it`(policy: String, scale: String)
    throws
  {
    let run = try CurfewProcess.run([
      "loadtest", "--apps", "50", "--for", "2s", "--segments", "1", "--visits", "50", "--json",
      "--policy", policy,
    ])
    let json = try object(run.output)
    try expectVerdict(run, json)
    #expect(json["scale"] as? Double == Double(scale))
  }

  @Test
  func
    `at a scale at which nothing can be called in time everything is missed, and the report says why`()
    throws
  {
    let run = try CurfewProcess.run([
      "loadtest", "--apps", "50", "--for", "500ms", "--segments", "1", "--visits", "200",
      "--time-scale", "0.000001", "--json",
    ])
    let json = try object(run.output)
    try expectVerdict(run, json)
    let counts = try #require(json["expirations"] as? [String: Any])
    #expect(run.exitCode == 99 && counts["missed"] as? Int ?? 0 > 0, "\(counts)")
    let notes = try #require(json["notes"] as? [String])
    #expect(
      notes.contains { $0.contains("this time scale a handler has 5us from its warning") },
      "\(notes)")
  }

  @Test func `a run too short to measure is inconclusive, and says so`() throws {
    let run = try CurfewProcess.run([
      "loadtest", "--apps", "3", "--for", "2s", "--segments", "1", "--visits", "2", "--time-scale",
      "0.0334", "--json",
    ])
    try expectVerdict(run, try object(run.output))
    // If the machine stalls, a warning may be missed, and that message comes first.
    #expect(
      run.exitCode != 0
        && run.told.contains { $0.hasPrefix("curfew: inconclusive: too short to measure: ") },
      "\(run.messages)")
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(30)))
    func `Ctrl-C ends a run with what was measured, and its trace replays`() throws {
      let folder = try TemporaryFolder()
      let run = try CurfewProcess.run(
        [
          "loadtest", "--apps", "200", "--for", "120s", "--segments", "60", "--visits", "100",
          "--json", "--trace", "t.jsonl",
          "--threshold",
          "expirations<1",
        ], in: folder
      ) { process in
        try process.waitUntilPlanned("t.jsonl")
        // The floor takes a second before the first segment.
        sleep(3)
        try process.interruptWhenHeard()
      }
      // A machine that stalls for long in these seconds loses some handlers.
      #expect(
        run.exitCode == 130 || run.exitCode == 99 && run.messages.contains(" lost: "),
        "\(run.messages)")
      #expect(
        run.told.contains { $0.hasPrefix("curfew: threshold crossed: expirations<1: measured ") },
        "\(run.messages)")
      #expect(
        run.told.last == "curfew: interrupted: the report covers the time until then",
        "\(run.messages)")
      let json = try object(run.output)
      #expect(json["interrupted"] as? Bool == true)
      #expect((json["work"] as? [String: Any])?["events"] as? Int ?? 0 > 0)
      let counts = try #require(json["expirations"] as? [String: Any])
      let fates = try ["delivered", "endedFirst", "missed", "pending"].map {
        try #require(counts[$0] as? Int)
      }
      #expect(
        counts["expected"] as? Int == fates.reduce(0, +) && fates.reduce(0, +) > 0
          && json["doubts"] as? [String] == [], "\(counts)")
      #expect(try CurfewProcess.run("replay", "t.jsonl", in: folder).exitCode == 0)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal is handled even if nothing happens for a minute`(
      _ signal: Int32, _ exitCode: Int32
    )
      throws
    {
      let folder = try TemporaryFolder()
      let sparse = [
        "loadtest", "--apps", "1", "--time-scale", "1", "--for", "90s", "--segments", "1",
        "--visits", "1", "--hgrm", "t.hgrm",
      ]
      var start = Date()
      let run = try CurfewProcess.run(sparse, in: folder) { process in
        try process.waitUntilPlanned("t.hgrm")
        usleep(200_000)
        start = Date()
        try process.interruptWhenHeard(signal)
      }
      #expect(
        run.exitCode == exitCode && run.output.contains("; interrupted"),
        "\(run.output)\(run.messages)")
      #expect(run.messages == "curfew: interrupted: the report covers the time until then\n")
      // The next step is some thirty seconds away. The program waits two seconds for handlers that
      // are being called.
      #expect(Date().timeIntervalSince(start) < 25)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal is handled during planning`(
      _ signal: Int32, _ exitCode: Int32
    ) throws {
      // A plan that takes many seconds to make.
      let large = ["loadtest", "--apps", "200000", "--visits", "60000", "--for", "30s"]
      var start = Date()
      let run = try CurfewProcess.run(large) { process in
        try process.interruptWhenHeard(signal)
        // As by `timeout(1)`, which also signals the program's group.
        kill(process.processIdentifier, signal)
        start = Date()
      }
      #expect(run.exitCode == exitCode && run.output.isEmpty, "\(run.exitCode)")
      #expect(run.messages == "curfew: interrupted: before anything was measured\n")
      #expect(Date().timeIntervalSince(start) < 25)
    }

    @Test
    func
      `without a descriptor for the floor the rest is reported, and with fewer nothing is run`()
      throws
    {
      var answers: Set<String> = []
      // The trace's file takes the floor's descriptor at one limit, which depends on the shell.
      for limit in [10, 40] + Array(12...18) where !answers.contains("some") {
        let run = try CurfewProcess.shell(
          "ulimit -n \(limit) && exec \"$0\" loadtest --apps 20 --visits 100 --for 600ms --segments 1 --json --trace t.jsonl",
          in: try TemporaryFolder())
        if run.output.isEmpty {
          #expect(
            run.exitCode == 1 && run.told.count == 1, "\(limit): \(run.exitCode) \(run.messages)")
          #expect(
            run.told[0].hasPrefix("curfew: error: ")
              && run.told[0].hasSuffix("; nothing was measured"))
          answers.insert("none")
        } else {
          let json = try object(run.output)
          try expectVerdict(run, json)
          let notes = try #require(json["notes"] as? [String])
          answers.insert(
            notes.contains { $0.contains("The floor was left out: cannot ") } ? "some" : "all")
          #expect((json["expirations"] as? [String: Any])?["expected"] as? Int ?? 0 > 0)
        }
      }
      #expect(answers == ["none", "some", "all"])
    }

    @Test(.timeLimit(.minutes(30))) func `a second Ctrl-C ends the process at once`() throws {
      let folder = try TemporaryFolder()
      // Nobody reads the trace, so writing it never finishes.
      let pipe = folder.url.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let run = try CurfewProcess.run(
        ["loadtest", "--apps", "4000", "--visits", "500", "--for", "60s", "--trace", pipe],
        in: folder
      ) {
        process in
        try process.waitUntilPlanned("pipe")
        process.interrupt()
        sleep(1)
        #expect(process.isRunning)
        process.interrupt()
      }
      #expect(run.exitCode == SIGINT && run.messages.isEmpty, "\(run.exitCode) \(run.messages)")
    }
  #endif

  @Test(arguments: [
    (["--apps", "0"], "0 apps; 1 to 1,000,000 are possible"),
    (["--for", "10"], "--for: '10' has no unit"),
    (
      ["--time-scale", "0"],
      "--time-scale: '0' is not a time scale; a time scale is a decimal number from 0.000001 to 1000000"
    ),
    (["--time-scale", "1/100"], "'1/100' is not a time scale"),
    (["--segments", "0"], "0 segments; 1 to 10,000 are possible"),
    (["--leeway", "fast"], "--leeway: 'fast' is not a duration"),
    (
      ["--leeway", "50ms"],
      "a leeway of 50ms is too long: 'ios13' warns 50ms before the end of a grant at 0.01"
    ),
    (
      ["--threshold", "early==0", "--threshold", "lost==0, latency<1"],
      "--threshold, character 10: unknown metric 'latency'"
    ),
    (["--visits", "0"], "0 visits a second; 1 to"),
    (["--policy", "ios3"], "the policy 'ios3' has no multitasking"),
    (["--for", "1s", "--segments", "5"], "run for 2965ms or longer"),
    (["--for", "1h"], "run for 1000s at most"),
    (["--trace", "-", "--hgrm", "-"], "--trace and --hgrm cannot both be standard output"),
  ])
  func `wrong usage exits with 64 and names what is wrong`(
    _ arguments: [String], _ message: String
  ) throws {
    let run = try CurfewProcess.run(["loadtest"] + arguments)
    #expect(run.exitCode == 64 && run.output.isEmpty)
    #expect(
      run.messages.hasPrefix("curfew: error: ") && run.messages.contains(message), "\(run.messages)"
    )
    #expect(run.messages.split(separator: "\n").count == 1, "\(run.messages)")
  }

  @Test func `the help names the possible metrics`() throws {
    let help = try CurfewProcess.run("loadtest", "--help")
    let words = help.output.split(separator: /\s+/).joined(separator: " ")
    for word in [
      "0.000001 to 1000000", "Documentation/formats/loadtest.md", "loopShare", "143 terminated",
      "6, then 99, then 7", "7 inconclusive",
    ] {
      #expect(words.contains(word), "\(word)")
    }
  }

  @Test func `an invalid policy exits with 4 and is reported with its place`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "curfew: policy/1\nname: own\nextends: ios13\ntasks: {grant: soon}\n", to: "own.yaml")
    let run = try CurfewProcess.run("loadtest", "--policy", "own.yaml", in: folder)
    #expect(run.exitCode == 4 && run.messages.hasPrefix("own.yaml:4:"), "\(run.messages)")
  }

  @Test func `if a file cannot be written, nothing is run`() throws {
    let folder = try TemporaryFolder()
    let long = ["loadtest", "--for", "60s", "--visits", "10"]
    for option in ["--trace", "--hgrm"] {
      let run = try CurfewProcess.run(long + [option, "none/t.jsonl"], in: folder)
      #expect(
        run.exitCode == 1
          && run.messages.hasPrefix("none/t.jsonl: error: cannot open it for writing"),
        "\(run.messages)")
    }
    try folder.write("curfew: policy/1\nname: own\nextends: ios13\n", to: "own.yaml")
    let same = try CurfewProcess.run(
      long + ["--policy", "own.yaml", "--trace", "./own.yaml"], in: folder)
    #expect(same.exitCode == 64)
    #expect(try folder.read("own.yaml").contains("extends"))
    let both = try CurfewProcess.run(long + ["--trace", "x", "--hgrm", "x"], in: folder)
    #expect(
      both.exitCode == 64 && both.messages.contains("--hgrm x would overwrite x"),
      "\(both.messages)")
  }
}
