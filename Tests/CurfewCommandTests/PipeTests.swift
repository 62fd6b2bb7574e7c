import Foundation
import TestRuns
import Testing

/// Tests `-` and pipes for every file that is read and every trace that is written, and tests
/// illegal steps.
@Suite(.inTurn) struct PipeTests {
  private static let policy = "curfew: policy/1\nname: own\nextends: ios13\ntasks: {grant: 20s}\n"

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    try folder.write(PipeTests.policy, to: "own.yaml")
    return folder
  }

  @Test func `a pipe is read like a file, as scenario, policy and trace`() throws {
    let folder = try folder()
    let plain = try CurfewProcess.shell(
      #""$0" simulate upload.yaml --policy own.yaml --trace plain.jsonl"#, in: folder)
    #expect(plain.exitCode == 0 && plain.output.contains("30s  mail"), "\(plain.output)")
    let piped = try CurfewProcess.shell(
      #""$0" simulate <(cat upload.yaml) --policy - --trace piped.jsonl < own.yaml"#, in: folder)
    #expect(piped.exitCode == 0, "\(piped.messages)")
    #expect(try folder.read("piped.jsonl") == folder.read("plain.jsonl"))
    let replay = try CurfewProcess.shell(
      #""$0" simulate upload.yaml --policy own.yaml --trace - | "$0" replay - --policy <(cat own.yaml)"#,
      in: folder)
    #expect(
      replay.exitCode == 0 && replay.output.hasSuffix("under own: the same\n"),
      "\(replay.output)\(replay.messages)")
    let both = try CurfewProcess.shell(#""$0" simulate - --policy - < own.yaml"#, in: folder)
    #expect(
      both.exitCode == 64
        && both.told == ["curfew: error: the scenario and --policy cannot both be standard input"])
  }

  @Test func `a trace on standard output is the only output there`() throws {
    let folder = try folder()
    let run = try CurfewProcess.run("simulate", "upload.yaml", "--trace", "-", in: folder)
    _ = try CurfewProcess.run("simulate", "upload.yaml", "--trace", "t.jsonl", in: folder)
    #expect(run.exitCode == 0 && run.messages.isEmpty)
    #expect(try run.output == folder.read("t.jsonl"))
  }

  @Test
  func
    `with strict an illegal step gives exit code 5, and a message with its place and reason`()
    throws
  {
    let folder = try folder()
    #expect(try CurfewProcess.run("simulate", "upload.yaml", "--strict", in: folder).exitCode == 0)
    try folder.write(
      Scenarios.upload
        + "\n  - {at: 20s, do: home}\n  - {at: 1h, do: stopSession, app: com.example.mail, mode: audio}\n",
      to: "bad.yaml")
    #expect(try CurfewProcess.run("simulate", "bad.yaml", in: folder).exitCode == 0)
    let strict = try CurfewProcess.run("simulate", "bad.yaml", "--strict", in: folder)
    #expect(strict.exitCode == 5)
    #expect(
      strict.told == [
        "bad.yaml:11:5: error: 'home' makes no sense at 20s: no app is in front",
        "bad.yaml:12:5: error: 'stopSession' of 'com.example.mail' makes no sense at 1h: it is not running",
      ], "\(strict.messages)")
    #expect(
      strict.output.contains("because no app is in front (bad.yaml:11:5)"), "\(strict.output)")
  }

  @Test func `a scenario with a crash near the end of time runs to its end`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: scenario/1
      name: Late
      policy: ios13
      until: 60060d
      apps: {a: {backgroundModes: [fetch], on: {fetch: [{do: completeWake}]}}}
      timeline:
        - {at: 60000d, do: launch, app: a}
        - {at: 60000d1s, do: setMinimumFetchInterval, app: a, interval: 0s}
        - {at: 60000d2s, do: crash, app: a}
        - {at: 60001d, do: launch, app: a}
        - {at: 60001d1s, do: setMinimumFetchInterval, app: a, interval: 0s}
        - {at: 60001d2s, do: home}
      """, to: "late.yaml")
    let run = try CurfewProcess.run("simulate", "late.yaml", in: folder)
    #expect(run.exitCode == 0 && run.output.contains("60060d\n"), "\(run.messages)")
  }

  #if os(Linux)
    @Test(
      .timeLimit(.minutes(30)),
      arguments: [["replay", "pipe"], ["loadtest", "--policy", "pipe"]], [SIGINT, SIGTERM])
    func `a program that waits for a pipe handles a signal from its start`(
      _ arguments: [String], _ signal: Int32
    ) throws {
      let folder = try folder()
      try #require(mkfifo(folder.url.appendingPathComponent("pipe").path, 0o600) == 0)
      for _ in 0..<5 {
        let run = try CurfewProcess.run(arguments, in: folder) { try $0.interruptWhenHeard(signal) }
        #expect(run.exitCode == 128 + signal, "\(run.exitCode) \(run.messages)")
        #expect(
          run.told.count == 1 && run.told[0].hasPrefix("curfew: interrupted: "), "\(run.messages)")
      }
    }
  #endif
}
