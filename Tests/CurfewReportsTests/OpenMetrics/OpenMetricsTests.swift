import CurfewPolicy
import CurfewReports
import CurfewSimulation
import CurfewTrace
import TestRuns
import Testing

/// Figures in the OpenMetrics format.
@Suite(.inTurn) struct OpenMetricsTests {
  private static func rows() throws -> [FigureRow] {
    let scenario = try PerfettoTests.scenario(PerfettoTests.upload)
    var simulation = Simulation(scenario)
    _ = try simulation.run { _ in }
    return simulation.figures().rows(under: scenario.policy, weights: EnergyWeights())
  }

  @Test func `each figure is one contiguous family with its unit, and the text has an end`() throws
  {
    let lines = OpenMetricsText.text(try OpenMetricsTests.rows(), of: []).split(separator: "\n")
      .map(String.init)
    #expect(lines.last == "# EOF" && lines.count { $0 == "# EOF" } == 1)
    let types = lines.filter { $0.hasPrefix("# TYPE ") }
    #expect(
      types.count == Set(types).count
        && types.contains("# TYPE curfew_background_time_seconds gauge"))
    #expect(lines.contains("# UNIT curfew_background_time_seconds seconds"))
    #expect(lines.contains(#"curfew_background_time_seconds{app="mail"} 30"#))
    #expect(lines.contains(#"curfew_ends{app="mail",about="backgroundTaskAssertionTimeout"} 1"#))
    #expect(lines.contains(#"curfew_task_length_seconds{app="mail",statistic="p99"} 30"#))
    #expect(lines.contains(#"curfew_task_length_count{app="mail"} 1"#))
  }

  @Test func `every figure that has a value is a sample, and no two samples are the same`() throws {
    let rows = try OpenMetricsTests.rows()
    let samples = OpenMetricsText.text(rows, of: []).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    #expect(samples.count == rows.count { $0.value != nil })
    #expect(Set(samples.map { $0.prefix { $0 != " " } }).count == samples.count)
  }

  @Test
  func `every sample has the run's name, with special characters escaped`()
    throws
  {
    let text = OpenMetricsText.text(try OpenMetricsTests.rows(), of: [("workload", "a \"b\"\\\nc")])
    let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(samples.allSatisfy { $0.contains(#"{workload="a \"b\"\\\nc""#) })
  }
}
