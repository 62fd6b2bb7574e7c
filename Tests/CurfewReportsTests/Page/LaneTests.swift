import Foundation
import TestRuns
import Testing

@testable import CurfewReports

/// Lanes with more content than can be drawn.
@Suite(.inTurn) struct LaneTests {
  private let states: [LaneChart.State] = [
    .init("active", .strong), .init("inactive", .middle), .init("background", .warm),
    .init("suspended", .quiet),
    .init("not running", .none),
  ]

  /// A lane with `spans` spans, bars and signs over a day, at pseudorandom places.
  private func lane(_ number: Int, spans: Int) -> LaneChart.Lane {
    var (seed, time) = (UInt64(number) &* 7_919 &+ 1, 0.0)
    func draw() -> Double {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(seed >> 40) / Double(1 << 24)
    }
    var lane = LaneChart.Lane("app\(number)")
    for _ in 0..<spans {
      let length = 86_400 / Double(spans) * 2 * draw()
      lane.spans.append(.init(Int(draw() * 4), time, time + length))
      lane.bars.append(.init(Int(draw() * 3), time, time + length / 2, "bar"))
      lane.marks.append(.init(Int(draw() * 3), time, "sign"))
      time += length
    }
    return lane
  }

  private func chart(_ lanes: [LaneChart.Lane], duration: Double = 86_400) -> LaneChart {
    LaneChart(
      "t", text: "x", states: states, tracks: ["tasks", "sessions", "wakes"],
      signs: [.init("ended", .cross), .init("expiration", .triangle), .init("denied", .ring)],
      lanes: lanes, duration: duration)
  }

  private func html(_ chart: LaneChart) -> String {
    Page(title: "t", lead: "l", sections: [Page.Section("s", [.lanes(chart)])]).html()
  }

  @Test(arguments: [1, 30, 3_000])
  func `every span, bar and sign of forty apps over a day is counted`(spans: Int) {
    let html = html(chart((0..<40).map { lane($0, spans: spans) }))
    let counts = html.matches(of: /data-kind="(state|bar|sign)-[0-9]" data-count="([0-9]+)"/)
      .compactMap { Int($0.output.2) }
    #expect(counts.reduce(0, +) == 40 * spans * 3)
    #expect(counts.count <= LaneChart.mostMarks && html.utf8.count < 2_500_000)
    #expect((counts.count < 40 * spans * 3) == html.contains("Items shorter than"))
  }

  @Test func `the first of too many lanes are drawn`() {
    let html = html(chart((0..<1_000).map { lane($0, spans: 1) }))
    #expect(
      html.matches(of: /class="lane"/).count == LaneChart.mostLanes
        && html.contains("60 of 1,000 lanes are drawn."))
  }

  @Test func `a short state next to a livelier long one is merged into it; alone, it is drawn`() {
    let merging = LaneMerging(grain: 1)
    let visit = merging.states([.init(0, 0, 10), .init(1, 10, 10), .init(2, 10, 20)]) { _ in true }
    #expect(visit.map(\.key) == [0, 2] && visit.map(\.count) == [2, 1])
    let wake = merging.states([.init(3, 0, 10), .init(2, 10, 10.5), .init(3, 10.5, 20)]) { _ in true
    }
    #expect(wake.map(\.key) == [3, 2, 3] && wake.map(\.start) == [0, 10, 10.5])
    let flicker = merging.states(
      (0..<10).map { .init($0 % 4, Double($0) / 20, Double($0 + 1) / 20) }
    ) { _ in true }
    #expect(flicker.count == 1 && flicker[0].key == 0 && flicker[0].count == 10)
  }

  @Test func `bars that overlap in time are drawn below each other`() {
    var lane = LaneChart.Lane("a")
    lane.bars = [
      .init(0, 0, 50, "one"), .init(0, 10, 20, "two"), .init(0, 60, 70, "three"),
      .init(2, 0, 70, "wake"),
    ]
    let html = html(chart([lane], duration: 100))
    let lines = html.matches(of: /<rect class="mark bar k[0-9]"[^>]* y="([0-9]+)"/).map {
      String($0.output.1)
    }
    #expect(lines == ["28", "34", "28", "40"])
  }

  @Test func `a lane has a sentence, and unfolds into its events`() {
    var lane = LaneChart.Lane("a")
    lane.spans = [.init(0, 0, 12), .init(4, 12, 100)]
    lane.marks = [.init(0, 12, "x")]
    lane.events = (0..<150).map { (Double($0), "event \($0)", false) }
    lane.eventsLeftOut = 7
    let html = html(chart([lane], duration: 100))
    #expect(html.contains("a: active 12s; ended: 1</title>") && html.contains("and 57 more"))
    #expect(html.matches(of: /<li><span class="when"/).count == 100)
  }
}
