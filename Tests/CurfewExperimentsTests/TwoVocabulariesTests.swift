import CurfewSimulation
import CurfewText
import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// Policies with different kinds are compared by the kinds that both know.
@Suite(.inTurn) struct TwoVocabulariesTests {
  /// A small experiment with an iPhone and an Android phone, of which only the iPhone has fetches.
  private static let phones = """
    curfew: experiment/1
    name: Phones
    workload: uploads.yaml
    for: 6h
    devices: 3
    repetitions: 4
    variants: {iphone: {policy: ios13}, android: {policy: android14}}
    measure:
      wakes: {figure: wakes}
      denied: {figure: denied, about: fetch}
      mails: {figure: opens, app: com.example.mail}
      lost: {figure: workLost, app: camera}
    """

  @Test func `a question about a kind that one policy lacks has no answer`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment(text: Self.phones)
    #expect(
      experiment.missingKinds.map { "\($0.variant) \($0.policy) \($0.app) \($0.kind) \($0.isWake)" }
        == [
          "1 android14 com.example.mail fetch true"
        ])
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    let evaluation = try #require(try Sweep(experiment).run(into: results).evaluation)
    #expect(
      evaluation.comparisons.map { $0.verdict == .notComparable } == [true, true, true, false])
    #expect(
      !evaluation.isDecided
        && evaluation.comparisons.prefix(3).allSatisfy {
          $0.interval == nil && $0.difference == nil
        })
    #expect(evaluation.comparisons.allSatisfy { $0.mean != nil }, "Both means are reported")

    let summary = try results.summary()
    #expect(summary.comparisons.map(\.isComparable) == [false, false, false, true])
    #expect(
      summary.comparisons.prefix(3).allSatisfy {
        $0.low == nil && $0.high == nil && $0.difference == nil && !$0.isDecided
      })
    #expect(summary.missingKinds == experiment.missingKinds)
    let sentence =
      "Wakes that are always denied under 'android14', which has no row for them: fetch"
    #expect(summary.missingKinds.sentences == [sentence])
    #expect(
      SweepSentence(summary).text.hasPrefix("Wakes: not comparable. Denied: not comparable."),
      "\(SweepSentence(summary).text)")

    let figures = try results.compare(0, 1)
    func verdict(_ figure: String, _ app: String, _ about: String = "") -> Verdict? {
      figures.first { $0.figure == figure && $0.app == app && $0.about == about }?.verdict
    }
    #expect(
      verdict("wakes", "") == .notComparable
        && verdict("wakes", "com.example.mail") == .notComparable)
    #expect(
      verdict("denied", "", "fetch") == .notComparable && verdict("workLost", "") == .notComparable)
    #expect(verdict("workLost", "camera") != .notComparable && verdict("workLost", "camera") != nil)
  }

  @Test func `two policies that lack the same kind are compared`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let text = Self.phones.replacing(
      "{policy: ios13}", with: "{policy: android14, policy.tasks.grant: 40s}")
    let experiment = try small.experiment(text: text)
    #expect(experiment.missingKinds.map(\.variant) == [0, 1])
    let evaluation = try #require(
      try Sweep(experiment).run(into: ResultsFile.open(small.path("results"), for: experiment))
        .evaluation)
    #expect(evaluation.comparisons.allSatisfy { $0.verdict != .notComparable })
  }

  @Test func `a kind that only one policy has is denied by the others, with the same users`() throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    try
      "curfew: policy/1\nname: beacons\nextends: ios13\nwakes: {beacon: {length: 5s, overrun: tell}}\n"
      .write(toFile: small.path("beacons.yaml"), atomically: true, encoding: .utf8)
    let workload = SmallExperiment.workload.replacing(
      "wakes: {fetch: {interval: 1h, work: 5s}}", with: "wakes: {beacon: {perDay: 48}}")
    try workload.write(toFile: small.path("uploads.yaml"), atomically: true, encoding: .utf8)
    let text = Self.phones.replacing("{policy: android14}", with: "{policy: beacons.yaml}")
      .replacing("about: fetch", with: "about: beacon")
    let experiment = try small.experiment(text: text)
    #expect(experiment.missingKinds.map { "\($0.variant) \($0.kind)" } == ["0 beacon"])
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    let evaluation = try #require(try Sweep(experiment).run(into: results).evaluation)
    #expect(evaluation.comparisons[1].verdict == .notComparable)
    let rows = try SmallExperiment.rows(small.path("results"))
    #expect(
      rows.contains { $0.hasPrefix("iphone|") && $0.contains("||beacon|denied.kindNotInPolicy|") })
    #expect(
      rows.contains {
        $0.hasPrefix("android|") && $0.contains("||beacon|allowed|") && !$0.hasSuffix("|0")
      })
    // If neither side has the kind, it is an error as before.
    let none = #expect(throws: FileErrors.self) {
      try small.experiment(text: text.replacing("beacons.yaml", with: "ios7"))
    }
    #expect(none.map { "\($0)" }?.contains("unknown wake 'beacon'") ?? false)
  }

  @Test func `repetitions that cannot give an answer are not run`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let text = Self.phones.replacing(
      "repetitions: 4", with: "repetitions: {atLeast: 2, atMost: 64}"
    )
    .replacing("\n  lost: {figure: workLost, app: camera}", with: "")
    let outcome = try Sweep(small.experiment(text: text)).run(
      into: ResultsFile.open(small.path("results"), for: small.experiment(text: text)))
    #expect(outcome.made == 4 && outcome.evaluation?.isDecided == false)
  }
}
