import Foundation
import TestRuns
import Testing

/// If an option cannot accept a number, one line names the option, the error and the valid values.
/// The parser alone would treat `-1` as an option.
@Suite(.inTurn) struct NumberOptionTests {
  private static let seeds = "a whole number from 0 to 18446744073709551615 is needed"

  @Test(arguments: [
    (["--seed", "-1"], "--seed: '-1' is out of range; \(seeds)"),
    (["--seed=-1"], "--seed: '-1' is out of range; \(seeds)"),
    (
      ["--seed", "18446744073709551616"], "--seed: '18446744073709551616' is out of range; \(seeds)"
    ),
    (["--seed", "one"], "--seed: 'one' is not a whole number; \(seeds)"),
    (["--seed", "1.5"], "--seed: '1.5' is not a whole number; \(seeds)"),
    (["--seed", "--json"], "--seed: '--json' is not a whole number; \(seeds)"),
    (["--seed", ""], "--seed: '' is not a whole number; \(seeds)"),
    (["--apps", "-1"], "-1 apps; 1 to 1,000,000 are possible"),
    (["--apps", "many"], "--apps: 'many' is not a whole number"),
    (
      ["--apps", "99999999999999999999"],
      "9,223,372,036,854,775,807 apps; 1 to 1,000,000 are possible"
    ),
    (
      ["--apps", "-99999999999999999999"],
      "-9,223,372,036,854,775,808 apps; 1 to 1,000,000 are possible"
    ),
    (["--segments", "-5"], "-5 segments; 1 to 10,000 are possible"),
    (["--segments", "-"], "--segments: '-' is not a whole number"),
    (["--visits", "-2000"], "-2,000 visits a second; 1 to 10,000,000 are possible"),
    (["--time-scale", "-0.5"], "--time-scale: '-0.5' is not a time scale; "),
    (["--for", "-1s"], "--for: negative duration '-1s'; "),
    (["--leeway", "-1ms"], "--leeway: negative duration '-1ms'; "),
  ])
  func `an invalid number is reported with the valid values`(
    _ arguments: [String], _ message: String
  ) throws {
    let run = try CurfewProcess.run(["loadtest"] + arguments)
    #expect(run.exitCode == 64 && run.output.isEmpty)
    #expect(
      run.told.count == 1 && run.told[0].hasPrefix("curfew: error: \(message)"), "\(run.messages)")
  }

  @Test func `valid numbers are accepted, even the greatest seed`() throws {
    let run = try CurfewProcess.run(
      [
        "loadtest", "--apps", "20", "--for", "1s", "--segments", "1", "--visits", "20", "--seed",
        "18446744073709551615", "--json",
      ])
    // On a busy machine the run itself may fail (7, 99), which does not matter here.
    #expect(
      run.exitCode != 64 && run.output.contains(#""seed":"18446744073709551615""#),
      "\(run.messages)")
    let help = try CurfewProcess.run("loadtest", "--help").output.split(separator: /\s+/).joined(
      separator: " ")
    for word in ["(default: 10000)", "(default: 5)", "(default: 2000)", "(default: 1)"] {
      #expect(help.contains(word), "\(word)")
    }
  }
}

/// The same bad file always gives the same error: no message may depend on the order of a
/// dictionary, which differs between processes.
@Suite(.inTurn) struct SameErrorTests {
  @Test func `a header with several mistakes gives the same error in every process`() throws {
    let folder = try TemporaryFolder()
    let manifests = (0..<12).reversed().map { #""a\#($0)":{"footprint":"\#($0)"}"# }.joined(
      separator: ",")
    let head = #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"0""#
    try folder.write(#"\#(head),"manifests":{\#(manifests)}}"#, to: "manifests.jsonl")
    try folder.write(
      #"\#(head),"apps":["h","g","f","e","d","c","b","a","a","b","c","d","e","f","g","h"]}"#,
      to: "apps.jsonl")
    for file in ["manifests.jsonl", "apps.jsonl"] {
      let messages = try (0..<6).map { _ in
        try CurfewProcess.run("replay", file, in: folder).messages
      }
      #expect(
        Set(messages).count == 1 && messages[0].hasPrefix("\(file):1:1: error: "), "\(messages)")
    }
  }

  @Test func `a scenario with every key twice gives the same error in every process`() throws {
    let folder = try TemporaryFolder()
    let apps = (0..<20).map { "  app\($0): {}\n  app\($0): {}\n" }.joined()
    try folder.write(
      "curfew: scenario/1\nname: x\npolicy: ios13\napps:\n\(apps)timeline: []\n", to: "twice.yaml")
    let messages = try (0..<4).map { _ in
      try CurfewProcess.run("simulate", "twice.yaml", in: folder).messages
    }
    let first = "twice.yaml:6:3: error: duplicate key 'app0'; line 5 already has it"
    #expect(Set(messages).count == 1 && messages[0].hasPrefix(first), "\(messages)")
  }
}
