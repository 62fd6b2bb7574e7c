import CurfewText
import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// Compares sweeps of rare and of frequent events with true rates from long runs. The bounds were
/// measured with `CURFEW_RUNS=60` for the kills and `CURFEW_RUNS=300` for the wakes.
@Suite(.inTurn) struct RareKillsTests {
  private func outcome(_ text: String, _ replacements: [(String, String)] = []) throws -> (
    ResultsSummary, Evaluation
  ) {
    let text = replacements.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    let experiment = try Experiment.decode(
      try SourceFile(name: "experiment.yaml", bytes: Array(text.utf8)))
    let results = try ResultsFile.open(":memory:", for: experiment)
    let outcome = try Sweep(experiment).run(into: results)
    return (try results.summary(), try #require(outcome.evaluation))
  }

  private static let kills = """
    curfew: experiment/1
    name: Kills
    workload: phone
    for: 1d
    devices: 1
    seed: 0
    repetitions: 8
    parameters: {grant: {set: policy.tasks.grant, values: [600s, 30s]}}
    measure: {kills: {figure: ends, about: backgroundTaskAssertionTimeout}}
    """

  /// Kills a day: 1,870 and 2,484 on 20,000 devices, counted by
  /// `curfew fleet phone --for 1d --devices 20000 --seed 20261125 --policy-set tasks.grant=600s
  /// --csv`, and by the same command with 30s.
  private static let truth = (long: 1_870 / 20_000.0, short: 2_484 / 20_000.0)

  @Test
  func `kills of the phone are too rare in 8 device-days, and their bounds contain the true value`()
    throws
  {
    let sweeps = Campaign.runs(1)
    var (rare, held) = (0, 0)
    for seed in 1...sweeps {
      let (summary, evaluation) = try outcome(Self.kills, [("seed: 0", "seed: \(seed)")])
      let comparison = evaluation.comparisons[0]
      let kills = (try #require(comparison.baselineMean) + (try #require(comparison.mean))) * 8
      guard kills.rounded() < 20 else { continue }
      rare += 1
      #expect(
        comparison.verdict == .tooRare && !evaluation.isDecided && evaluation.repetitions == 8,
        "seed \(seed)")
      let found = try #require(comparison.finding.rare)
      #expect(
        SweepSentence(summary).text.hasSuffix("too rare to compare."),
        "\(SweepSentence(summary).text)")
      let holds =
        found.baseline.bounds.contains(Self.truth.long)
        && found.variant.bounds.contains(Self.truth.short)
        && found.difference.contains(Self.truth.short - Self.truth.long)
      if holds { held += 1 }
    }
    #expect(rare * 10 >= sweeps * 9 && held * 60 >= rare * 52, "\(held) of \(rare) of \(sweeps)")
  }

  @Test func `a sweep of kills never stops early because they are equal`() throws {
    for seed in 1...max(1, Campaign.runs(1) / 10) {
      // Forty whole days of a phone take long to simulate, so each repetition runs for three hours.
      // In the first repetitions, no app is killed.
      let (_, evaluation) = try outcome(
        Self.kills,
        [
          ("seed: 0", "seed: \(seed)"), ("repetitions: 8", "repetitions: {atLeast: 5, atMost: 40}"),
          ("for: 1d", "for: 3h"),
        ])
      #expect(
        evaluation.comparisons[0].verdict != .identical && evaluation.repetitions == 40,
        "seed \(seed)")
    }
  }

  /// Wakes a day: 996,845 and 1,196,114 on 50,000 devices.
  @Test func `frequent wakes keep their interval, which contains the true difference`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    try """
    curfew: workload/1
    name: Wakes
    policy: ios13
    user: {unlocks: 40, visit: 10s}
    apps: {sensor: {backgroundModes: [bluetooth-central], wakes: {bluetoothData: {perDay: 20, work: 2s}}}}
    """.write(toFile: small.path("wakes.yaml"), atomically: true, encoding: .utf8)
    let text = """
      curfew: experiment/1
      name: Wakes
      workload: \(small.path("wakes.yaml"))
      for: 1d
      devices: 1
      seed: 0
      pairing: independent
      repetitions: 8
      parameters: {wakes: {set: workload.apps.sensor.wakes.bluetoothData.perDay, values: [20, 24]}}
      measure: {wakes: {figure: wakes}}
      """
    let sweeps = Campaign.runs(8)
    var held = 0
    for seed in 1...sweeps {
      let (_, evaluation) = try outcome(text, [("seed: 0", "seed: \(seed)")])
      let interval = try #require(evaluation.comparisons[0].interval)
      if interval.contains((1_196_114 - 996_845) / 50_000) { held += 1 }
    }
    // The bound is three standard errors below 95 %: 10 of 12 sweeps. For 300 sweeps it is 2.4
    // standard errors below: 276 sweeps, or 92 %.
    let least = 0.95 - (Campaign.isQuick ? 3 : 2.4) * (0.05 * 0.95 / Double(sweeps)).squareRoot()
    #expect(Double(held) >= Double(sweeps) * least, "\(held) of \(sweeps)")
  }
}
