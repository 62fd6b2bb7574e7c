import CurfewEngine
import Foundation
import Testing

@testable import CurfewLoadTest

/// A report with a figure in every place.
func sampleReport() -> LoadTestReport {
  typealias Spread = LoadTestReport.Spread
  var report = LoadTestReport(
    run: LoadTestReport.Run(
      apps: 10_000, policy: "ios13", policyDigest: "0123456789abcdef", scale: "0.01", lengthNanoseconds: 10_000_000_000, seed: 1, cores: 2))
  report.expirations.expected = 35_000
  report.expirations.delivered = 35_000
  for value in 1...100 as ClosedRange<Int64> {
    report.warningsDecided.record(value * 500)
    report.warningsDelivered.record(value * 1_000)
    report.grantEndsDecided.record(value * 600)
    report.beginLatency.record(value * 10)
    report.endLatency.record(value * 20)
  }
  report.work.events = 412_000
  report.work.wakeUps = 31_000
  report.work.armings = 42_000
  report.work.userNanoseconds = 3_200_000_000
  report.work.systemNanoseconds = 900_000_000
  report.work.peakMemory = 64 << 20
  for (number, floor) in [(1, 20_000), (2, 24_000), (3, 40_000)] as [(Int, Int64)] {
    var segment = LoadTestReport.Segment()
    segment.decided = Spread(p50: floor * 5 / 4, p99: floor * 2)
    segment.delivered = Spread(p50: floor * 2, p99: floor * 4)
    segment.floor = Spread(p50: floor, p99: floor * 3 / 2)
    segment.alternative = Spread(p50: 500_000, p99: 1_100_000)
    segment.alternativeEarly = number * 100
    report.segments.append(segment)
  }
  var comparison = OutcomeComparison()
  comparison.compared = 7_650
  comparison.leftOut = [3, 17].map(AppID.init(rawValue:))
  report.comparison = comparison
  report.notes = ["The loop shared its cores with the apps' threads."]
  return report
}

@Suite struct ReportTests {
  @Test func `a person reads a table`() {
    #expect(
      sampleReport().text() == """
        10,000 apps, policy ios13, time scale 0.01, 10s, 3 segments, 2 cores, seed 1

        35,000 expirations expected, 35,000 delivered, 0 early, 0 lost, 0 twice, 3,500/s, 7,650 apps beside
        the plan, 0 different, 2 too close to say

                                          p50      p90      p99    p99.9        max   early
          warnings decided               25us     45us   49.5us     50us       50us       0
          warnings delivered             50us     90us     99us    100us      100us       0
          ends of grants decided         30us     54us   59.4us     60us       60us       0
          begin a task                  500ns    900ns    990ns      1us        1us
          end a task                      1us    1.8us   1.98us      2us        2us

          medians of 3 segments           p50      p99      p50      p99
          the floor                      24us     36us
          decided                        30us     48us    1.25x    1.33x  of the floor
          delivered                      48us     96us       2x    2.67x  of the floor
          the alternative               500us    1.1ms    16.7x    22.9x  of decided
          without rounding up, 600 of the alternative's timers are early

        412,000 events, 41,200/s, 4.1s of processor time, 31,000 wake-ups, 42,000 armings, 64 MiB at most

          The loop shared its cores with the apps' threads.
        """)
  }

  @Test func `a narrow terminal gets fewer columns and shorter lines`() {
    let lines = sampleReport().text(width: 70).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(!lines.contains { $0.contains("p99.9") })
    #expect(lines.contains { $0.contains("p50") && $0.contains("max") })
  }

  @Test func `a program reads one line, its keys in order`() throws {
    let thresholds = try Threshold.read("lateness.p99<1us,early==0")
    #expect(
      sampleReport().json(thresholds: thresholds) == """
        {"curfew":"loadtest/1","policy":"ios13","policyDigest":"0123456789abcdef","seed":1,"apps":10000,"scale":"0.01",\
        "length":10000000000,"interrupted":false,"cores":2,"expirations":{"expected":35000,"delivered":35000,"lost":0,\
        "twice":0,"perSecond":3500},"early":0,"warnings":{"decided":{"count":100,"early":0,"p50":25007,"p90":45023,\
        "p99":49503,"p99.9":50000,"max":50000},"delivered":{"count":100,"early":0,"p50":50015,"p90":90047,"p99":99007,\
        "p99.9":100000,"max":100000}},"grantEnds":{"decided":{"count":100,"early":0,"p50":30015,"p90":54015,"p99":59423,\
        "p99.9":60000,"max":60000}},"calls":{"begin":{"count":100,"early":0,"p50":500,"p90":900,"p99":990,"p99.9":1000,\
        "max":1000},"end":{"count":100,"early":0,"p50":1000,"p90":1800,"p99":1980,"p99.9":2000,"max":2000}},\
        "work":{"events":412000,"eventsPerSecond":41200,"wakeUps":31000,"armings":42000,"user":3200000000,"system":900000000,\
        "peakMemory":67108864},"segments":[{"decided":{"p50":25000,"p99":40000},"delivered":{"p50":40000,"p99":80000},\
        "floor":{"p50":20000,"p99":30000},"alternative":{"p50":500000,"p99":1100000},"alternativeEarly":100},\
        {"decided":{"p50":30000,"p99":48000},"delivered":{"p50":48000,"p99":96000},"floor":{"p50":24000,"p99":36000},\
        "alternative":{"p50":500000,"p99":1100000},"alternativeEarly":200},{"decided":{"p50":50000,"p99":80000},\
        "delivered":{"p50":80000,"p99":160000},"floor":{"p50":40000,"p99":60000},"alternative":{"p50":500000,"p99":1100000},\
        "alternativeEarly":300}],"medians":{"decided":{"p50":30000,"p99":48000},"delivered":{"p50":48000,"p99":96000},\
        "floor":{"p50":24000,"p99":36000},"alternative":{"p50":500000,"p99":1100000}},"ratios":{"floor.p50":1.25,\
        "floor.p99":1.333,"delivered.p50":2,"delivered.p99":2.667,"alternative.p50":16.667,"alternative.p99":22.917},\
        "comparison":{"compared":7650,"different":[],"leftOut":[3,17],"stalled":[]},"thresholds":[{"threshold":"lateness.p99<1us",\
        "holds":false,"measured":99007},{"threshold":"early==0","holds":true,"measured":0}],\
        "notes":["The loop shared its cores with the apps' threads."]}
        """)
  }

  @Test func `the line is JSON, also of a run that measured nothing`() throws {
    let empty = LoadTestReport(
      run: LoadTestReport.Run(apps: 0, policy: "a \"b\"", policyDigest: "", scale: "1", lengthNanoseconds: 0, seed: 0, cores: 1))
    for report in [sampleReport(), empty] {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any])
      #expect(object["curfew"] as? String == "loadtest/1")
      #expect(!report.json().contains("\n"))
    }
    #expect(empty.text().contains("0 expirations expected"))
  }

  @Test func `ratios are medians of the segments' own`() {
    var report = sampleReport()
    #expect(report.medianRatio(\.decided, to: \.floor, \.p50) == 1.25)
    #expect(report.medianRatio(\.alternative, to: \.decided, \.p50) == 500_000.0 / 30_000)
    report.segments[0].floor = nil
    report.segments[1].floor?.p50 = 0
    #expect(report.medianRatio(\.decided, to: \.floor, \.p50) == (1.25 + 30_000) / 2)
    #expect(report.median(\.floor, \.p50) == 20_000)
  }

  @Test func `lengths are told in three digits`() {
    let texts: [(Int64?, String)] = [
      (nil, "-"), (0, "0ns"), (999, "999ns"), (1_000, "1us"), (12_345, "12.3us"), (999_499, "999us"), (999_999, "1ms"),
      (1_250_000, "1.25ms"), (300_000_000, "300ms"), (999_999_999, "1s"), (10_000_000_000, "10s"), (4_321_000_000_000, "4,321s"),
      (-1_500, "-1.5us"),
    ]
    for (nanoseconds, text) in texts { #expect(WallText.text(nanoseconds) == text) }
    #expect(WallText.grouped(1_234_567) == "1,234,567" && WallText.grouped(-1_000) == "-1,000" && WallText.grouped(12) == "12")
    #expect(WallText.digits(9.999) == "10" && WallText.digits(99.96) == "100" && WallText.digits(0.5) == "0.5")
    #expect(WallText.bytes(64 << 20) == "64 MiB" && WallText.bytes(12) == "12 B")
    #expect(WallText.decimal(-0.0001, places: 3) == "0.000" && WallText.decimal(-1.0625, places: 3) == "-1.063")
  }
}
