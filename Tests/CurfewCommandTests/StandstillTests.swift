import Foundation
import TestRuns
import Testing

/// If time stands still (rule C4), every command that runs something stops with exit code 1
/// and reports the app, the callback and the number of steps.
@Suite(.inTurn) struct StandstillTests {
  struct Input: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let policy: String
    let text: String
    let sentence: String
    /// An instant before the standstill.
    let before: String
  }

  static let inputs = [
    Input(
      testDescription: "a session that is restarted",
      policy:
        "curfew: policy/1\nname: own\nextends: android14\nsessions: {dataSync: {leastRoom: 0s}}\n",
      text: """
        curfew: scenario/1
        name: Once more
        policy: ./own.yaml
        apps:
          up:
            backgroundModes: [dataSync]
            on:
              didEnterBackground: [{do: startSession, mode: dataSync}]
              sessionExpirationHandler: [{do: stopSession, mode: dataSync}, {do: startSession, mode: dataSync}]
        timeline:
          - {at: 0s, do: launch, app: up}
          - {at: 10s, do: home}
        expect:
          - {never: wake}
        """,
      sentence:
        "time stands still at 6h: 'up' does stopSession, startSession whenever sessionExpirationHandler is called",
      before: "1h"),
    Input(
      testDescription: "memory that is allocated again",
      policy: "curfew: policy/1\nname: own\nextends: ios13\n",
      text: """
        curfew: scenario/1
        name: Greedy
        policy: ./own.yaml
        device: {memory: 100MiB}
        apps:
          up: {on: {didReceiveMemoryWarning: [{do: setFootprint, footprint: 10MiB}, {do: setFootprint, footprint: 95MiB}]}}
        timeline:
          - {at: 0s, do: launch, app: up}
          - {at: 1s, do: setFootprint, app: up, footprint: 95MiB}
        expect:
          - {never: wake}
        """,
      sentence:
        "time stands still at 1s: 'up' does setFootprint whenever didReceiveMemoryWarning is called",
      before: "0s"),
  ]

  @Test(arguments: inputs)
  func `C4 simulate, test, explain, replay and policy diff end with 1 and say why`(_ input: Input)
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(input.text, to: "day.yaml")
    try folder.write(input.policy, to: "own.yaml")
    let forms = [
      ["--trace", "day.jsonl"], [], ["--json"], ["--stats"], ["--stats", "--json"], ["--csv"],
      ["--format", "perfetto"],
    ]
    for options in Campaign.some(3, of: forms) {
      let run = try CurfewProcess.run(["simulate", "day.yaml"] + options, in: folder)
      #expect(
        run.exitCode == 1 && run.told.contains("day.yaml: error: \(input.sentence)"),
        "\(options): \(run.messages)")
      #expect(run.output.utf8.count < 1_000_000, "\(options)")
    }
    let trace = try folder.read("day.jsonl")
    #expect(
      trace.utf8.count < 1_000_000 && trace.hasSuffix("}\n") && !trace.contains(#""type":"end""#))
    let test = try CurfewProcess.run("test", "day.yaml", in: folder)
    #expect(
      test.exitCode == 1 && test.output.contains("day.yaml: error: \(input.sentence)"),
      "\(test.output)")
    for file in ["day.yaml", "day.jsonl"] {
      let explain = try CurfewProcess.run("explain", file, "--policy", "own.yaml", in: folder)
      #expect(
        explain.exitCode == 1 && explain.told == ["\(file): error: \(input.sentence)"],
        "\(explain.messages)")
      let before = try CurfewProcess.run(
        "explain", file, "--policy", "own.yaml", "--at", input.before, in: folder)
      #expect(before.exitCode == 0, "\(before.messages)")
      let diff = try CurfewProcess.run(
        "policy", "diff", "own.yaml", "own.yaml", "--on", file, in: folder)
      #expect(
        diff.exitCode == 1 && diff.messages.contains("\(input.sentence), under 'own'"),
        "\(diff.messages)")
    }
    let replay = try CurfewProcess.run(
      "replay", "day.jsonl", "--policy", "own.yaml", "--json", in: folder)
    #expect(replay.exitCode == 1 && replay.messages.contains(input.sentence), "\(replay.messages)")
    #expect(replay.output.contains(#""ending":"standstill""#))
  }
}
