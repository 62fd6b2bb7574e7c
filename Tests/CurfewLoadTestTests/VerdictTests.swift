import CurfewEngine
import TestRuns
import Testing

@testable import CurfewLoadTest

@Suite(.inTurn) struct VerdictTests {
  /// A successful report.
  private func report() -> LoadTestReport {
    var report = sampleReport()
    (report.expirations.missed, report.expirations.lost) = (0, 0)
    report.comparison?.different = []
    return report
  }

  @Test func `a run that went well has no failures and no doubts`() {
    #expect(report().failures == [] && report().doubts == [])
  }

  @Test func `each failure is a sentence`() {
    var report = report()
    (report.expirations.missed, report.expirations.lost, report.expirations.twice) = (12, 1, 2)
    report.grantEndsDecided.record(-3_000)
    report.comparison?.different = [7].map(AppID.init(rawValue:))
    #expect(
      report.failures == [
        "12 of 35,100 expected expirations missed: the handler's first line was not reached by the planned end of its grant",
        "1 expiration lost: decided in time and never called, although nothing but its own grant ended the process and the load test was running and neither catching up after a standstill nor behind its plan",
        "2 calls of a handler that had been called before",
        "1 thing early, by 3us at most", "1 visit did not end as in virtual time",
      ])
    // An interrupted run has not waited for the missing handlers.
    report.run.isInterrupted = true
    #expect(
      report.failures.count == 3
        && report.failures.allSatisfy { !$0.contains("missed") && !$0.contains("otherwise") })
  }

  @Test func `a callback before its call is early`() {
    for callback in [
      \LoadTestReport.callbackDelivered, \LoadTestReport.wakeDelivered,
      \LoadTestReport.launchToActive,
    ] {
      var report = report()
      report[keyPath: callback].record(-200)
      #expect(report.early == 1 && report.failures == ["1 thing early, by 200ns at most"])
    }
  }

  @Test func `at most a fifth of the visits may be excluded from the comparison`() {
    var report = report()
    report.comparison?.compared = 80
    report.comparison?.leftOut = 8
    report.comparison?.late = 12
    #expect(report.doubts == [])
    report.comparison?.compared = 79
    #expect(
      report.doubts == [
        "20 of 99 visits could not be compared with the plan, 12 of them because something was late; more than 20 % is too many"
      ])
    report.comparison = nil
    #expect(
      report.doubts == [
        "no visit can be compared with the plan: at this time scale 5ms decide how a visit ends"
      ])
    report.run.isInterrupted = true
    #expect(report.doubts == [])
  }

  @Test func `a run too short for a median is inconclusive`() {
    var report = report()
    report.expirations.expected = 20
    #expect(report.doubts == [])
    report.expirations.expected = 19
    #expect(
      report.doubts == [
        "too short to measure: 19 expirations expected, and a median needs 20; run longer or with more visits"
      ])
  }

  @Test(arguments: [
    ("ios13", 4_000), ("ios13", 400), ("ios7", 4_000), ("ios4", 4_000), ("ios4", 400),
  ])
  func `the plan excludes at most an eighth of the visits, with every policy's usual scale`(
    policy: String, apps: Int
  ) throws {
    var options = try options(policy, apps: apps)
    options.scale = LoadTestOptions.usualScale(for: options.policy)
    let plan = try LoadPlan(options)
    let outcomes = plan.expectedOutcomes()
    let comparison = plan.compare(outcomes, with: outcomes)
    #expect(plan.isComparable())
    #expect(
      comparison.visits == plan.visits.count && comparison.late == 0 && comparison.different == [])
    #expect(comparison.leftOut > 0 && comparison.leftOut * 8 <= comparison.visits, "\(comparison)")
  }

  @Test func `a floor has to be the same before and after`() throws {
    typealias Spread = LoadTestReport.Spread
    var segment = LoadTestReport.Segment()
    #expect(segment.isFloorSteady(.p50) == nil)
    segment.floorBefore = Spread(p50: 20_000, p99: 50_000)
    #expect(segment.isFloorSteady(.p50) == nil && segment.isFloorSteady(.p99) == nil)
    for (after, isSteady) in [(30_000, true), (30_001, false), (13_334, true), (13_333, false)]
      as [(Int64, Bool)]
    {
      segment.floorAfter = Spread(p50: after, p99: 60_000)
      #expect(
        segment.isFloorSteady(.p50) == isSteady && segment.isFloorSteady(.p99) == isSteady,
        "\(after)")
    }
    // The tail may differ by more, and moves without the median.
    for (after, isSteady) in [
      (150_000, true), (150_001, false), (16_667, true), (16_666, false), (nil, false),
    ] as [(Int64?, Bool)] {
      segment.floorAfter = Spread(p50: 20_000, p99: after)
      #expect(
        segment.isFloorSteady(.p50) == true && segment.isFloorSteady(.p99) == isSteady,
        "\(after ?? 0)")
    }
    segment.floorAfter = Spread(p50: nil, p99: nil)
    #expect(segment.isFloorSteady(.p50) == false)
  }

  @Test
  func
    `a segment with an unsteady floor is in no ratio, and if most are unsteady there is no ratio`()
  {
    var report = report()
    report.segments[2].floorAfter?.p50 = 90_000
    report.segments[2].decided?.p50 = 1_000_000
    #expect(
      report.ratioToFloor(.decided, .p50) == ReportFigure(1.25)
        && report.floorObjection(.decided, .p50) == nil)
    report.segments[0].floorAfter?.p99 = 1_000_000
    #expect(
      report.ratioToFloor(.decided, .p50) != nil && report.ratioToFloor(.decided, .p99) == nil)
    #expect(
      report.floorObjection(.decided, .p99)?.hasSuffix(
        "differed by more than a factor of 3 in 2 of 3 segments")
        == true)
    #expect(
      report.text().contains(
        "Ratios of p99 to the floor's are meaningless: the floor, measured before"),
      "\(report.text())")
    report.segments[0].floorAfter?.p50 = 90_000
    #expect(
      report.ratioToFloor(.decided, .p50) == nil
        && report.floorObjection(.decided, .p50)?.hasSuffix("in 2 of 3 segments") == true)
    let text = report.text()
    #expect(
      !text.contains("of the floor\n")
        && text.contains("Ratios of p50 to the floor's are meaningless: the floor"), "\(text)")
    #expect(
      report.json().contains(#""floorObjections":{"floor.p50":"the floor"#)
        && !report.json().contains(#""ratios":{"floor"#))
  }

  @Test func `a ratio below 0.8 is not comparable, and passes no threshold`() throws {
    var report = report()
    for index in report.segments.indices { report.segments[index].decided?.p50 = 19_200 }
    // The floor's are 20,000, 24,000 and 40,000, so the median ratio is 19,200 / 24,000.
    #expect(report.ratioToFloor(.decided, .p50) == ReportFigure(0.8))
    #expect(report.crossings(of: try Threshold.read("ratio.floor.p50<=0.8")) == [])
    // 19,199 / 24,000 is 0.79996.
    for index in report.segments.indices { report.segments[index].decided?.p50 = 19_199 }
    let objection = try #require(report.floorObjection(.decided, .p50))
    #expect(objection.hasPrefix("the p50 of decided is 0.799 of the floor's; a ratio below 0.8 is"))
    for index in report.segments.indices { report.segments[index].decided?.p50 = 12_000 }
    #expect(report.ratioToFloor(.decided, .p50) == nil)
    #expect(
      report.ratioToFloor(.decided, .p99) != nil && report.ratioToFloor(.delivered, .p50) != nil)
    let reason =
      "the p50 of decided is 0.5 of the floor's; a ratio below 0.8 is not comparable, because the floor does the least work"
    #expect(report.floorObjection(.decided, .p50) == reason)
    for condition in ["ratio.floor.p50<=100", "ratio.floor.p50>0", "ratio.floor.p50==0.5"] {
      #expect(
        report.crossings(of: try Threshold.read(condition)).map(\.description) == [
          "\(condition): not measured (\(reason))"
        ])
    }
    #expect(report.text().contains("Ratios of p50 to the floor's are meaningless: the p50 of"))
    #expect(
      report.json().contains(#""floorObjections":{"floor.p50":"\#(reason)"}"#)
        && !report.json().contains(#""ratios":{"floor.p50""#))
  }

  @Test func `callbacks have ratios to a thread's hand-off`() throws {
    var report = report()
    #expect(report.ratioToFloor(.wakeDelivered, .p50) == ReportFigure(1.5))
    for index in report.segments.indices { report.segments[index].handOffAfter?.p50 = 200_000 }
    #expect(
      report.ratioToFloor(.wakeDelivered, .p50) == nil
        && report.ratioToFloor(.decided, .p50) != nil)
    #expect(
      report.crossings(of: try Threshold.read("ratio.wakeDelivered.p50<9")).first?.description
        == "ratio.wakeDelivered.p50<9: not measured (the hand-off, measured before and after each segment, had too few values "
        + "or differed by more than a factor of 1.5 in 3 of 3 segments)")
  }

  @Test func `a ratio with handlers that were never called is a lower bound`() {
    var report = report()
    for index in report.segments.indices { report.segments[index].delivered?.isP99AtLeast = true }
    #expect(
      report.ratioToFloor(.delivered, .p99)?.isAtLeast == true
        && report.ratioToFloor(.delivered, .p50)?.isAtLeast == false)
    #expect(report.text().contains(">=2.67x  of the floor"), "\(report.text())")
    #expect(report.json().contains(#""atLeast":["delivered.p99"]"#), "\(report.json())")
  }
}
