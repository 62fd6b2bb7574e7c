import CurfewReports
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Distributions as HdrHistogram's tools have them.
@Suite(.inTurn) struct PercentileTextTests {
  /// Value, share, count of each line that is one.
  private func rows(_ text: String) -> [(value: Double, share: Double, count: Int)] {
    text.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ")
      return (Double(parts[0]) ?? -1, Double(parts[1]) ?? -1, Int(parts[2]) ?? -1)
    }
  }

  @Test func `a single value is there from none to all`() {
    var tally = Tally()
    tally.record(2_000_000_000)
    let text = PercentileText.hgrm(tally, unit: "s")
    #expect(
      text.hasPrefix("       Value     Percentile TotalCount 1/(1-Percentile)\n\n       2.000 0.000000000000          1           1.00\n"))
    #expect(text.hasSuffix("\n#[Max     =        2.000, Total count    =            1]\n#[Unit    = seconds]\n"))
  }

  @Test func `values and shares only grow, and each value has the share that is not above it`() {
    var tally = Tally()
    for value in 0..<1000 { tally.record(Int64(value * value)) }
    let rows = rows(PercentileText.hgrm(tally, unit: "count"))
    #expect(rows.count > 20 && rows.first?.share == 0 && rows.last?.share == 1 && rows.last?.count == 1000)
    for (row, next) in zip(rows, rows.dropFirst()) { #expect(row.value <= next.value && row.share < next.share && row.count <= next.count) }
    for row in rows {
      #expect(Double(row.count) >= row.share * 1000 - 1e-6 && row.count == tally.count(atMost: Int64(row.value)))
    }
    // Five lines for each half of what is left.
    #expect(rows.filter { $0.share < 0.5 }.map(\.share) == [0, 0.1, 0.2, 0.3, 0.4])
  }

  @Test func `every distribution of a run has a name of its own, and as many values as its figure says`() throws {
    let scenario = try Scenario.load(ShippedScenarios.path("day.yaml"))
    var simulation = Simulation(scenario)
    _ = try simulation.run { _ in }
    let figures = simulation.figures()
    let (all, rows) = (figures.distributions(under: scenario.policy), figures.rows(under: scenario.policy, weights: EnergyWeights()))
    #expect(all.count > 20 && Set(all.map { [$0.app, $0.about, $0.figure] }).count == all.count)
    for one in all {
      let count = rows.first { $0.app == one.app && $0.about == one.about && $0.figure == one.figure + ".n" }
      #expect(count?.value == String(one.tally.count) && one.tally.count > 0)
    }
  }
}
