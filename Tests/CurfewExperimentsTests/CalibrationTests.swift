import CurfewText
import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// Measures how often whole sweeps find a difference that does not exist, and one that does.
/// Eight sweeps show only gross errors; `CURFEW_RUNS=1000` gives both shares to within three
/// percentage points.
@Suite(.inTurn) struct CalibrationTests {
  private static let sweeps = Campaign.runs(8)

  private static let text = """
    curfew: experiment/1
    name: Calibration
    workload: uploads.yaml
    for: 6h
    devices: 2
    pairing: independent
    repetitions: 10
    variants: {one: {}, other: {policy.tasks.grant: 30s}}
    measure: {completed: {figure: workCompleted}}
    """

  /// Four standard errors of a share of the sweeps. Chance exceeds this once in 16,000 tests.
  private static func tolerance(_ share: Double) -> Double {
    4 * (share * (1 - share) / Double(sweeps)).squareRoot()
  }

  /// The share of sweeps that find a difference.
  private func share(_ small: SmallExperiment, _ replacements: [(String, String)]) throws -> Double
  {
    var found = 0
    for seed in 1...Self.sweeps {
      let experiment = try small.experiment(
        replacements + [("devices: 2", "devices: 2\nseed: \(seed)")], text: Self.text)
      let outcome = try Sweep(experiment).run(into: ResultsFile.open(":memory:", for: experiment))
      if case .differs = try #require(outcome.evaluation).comparisons[0].verdict { found += 1 }
    }
    return Double(found) / Double(Self.sweeps)
  }

  @Test(arguments: ["10", "{atLeast: 5, atMost: 20}"])
  func `two equal variants with separate seeds differ about as often as the level says`(
    _ repetitions: String
  ) throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let share = try share(small, [("repetitions: 10", "repetitions: \(repetitions)")])
    #expect(abs(share - 0.05) < Self.tolerance(0.05), "\(share)")
  }

  @Test
  func `hardly any figure of two equal variants differs, even if counts are similar`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    var found = 0
    for seed in 1...Self.sweeps {
      let experiment = try small.experiment(
        [
          ("devices: 2", "devices: 2\nseed: \(seed)"),
          ("repetitions: 10", "repetitions: \(2 + seed % 4)"),
        ], text: Self.text)
      let results = try ResultsFile.open(":memory:", for: experiment)
      _ = try Sweep(experiment).run(into: results)
      if try results.compare(0, 1).contains(where: { $0.verdict.direction != nil }) { found += 1 }
    }
    #expect(Double(found) / Double(Self.sweeps) < 0.05 + Self.tolerance(0.05), "\(found)")
  }

  @Test func `a known difference is found as often as the power computed beforehand says`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let other = (
      "{policy.tasks.grant: 30s}", "{workload.apps.camera.tasks.upload.work: '{exponential: 24s}'}"
    )
    let count = max(100, 2 * Self.sweeps)
    let pilot = try small.experiment(
      [other, ("repetitions: 10", "repetitions: \(count)\nseed: 4711")], text: Self.text)
    let results = try ResultsFile.open(":memory:", for: pilot)
    _ = try Sweep(pilot).run(into: results)
    let values = try results.values(of: pilot)[0]
    let differences = PairedDifferences(zip(values[0], values[1]).map { ($0 ?? 0) - ($1 ?? 0) })
    let size = differences.mean / (try #require(differences.standardDeviation))
    func power(_ size: Double) -> Double {
      PairedTestPower.power(ofDifference: size, standardDeviation: 1, repetitions: 10, level: 0.05)
    }
    // The accuracy with which the pilot estimates the size.
    let error = 3 * ((1 + size * size / 2) / Double(count)).squareRoot()
    let share = try share(small, [other])
    #expect(power(size) > 0.2, "\(size)")
    #expect(
      share > power(size - error) - Self.tolerance(power(size))
        && share < power(size + error) + Self.tolerance(power(size)),
      "\(share), \(power(size))")
  }
}
