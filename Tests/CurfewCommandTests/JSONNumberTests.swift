import CurfewText
import Foundation
import TestRuns
import Testing

@testable import CurfewCommand

/// Every program that reads JSON gets measured values as numbers.
@Suite(.inTurn) struct JSONNumberTests {
  @Test func `a measured value has all its digits, and is left out if it is not finite`() {
    let form = ResultForm<Double>("", [.measured("value") { $0 }])
    let texts = [0.1 + 0.2, 80, -0.0625, 1e-7, 5e22, .nan, .infinity].map { form.json($0).closed }
    #expect(
      texts == [
        #"{"value":0.30000000000000004}"#, #"{"value":80}"#, #"{"value":-0.0625}"#,
        #"{"value":1e-07}"#, #"{"value":5e+22}"#, "{}", "{}",
      ])
  }

  @Test func `an integer of more than 53 bits is written as text, and an empty value as null`() {
    let form = ResultForm<String>("", [.decimal("value") { $0 }])
    let texts = ["812.5", "9007199254740992", "9007199254740993", "-9007199254740993", ""].map {
      form.json($0).closed
    }
    #expect(
      texts == [
        #"{"value":812.5}"#, #"{"value":9007199254740992}"#, #"{"value":"9007199254740993"}"#,
        #"{"value":"-9007199254740993"}"#,
        #"{"value":null}"#,
      ])
  }

  @Test
  func
    `no result has a number as text, except seeds, and nanoseconds whose seconds are beside them`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: experiment/1
      name: Grants
      workload: phone
      for: 2h
      devices: 1
      repetitions: 3
      parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}
      measure: {visits: {figure: visits}, lost: {figure: completion}}

      """, to: "e.yaml")
    try folder.write(
      """
      curfew: scenario/1
      name: Tested
      policy: ios13
      apps: {mail: {}}
      timeline: [{at: 0s, do: launch, app: mail}]
      expect: [{never: end}]

      """, to: "t.yaml")
    for arguments in [
      ["simulate", "--json"], ["simulate", "--json", "--stats"],
      ["fleet", "phone", "--for", "2h", "--json"],
      ["simulate", "--trace", "day.jsonl", "--json"], ["replay", "day.jsonl", "--json"],
      ["test", "t.yaml", "--json"],
      ["explain", "day.jsonl", "--app", "com.example.mail", "--at", "1h", "--json"],
      ["policy", "diff", "ios4", "ios13", "--json"], ["policy", "check", "ios13", "--json"],
      ["sweep", "e.yaml", "--json"], ["compare", "e.sqlite", "grant=30s", "--all", "--json"],
    ] {
      let run = try CurfewProcess.run(arguments, in: folder)
      guard !run.output.isEmpty else {
        Issue.record("\(arguments): \(run.messages)")
        continue
      }
      let result = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      #expect(Self.texts(in: result) == [], "\(arguments)")
    }
  }

  /// The keys whose value is a number written as text. Exit codes (`0x8badf00d`), values of
  /// notifications and values of policies (`before`, `after`) are not numbers: they are texts from
  /// a policy or an app.
  private static func texts(in value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(texts(in: $1)) } }
    guard let object = value as? [String: Any] else { return [] }
    return object.reduce(into: []) { found, pair in
      found.formUnion(texts(in: pair.value))
      guard let text = pair.value as? String, Double(text) != nil else { return }
      let isText =
        ["seed", "code", "before", "after"].contains(pair.key)
        || pair.key == "value" && object["figure"] == nil
        || pair.key.lowercased().hasSuffix("digest")
      if !isText, object[pair.key + "Seconds"] == nil { found.insert(pair.key) }
    }
  }
}
