import Foundation
import TestRuns
import Testing

@testable import CurfewCommand

/// Several `--policy-set`s of one line.
@Suite(.inTurn) struct PolicySettingTests {
  private let pair = ["--policy-set", "tasks.grant=3s", "--policy-set", "tasks.warning=1s"]

  @Test func `values that depend on each other are checked when all are set`() throws {
    let run = try CurfewProcess.run(["policy", "show", "ios13"] + pair)
    #expect(run.exitCode == 0 && run.output.contains("grant: 3s"), "\(run.messages)")
    let rows = ["length=20s", "window=1h", "runTime=10m"].flatMap {
      ["--policy-set", "wakes.job.\($0)"]
    }
    let server = try CurfewProcess.run(["policy", "show", "server"] + rows)
    #expect(server.exitCode == 0 && server.output.contains("runTime: 10m"), "\(server.messages)")
  }

  @Test func `an error is about the value that does not fit, not about the last one`() throws {
    let wrong = try CurfewProcess.run(
      "policy", "show", "ios13", "--policy-set", "tasks.warning=1h", "--policy-set",
      "lowBattery=5%")
    #expect(
      wrong.exitCode == 64
        && wrong.messages.hasPrefix("--policy-set tasks.warning=1h: error: 'warning' must be"),
      "\(wrong.messages)")
  }

  @Test func `a trace replays with values that were set together`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    let traced = try CurfewProcess.run(
      ["simulate", "upload.yaml", "--trace", "t.jsonl"] + pair, in: folder)
    #expect(traced.exitCode == 0, "\(traced.messages)")
    #expect(try CurfewProcess.run("replay", "t.jsonl", in: folder).exitCode == 0)
  }
}
