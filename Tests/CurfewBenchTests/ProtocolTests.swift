import Testing

@testable import CurfewBench

#if os(Linux)
  /// Contestants that are short programs in Python.
  @Suite(.serialized) struct ProtocolTests {
    private static let prelude = """
      import json, os, sys, time
      def hear(): return json.loads(sys.stdin.readline() or "{}")
      def say(**answer): print(json.dumps(answer), flush=True)
      def segment():
          n, t = hear()["segment"], time.monotonic_ns()
          say(segment=n, began=t, ended=time.monotonic_ns())
      def answer(begun=10):
          say(answer=hear()["answer"], begun=begun, ended=10)
      def whole(begun=10):
          segment()
          answer(begun)
      first = hear()

      """
    private static let ready = prelude + "say(ready=True, rounding='none')\n"

    /// The facts of a machine take a second, and no test reads them.
    private let machine = MachineRecord(
      date: "", commit: nil, isClean: false, compiler: "", flags: "", kernel: "", architecture: "",
      processor: "", cores: 1, governor: nil, frequencyScaling: nil, memoryBytes: 0, load: [])

    /// The outcome of a script in a run with one measured segment of ten pairs.
    private func outcome(_ script: String, patience: Double = 20) throws
      -> ContestantRecord.Outcome
    {
      let folder = try ScratchFolder()
      let suite = try folder.suite([("tried", .peer, script)], workload: "begin-end/1")
      let record = try run(suite, "begin-end", patience: patience)
      if record.contestants[0].outcome == .measured {
        #expect(record.segments.map(\.segment) == [1])
        #expect(record.contestants[0].rounding == "none")
      }
      return record.contestants[0].outcome
    }

    /// One repetition of a workload of size 10.
    private func run(_ suite: CurfewBench.Suite, _ workload: String, patience: Double = 20) throws
      -> WorkloadRecord
    {
      var options = RunOptions()
      options.selections = [
        RunOptions.Selection(kind: try .named(workload), sizes: [10], shape: nil)
      ]
      (options.repetitions, options.patience) = (1, patience)
      var run = try BenchRun(suite, options, on: machine) { _ in }
      try run.prepare()
      return try run.run { _ in true }.workloads[0]
    }

    @Test func `a contestant that keeps to the protocol is measured`() throws {
      #expect(try outcome(Self.ready + "whole(); whole(); hear()") == .measured)
    }

    @Test func `a contestant may say that it cannot run a workload`() throws {
      #expect(
        try outcome(Self.prelude + "say(cannot='10 ms is the least')")
          == .cannot("10 ms is the least"))
    }

    @Test func `a crash is told with the line that was asked and the last words`() throws {
      #expect(
        try outcome(Self.ready + "hear(); print('no memory', file=sys.stderr); sys.exit(3)")
          == .failed("it exited with 3 before the end; asked was {\"segment\":0}: no memory"))
      #expect(
        try outcome(Self.ready + "hear(); os.kill(os.getpid(), 11)")
          == .failed(
            "it was ended by signal 11 (Segmentation fault) before the end; asked was {\"segment\":0}"
          ))
      #expect(
        try outcome(Self.ready + "whole(); whole(); hear(); sys.exit(5)")
          == .failed("it exited with 5; asked was {\"end\":true}"))
    }

    @Test func `silence is told with the line that was asked`() throws {
      #expect(
        try outcome(Self.ready + "hear(); time.sleep(100)", patience: 0.5)
          == .failed("it was silent for 0.5 s; asked was {\"segment\":0}"))
    }

    @Test(
      "a line that is no answer is told with the line that was asked",
      arguments: [
        ("print('hello', flush=True)", "it answered 'hello', which is no JSON object"),
        ("say(segment=7, began=1, ended=2)", "it answered segment 7 instead of segment 0"),
        (
          "say(segment=0, began=1, ended=2)", "its instants 1 and 2 are not of CLOCK_MONOTONIC"
        ),
        ("say(segment=0)", "the numbers 'began' and 'ended' are missing"),
        ("say(segment=0, began=2, ended=1)", "it ended at 1, before it began at 2"),
      ])
    func noAnswer(_ line: String, _ sentence: String) throws {
      #expect(
        try outcome(Self.ready + "hear(); \(line); hear()")
          == .failed("\(sentence); asked was {\"segment\":0}"))
    }

    @Test func `a contestant that is not ready fails`() throws {
      #expect(
        try outcome(Self.prelude + "say(version='1'); hear()").sentence.hasPrefix(
          "failed: it answered an object with version instead of ready or cannot; asked was {\"bench\":\"bench/1\",\"workload\":\"begin-end/1\",\"plan\":\"/"
        ))
    }

    @Test func `a segment that is answered twice is a wrong answer`() throws {
      let twice = "say(answer=1, begun=10, ended=10)"
      #expect(
        try outcome(Self.ready + "whole(); whole(); \(twice); hear()")
          == .wrong("segment 1 was answered twice"))
      #expect(
        try outcome(Self.ready + "whole(); say(segment=0, began=1, ended=2); whole(); hear()")
          == .wrong("segment 0 was answered twice"))
    }

    @Test func `a contestant that is never ready in time is too slow`() throws {
      let outcome = try outcome(Self.ready + "while True: say(segment=hear()['segment'], late=5)")
      // Beside other work, each late attempt may be the machine's fault.
      if case .disturbed(let reason) = outcome {
        #expect(reason.contains("of 10 attempts at segment 0"))
      } else {
        #expect(
          outcome == .tooSlow("it was not ready in time for three attempts at segment 0"))
      }
    }

    @Test func `a wrong count is a wrong answer`() throws {
      #expect(
        try outcome(Self.ready + "whole(9)") == .wrong("begun: 9, 10 would be right"))
    }

    @Test func `answers that the plan does not give must agree with the floor`() throws {
      let program =
        Self.ready + """
          for n in range(2):
              segment()
              say(answer=hear()["answer"], popped=1, checksum=str(n + NUMBER))
          hear()
          """
      let folder = try ScratchFolder()
      let suite = try folder.suite(
        [
          ("bare", .floor, program.replacing("NUMBER", with: "7")),
          ("same", .peer, program.replacing("NUMBER", with: "7")),
          ("other", .peer, program.replacing("NUMBER", with: "8 * n + 7")),
        ], workload: "queue/1")
      let contestants = try run(suite, "queue").contestants
      #expect(contestants.map(\.name) == ["bare", "other", "same"])
      #expect(contestants[0].outcome == .measured && contestants[2].outcome == .measured)
      #expect(
        contestants[1].outcome
          == .wrong(
            "it answered popped 1, checksum 16 in its segment 1, the floor answered popped 1, checksum 8"
          ))
    }

    @Test func `a missing tool is told with the line that installs it`() throws {
      let folder = try ScratchFolder()
      try folder.write(
        "Contestants/x/contestant.yaml",
        """
        about: nothing
        role: peer
        division: closed
        workloads: [begin-end/1]
        needs: [no-such-program]
        install: apt-get install nothing
        run: "true"

        """)
      var options = RunOptions()
      options.selections = [
        RunOptions.Selection(kind: try .named("begin-end"), sizes: [10], shape: nil)
      ]
      var run = try BenchRun(CurfewBench.Suite(reading: folder.path), options, on: machine) { _ in }
      #expect(throws: BenchRun.Obstacle(code: 7, message: "no contestant can be run")) {
        try run.prepare()
      }
      #expect(
        run.result.workloads[0].contestants[0].outcome
          == .missing(need: "no-such-program", install: "apt-get install nothing"))
      options.required = ["x"]
      var strict = try BenchRun(CurfewBench.Suite(reading: folder.path), options, on: machine) {
        _ in
      }
      #expect {
        try strict.prepare()
      } throws: {
        ($0 as? BenchRun.Obstacle)?.code == 4
      }
      options.only = ["y"]
      #expect(throws: (any Error).self) {
        try BenchRun(CurfewBench.Suite(reading: folder.path), options, on: machine) { _ in }
      }
    }
  }
#endif
