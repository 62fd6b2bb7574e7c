import TestRuns
import Testing

@testable import CurfewLoadTest

@Suite(.inTurn) struct ThresholdTests {
  @Test func `thresholds are separated by commas, with or without spaces`() throws {
    let thresholds = try Threshold.read(
      "lateness.p99<200us, early == 0,ratio.floor.p50<=1.3,begin.p99.9>=1ms,throughput>2000")
    #expect(
      thresholds.map(\.metric) == [
        "lateness.p99", "early", "ratio.floor.p50", "begin.p99.9", "throughput",
      ])
    #expect(thresholds.map(\.comparison) == [.less, .equal, .atMost, .atLeast, .more])
    #expect(thresholds.map(\.limit) == [200_000, 0, 1.3, 1_000_000, 2_000])
    #expect(thresholds[1].text == "early == 0")
  }

  @Test(arguments: [
    ("latness.p99<200us", 1, "unknown metric 'latness.p99'; did you mean 'lateness.p99'?"),
    ("early==0, erly==0", 11, "unknown metric 'erly'; did you mean 'early'?"),
    ("lateness.p99<200", 14, "'lateness.p99' is a duration: '200' has no unit"),
    ("lateness.p99 < 1.5ms", 16, "'lateness.p99' is a duration: '1.5ms' is not whole"),
    ("early==0us", 8, "'early' is a plain number, not '0us'"),
    ("early==nan", 8, "'early' is a plain number, not 'nan'"),
    ("early==", 8, "'early' needs a limit after the comparison"),
    ("early=0", 6, "'=' is not a comparison; expected one of < <= > >= =="),
    ("early!=0", 6, "'!=' is not a comparison"),
    ("early", 1, "'early' has no comparison"),
    ("early==0,", 10, "a threshold is missing"),
    ("", 1, "a threshold is missing"),
    ("<5", 1, "a metric is missing before the comparison"),
    ("x<5", 1, "unknown metric 'x'; expected one of: lateness.p50, "),
    ("lateness.p99<=99999999999999h", 15, "is too long"),
  ])
  func `mistakes are reported with their place`(text: String, column: Int, message: String) throws {
    let error = try #require(throws: ThresholdError.self) { try Threshold.read(text) }
    #expect(error.column == column, "\(error)")
    #expect(error.message.contains(message), "\(error)")
  }

  @Test func `every metric has one name, and every name can be written`() throws {
    #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
    for metric in Metric.all {
      let threshold = try Threshold.read("\(metric.name)<\(metric.unit == .duration ? "1s" : "1")")
      #expect(threshold.first?.metric == metric.name)
    }
  }

  @Test func `shares of other quantities are percentages`() throws {
    func read(_ text: String) throws(ThresholdError) -> [Threshold] {
      try Threshold.read(text, of: [("rows", .percentage), ("count", .number)], like: "rows>=80%")
    }
    let threshold = try #require(try read("count<3,rows >= 80%").last)
    #expect(threshold.limit == 80)
    #expect(threshold.crossing(of: ReportFigure(80)) == nil)
    #expect(
      threshold.crossing(of: ReportFigure(79.99))?.description == "rows >= 80%: measured 79 %")
    #expect(threshold.crossing(of: nil)?.description == "rows >= 80%: not measured")
    for (text, message) in [
      ("rows>=80", "'rows' is a percentage: '80' is not a percentage"),
      ("rows>=101%", "'101%' is out of range"),
      ("row>=1%", "unknown metric 'row'; did you mean 'rows'?"),
      ("rows", "thresholds are written as in 'rows>=80%'"),
    ] {
      let error = try #require(throws: ThresholdError.self) { try read(text) }
      #expect(error.message.contains(message), "\(error)")
    }
  }

  @Test func `a threshold that holds is silent, one that does not gives the measured value`() throws
  {
    let report = sampleReport()
    let thresholds = try Threshold.read(
      "lateness.p99<1us,early==0,lost==0,ratio.floor.p50<=1,ratio.floor.p50<=2,decided.p50>1ns")
    let crossings = report.crossings(of: thresholds)
    #expect(
      crossings.map(\.threshold.text) == ["lateness.p99<1us", "lost==0", "ratio.floor.p50<=1"])
    #expect(
      crossings.map(\.description) == [
        "lateness.p99<1us: measured 99.1us", "lost==0: measured 1",
        "ratio.floor.p50<=1: measured 1.25",
      ])
  }

  @Test func `a figure that was not measured crosses its threshold`() throws {
    var report = sampleReport()
    report.segments = []
    let crossing = try #require(
      report.crossings(of: Threshold.read("ratio.floor.p50<=10")).first)
    #expect(crossing.measured == nil)
    #expect(crossing.description == "ratio.floor.p50<=10: not measured")
    let few = try #require(
      report.crossings(of: Threshold.read("grantEnd.p90<1s,grantEnd.p99<1s")).first)
    #expect(few.description == "grantEnd.p99<1s: not measured (300 values, and p99 needs 1,000)")
  }

  @Test func `each comparison holds where it should hold`() {
    let table: [(Threshold.Comparison, [Bool])] = [
      (.less, [true, false, false]), (.atMost, [true, true, false]),
      (.equal, [false, true, false]),
      (.atLeast, [false, true, true]), (.more, [false, false, true]),
    ]
    for (comparison, expected) in table {
      #expect([1, 2, 3].map { comparison.holds(ReportFigure($0), 2) } == expected)
    }
    // A lower bound proves only that the value is greater.
    let bounds: [(Threshold.Comparison, [Bool])] = [
      (.less, [false, false, false]), (.atMost, [false, false, false]),
      (.equal, [false, false, false]),
      (.atLeast, [false, true, true]), (.more, [false, false, true]),
    ]
    for (comparison, expected) in bounds {
      #expect([1, 2, 3].map { comparison.holds(ReportFigure($0, isAtLeast: true), 2) } == expected)
    }
  }

  @Test func `a figure that is only a lower bound crosses an upper limit, and says so`() throws {
    var report = sampleReport()
    for _ in 0..<200 { report.warningsDelivered.record(atLeast: 50_000_000) }
    let crossings = report.crossings(
      of: try Threshold.read("lateness.p50<1ms,lateness.p99<1s,lateness.max<1s,lateness.max>=50ms"))
    #expect(
      crossings.map(\.description) == [
        "lateness.p99<1s: measured at least 50ms", "lateness.max<1s: measured at least 50ms",
      ])
  }

  @Test func `an unsteady floor has no ratio, and its thresholds say why`() throws {
    var report = sampleReport()
    for index in 0..<2 { report.segments[index].floorAfter?.p50 = 90_000 }
    let crossing = try #require(
      report.crossings(of: Threshold.read("ratio.floor.p50<=100,early==0")).first)
    #expect(
      crossing.description
        == "ratio.floor.p50<=100: not measured (the floor, measured before and after each segment, had too few deadlines or "
        + "differed by more than a factor of 1.5 in 2 of 3 segments)")
  }
}
