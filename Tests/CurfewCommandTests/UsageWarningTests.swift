import Foundation
import TestRuns
import Testing

/// Warnings about a usage log as a whole, as `fleet` and `sweep` print them.
@Suite(.inTurn) struct UsageWarningTests {
  /// A folder with a log of 30 visits whose lengths are milliseconds, and a workload that reads
  /// them as `duration` says.
  private static func folder(duration: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let rows = (0..<30).map { "\(28_800 + 1_680 * $0),mail,\((59 + $0) * 1_000)\n" }
    try folder.write(Array(("time,app,d\n" + rows.joined()).utf8), to: "day.csv")
    try folder.write(
      Array(
        """
        curfew: workload/1
        name: A day
        policy: ios13
        usage:
          file: day.csv
          columns: {time: time, app: app, duration: \(duration)}
        apps: {mail: {}}

        """.utf8), to: "day.yaml")
    try folder.write(
      Array(
        """
        curfew: experiment/1
        name: Grants
        workload: day.yaml
        for: 1d
        devices: 1
        repetitions: 2
        parameters:
          grant: {set: policy.tasks.grant, values: [30s, 3m]}
        measure:
          kills: {figure: ends, about: backgroundTaskAssertionTimeout, margin: 1}

        """.utf8), to: "grants.yaml")
    return folder
  }

  private static let warning =
    "day.csv: warning: as seconds, 29 of 30 visits last beyond the beginning of the next one, and half of the visits last 20h 33m or longer; these look like milliseconds: 'duration: {column: d, unit: ms}'"

  @Test func `a fleet warns of lengths in milliseconds, and with --strict it does not run`() throws
  {
    let folder = try Self.folder(duration: "d")
    let run = try CurfewProcess.run("fleet", "day.yaml", in: folder)
    #expect(run.exitCode == 0 && run.told.contains(Self.warning), "\(run.messages)")
    let strict = try CurfewProcess.run("fleet", "day.yaml", "--strict", in: folder)
    #expect(strict.exitCode == 4 && strict.output.isEmpty)
  }

  @Test func `a sweep with --strict and a warning performs no run`() throws {
    let folder = try Self.folder(duration: "d")
    let run = try CurfewProcess.run("sweep", "grants.yaml", "--strict", in: folder)
    #expect(run.exitCode == 4 && run.output.isEmpty, "\(run.messages)")
    #expect(run.told.first == Self.warning)
    #expect(run.told.last?.hasSuffix("and --strict is set") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/grants.sqlite"))
  }

  @Test func `the unit that the warning names is read without a warning`() throws {
    let folder = try Self.folder(duration: "{column: d, unit: ms}")
    let run = try CurfewProcess.run("fleet", "day.yaml", "--strict", in: folder)
    #expect(run.exitCode == 0 && run.messages.isEmpty, "\(run.messages)")
    let other = try Self.folder(duration: "{column: d, unit: msec}")
    let refused = try CurfewProcess.run("fleet", "day.yaml", in: other)
    #expect(
      refused.exitCode == 4
        && refused.messages.contains("unknown unit 'msec'; allowed here: min, s, ms, us"))
  }

  @Test func `a duration without a column is one error`() throws {
    let run = try CurfewProcess.run(
      "fleet", "day.yaml", in: try Self.folder(duration: "{unit: ms}"))
    #expect(
      run.exitCode == 4 && run.told == ["day.yaml:6:45: error: missing key 'column'"],
      "\(run.messages)")
  }
}
