import BenchSupport
import Foundation
import Testing

@testable import CurfewBench

#if os(Linux)
  /// Contestants that cannot be built, or have another checkout's name.
  @Suite(.serialized) struct PreparationTests {
    private func options() throws -> RunOptions {
      var options = RunOptions()
      options.selections = [
        RunOptions.Selection(kind: try .named("begin-end"), sizes: [10], shape: nil)
      ]
      return options
    }

    @Test func `an obstacle that several contestants have is told once`() throws {
      let folder = try ScratchFolder()
      let names = ["a", "b", "c"]
      let files = try folder.suite(
        names.map { ($0, ContestantRecord.Role.peer, "") }, workload: "begin-end/1"
      )
      .contestants.map { file in
        var file = file
        (file.needs, file.install) = ([file.name == "b" ? "no-pear" : "no-apple"], "pick it")
        return file
      }
      var lines: [String] = []
      let suite = CurfewBench.Suite(root: folder.path, contestants: files)
      var run = try BenchRun(suite, options(), on: BenchFixture.machine) { lines.append($0) }
      try run.prepare()
      #expect(
        lines == [
          "a, c: missing no-apple; it is installed by: pick it",
          "b: missing no-pear; it is installed by: pick it",
        ])
    }

    @Test func `a missing tool is told with the line that installs it`() throws {
      let folder = try ScratchFolder()
      try folder.write(
        "Contestants/x/contestant.yaml",
        """
        about: nothing
        role: floor
        division: closed
        workloads: [begin-end/1]
        needs: [no-such-program]
        install: apt-get install nothing
        run: "true"

        """)
      var options = try options()
      var run = try BenchRun(
        CurfewBench.Suite(reading: folder.path), options, on: BenchFixture.machine
      ) { _ in }
      try run.prepare()
      let result = try run.run { _ in true }
      #expect(
        result.workloads[0].contestants[0].outcome
          == .missing(need: "no-such-program", install: "apt-get install nothing"))
      #expect(try BenchReport(result).verdict.exitCode == 7)
      options.required = ["x"]
      var strict = try BenchRun(
        CurfewBench.Suite(reading: folder.path), options, on: BenchFixture.machine
      ) {
        _ in
      }
      #expect {
        try strict.prepare()
      } throws: {
        ($0 as? BenchRun.Obstacle)?.code == 4
      }
      options.without = ["x"]
      var without = try BenchRun(
        CurfewBench.Suite(reading: folder.path), options, on: BenchFixture.machine
      ) {
        _ in
      }
      #expect(
        throws: BenchRun.Obstacle(code: 4, message: "--require: x does not take part in this run")
      ) {
        try without.prepare()
      }
      (options.required, options.only) = ([], ["x"])
      var nobody = try BenchRun(
        CurfewBench.Suite(reading: folder.path), options, on: BenchFixture.machine
      ) {
        _ in
      }
      #expect(
        throws: BenchRun.Obstacle(
          code: 64, message: "none of the chosen contestants takes part in begin-end/1")
      ) {
        try nobody.prepare()
      }
      options.only = ["y"]
      #expect(throws: (any Error).self) {
        try BenchRun(CurfewBench.Suite(reading: folder.path), options, on: BenchFixture.machine) {
          _ in
        }
      }
    }

    @Test func `a build that fails is told, and ends with 99`() throws {
      let folder = try ScratchFolder()
      var file = try folder.suite([("x", .peer, "")], workload: "begin-end/1").contestants[0]
      file.build = "echo no compiler >&2; exit 3"
      let suite = CurfewBench.Suite(root: folder.path, contestants: [file])
      let failure = ContestantRecord.Outcome.failed("the build exited with 3: no compiler")
      let findings = try ContestantCheck(file, in: suite).run { _ in }
      #expect(findings == [.init(place: "x", outcome: failure)])
      var options = try options()
      var run = try BenchRun(suite, options, on: BenchFixture.machine) { _ in }
      try run.prepare()
      #expect(try BenchReport(run.run { _ in true }).verdict.exitCode == 99)
      options.required = ["x"]
      var strict = try BenchRun(suite, options, on: BenchFixture.machine) { _ in }
      #expect(throws: BenchRun.Obstacle(code: 99, message: "--require: x: \(failure.sentence)")) {
        try strict.prepare()
      }
    }

    @Test func `the name of another checkout tells its changes`() throws {
      let folder = try ScratchFolder()
      var file = try folder.suite([("x", .subject, "")], workload: "begin-end/1").contestants[0]
      file.ownCode = true
      let suite = CurfewBench.Suite(root: folder.path, contestants: [file])
      let commit = "9c1e0f2aaaa+changes"
      var run = try BenchRun(
        suite, options(), on: BenchFixture.machine, against: (suite, commit)
      ) { _ in }
      try run.prepare()
      let result = run.result
      #expect(result.workloads[0].contestants.map(\.name) == ["x", "x@9c1e0f2+changes"])
      #expect(result.workloads[0].contestants.map(\.isOwn) == [true, false])
      #expect(result.options.againstCommit == commit)
    }
  }
#endif
