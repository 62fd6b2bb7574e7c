import Foundation
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
    private func run(
      _ suite: CurfewBench.Suite, _ workload: String, patience: Double = 20,
      loadLimit: Double = LoadGate.limit
    ) throws -> WorkloadRecord {
      var options = RunOptions()
      options.selections = [
        RunOptions.Selection(kind: try .named(workload), sizes: [10], shape: nil)
      ]
      (options.repetitions, options.patience, options.loadLimit) = (1, patience, loadLimit)
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
        try outcome(Self.ready + "hear(); time.sleep(100)", patience: 4)
          == .failed("it was silent for 4 s; asked was {\"segment\":0}"))
    }

    @Test(
      "a line that is no answer is told with the line that was asked",
      arguments: [
        ("print('hello', flush=True)", "it answered 'hello', which is no JSON object"),
        ("say(segment=7, began=1, ended=2)", "it answered segment 7 instead of segment 0"),
        (
          "say(segment=0, began=1, ended=2)", "its instants 1 and 2 are not of CLOCK_MONOTONIC"
        ),
        ("say(segment=0)", "'began' is missing, and has to be a whole number"),
        (
          "say(segment=0, began=1, ended='2')", "'ended' is text, and has to be a whole number"
        ),
        (
          "print('{\"segment\":0,\"began\":1e400,\"ended\":2}', flush=True)",
          "'began' is a number with a fraction or with more than 64 bits, and has to be a whole number"
        ),
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
          == .wrong("segment 1 was answered twice \(Self.place)"))
      #expect(
        try outcome(Self.ready + "whole(); say(segment=0, began=1, ended=2); whole(); hear()")
          == .wrong("segment 0 was answered twice \(Self.place)"))
    }

    @Test func `a contestant that is never ready in time is too slow`() throws {
      let folder = try ScratchFolder()
      let late = Self.ready + "while True: say(segment=hear()['segment'], late=5)"
      let suite = try folder.suite([("tried", .peer, late)], workload: "begin-end/1")
      func outcome(_ loadLimit: Double) throws -> ContestantRecord.Outcome {
        try run(suite, "begin-end", loadLimit: loadLimit).contestants[0].outcome
      }
      #expect(
        try outcome(Self.idle)
          == .tooSlow("it was not ready in time for three attempts at segment 0"))
      // If others take the cores, each late attempt may be the machine's fault.
      let disturbed = try outcome(Self.busy).sentence
      #expect(disturbed.hasPrefix("disturbed: others took "))
      #expect(disturbed.contains("of 10 attempts at segment 0 of repetition 1; the busiest: "))
    }

    /// Limits of the load at which each segment counts as disturbed, and none.
    private static let (busy, idle) = (-1.0, 2.0)

    /// A contestant of deadlines/1 that makes one mistake, in the warm-up or in segment 1.
    private func timers(
      _ way: String, segment: Int = 1, loadLimit: Double, workload: String = "deadlines",
      before: String = ""
    ) throws -> WorkloadRecord {
      let folder = try ScratchFolder()
      let wrong = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Benchmarks/Tests/wrong/wrong.py")
      let script = try String(contentsOf: wrong, encoding: .utf8)
        .replacing("sys.argv[1] if len(sys.argv) > 1 else \"right\"", with: "'\(way)'")
        .replacing("number == 1", with: "number == \(segment)")
      let suite = try folder.suite(
        [("tried", .subject, before + script)], workload: workload + "/1")
      return try run(suite, workload, loadLimit: loadLimit)
    }

    @Test(
      "a timer that is lost or fires twice is a wrong answer under any load",
      arguments: [("lose", "never fired"), ("twice", "fired twice")])
    func wrongTimers(_ way: String, _ sentence: String) throws {
      let outcome = try timers(way, loadLimit: Self.busy).contestants[0].outcome
      let plan = "plan: bench plan deadlines/1 --size 10 --shape spaced --seed 1 --out FILE"
      #expect(outcome.sentence.hasPrefix("wrong: timer "))
      #expect(
        outcome.sentence.hasSuffix("\(sentence) (segment 1 of repetition 1; \(plan))"),
        "\(outcome.sentence)")
    }

    @Test func `a cancelled timer that fires is wrong, unless others took the cores`() throws {
      let wrong = try timers("cancelled", loadLimit: Self.idle).contestants[0].outcome.sentence
      #expect(wrong.hasPrefix("wrong: timer ") && wrong.contains(" fired, which was cancelled "))
      let excused = try timers("cancelled", loadLimit: Self.busy)
      #expect(excused.contestants[0].outcome.sentence.contains("in the last of 10 attempts at"))
      #expect(excused.segments.map(\.attempt) == Array(1...10))
      #expect(!excused.segments.contains { !$0.isRepeated })
    }

    @Test(arguments: [0, 1]) func `an early timer is counted in the warm-up too`(_ segment: Int)
      throws
    {
      let record = try timers("early", segment: segment, loadLimit: Self.idle)
      #expect(record.contestants[0].outcome == .measured)
      #expect(record.earlyTimers(of: "tried")?.count == 1)
      #expect(record.segments.map(\.segment) == (segment == 0 ? [0, 1] : [1]))
      #expect(record.segments.map(\.early) == (segment == 0 ? [1, 0] : [1]))
    }

    /// The contestant computes for 20 ms of its processor time when it is asked for a segment.
    @Test(arguments: ["deadlines", "expirations"])
    func `expirations also have the processor time without the departures before the start`(
      _ workload: String
    ) throws {
      let busy = """
        import json, time
        read = json.loads
        def loads(line):
            message = read(line)
            if "workload" in message: message["workload"] = "deadlines/1"
            end = time.process_time_ns() + 20_000_000
            while "start" in message and time.process_time_ns() < end: pass
            return message
        json.loads = loads

        """
      let record = try timers("right", loadLimit: Self.idle, workload: workload, before: busy)
      #expect(record.contestants[0].outcome == .measured)
      let figures = try #require(record.segments.first).figures
      func time(_ name: String) -> Double? { figures.first { $0.name == name }?.value }
      // Both have ten timers, of which a third is cancelled in deadlines/1.
      #expect(time("cpu") ?? 0 >= 2_000_000, "\(figures)")
      #expect(
        workload == "deadlines"
          ? time("cpuFromStart") == nil : time("cpuFromStart") ?? .infinity < 2_000_000,
        "\(figures)")
    }

    @Test func `the version of a contestant's file comes before the one that it tells`() throws {
      let folder = try ScratchFolder()
      let script = Self.prelude + "say(ready=True, version='9'); whole(); whole(); hear()"
      let names = ["told", "own", "endless"]
      var suite = try folder.suite(
        names.map { ($0, ContestantRecord.Role.peer, script) }, workload: "begin-end/1")
      suite = CurfewBench.Suite(
        root: suite.root,
        contestants: zip(suite.contestants, ["yes", "echo 1; echo 2", nil]).map { file, version in
          var file = file
          file.version = version
          return file
        })
      let contestants = try run(suite, "begin-end").contestants
      #expect(contestants.map(\.name) == ["endless", "own", "told"])
      #expect(contestants.map(\.version) == [nil, "1", "9"])
      #expect(
        contestants[0].outcome.sentence.hasPrefix("missing a program for which 'yes' succeeds"))
    }

    @Test func `a contestant cannot fill the disk with its log`() throws {
      let script = Self.ready + "hear()\nwhile True: print('no memory' * 100000, file=sys.stderr)"
      let folder = try ScratchFolder()
      let suite = try folder.suite([("tried", .peer, script)], workload: "begin-end/1")
      let outcome = try run(suite, "begin-end").contestants[0].outcome.sentence
      #expect(outcome.hasPrefix("failed: it exited with 1 before the end; asked was"))
      #expect(outcome.contains("no memory") && outcome.count < 500)
      let log = suite.products(of: suite.contestants[0]) + "/errors.log"
      let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
      #expect(size == 64 << 20)
    }

    @Test func `a wrong count is a wrong answer`() throws {
      #expect(
        try outcome(Self.ready + "whole(); whole(9)")
          == .wrong("begun: 9, 10 would be right \(Self.place)"))
    }

    /// The place of a mistake in segment 1 of the first repetition.
    private static let place =
      "(segment 1 of repetition 1; plan: bench plan begin-end/1 --size 10 --shape plain --seed 1 --out FILE)"

    @Test func `a wrong answer tells its place, and the end of the run its repetitions`() throws {
      let folder = try ScratchFolder()
      let script = Self.ready + "whole(); whole(); whole(); whole(); whole(9)"
      let suite = try folder.suite([("tried", .peer, script)], workload: "begin-end/1")
      var options = RunOptions()
      options.selections = [
        RunOptions.Selection(kind: try .named("begin-end"), sizes: [10], shape: "handler")
      ]
      // All three segments are repeated, and the mistake is in the first repeated one.
      (options.repetitions, options.seed, options.loadLimit) = (5, 7, Self.busy)
      var run = try BenchRun(suite, options, on: machine) { _ in }
      try run.prepare()
      let result = try run.run { _ in true }
      let place =
        "(segment 1 of repetition 1, after 3 that were repeated; plan: bench plan begin-end/1 --size 10 --shape handler --seed 7 --out FILE)"
      #expect(
        result.workloads[0].contestants[0].outcome
          == .wrong("begun: 9, 10 would be right \(place)"))
      #expect(
        result.notes == [
          "begin-end/1, handler, size 10, 1 of 5 repetitions: no contestant is left to measure (wrong: tried)"
        ])
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
            "it answered popped 1, checksum 16 in its segment 1, the floor answered popped 1, checksum 8 (repetition 1; plan: bench plan queue/1 --size 10 --shape insert-cancel --seed 1 --out FILE)"
          ))
    }
  }
#endif
