import Foundation
import TestRuns
import Testing

@testable import CurfewReports

/// Properties of every page.
@Suite(.inTurn) struct PageTests {
  /// The number of times that `needle` occurs in `text`.
  private func count(_ needle: String, _ text: String) -> Int {
    text.components(separatedBy: needle).count - 1
  }

  private func page(_ content: Page.Content...) -> String {
    Page(title: "t", lead: "l", sections: [Page.Section("s", content)]).html()
  }

  /// The sum of the counts that marks of a kind stand for.
  private func marks(_ kind: String, in html: String) throws -> Int {
    let pattern = try Regex(
      "data-kind=\"\(kind)\" data-count=\"([0-9]+)\"", as: (Substring, Substring).self)
    return html.matches(of: pattern).compactMap { Int($0.output.1) }.reduce(0, +)
  }

  @Test func `the gallery has a mark for each data point, and is the same each time`() throws {
    let html = Gallery.page.html()
    if let folder = ProcessInfo.processInfo.environment["CURFEW_PAGES"] {
      try html.write(toFile: folder + "/gallery.html", atomically: true, encoding: .utf8)
    }
    #expect(html == Gallery.page.html())
    #expect(
      try marks("point", in: html) == 26 && marks("difference", in: html) == 4
        && marks("quantile", in: html) == 14)
    #expect(
      try marks("bar", in: html) == 4 && marks("state-[0-9]", in: html) == 5
        && marks("sign-[0-9]", in: html) == 3)
    #expect(count("<figure", html) == 6 && count("<details class=\"data\"", html) == 6)
    #expect(!html.contains("<script") && !html.contains("http:") && !html.contains("url("))
  }

  @Test func `every element that is opened is closed, in order`() throws {
    let html = Gallery.page.html()
    var open: [Substring] = []
    for match in html.matches(of: /<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/) {
      if match.output.1 == "/" {
        #expect(open.popLast() == match.output.2)
      } else if match.output.3.isEmpty {
        open.append(match.output.2)
      }
    }
    #expect(open.isEmpty)
  }

  @Test(arguments: [
    "</script><script>alert(1)</script>", "\" onload=\"x", "' onload='x", "<!--", "]]>", "&amp;",
    "\u{202E}evil\u{202C}",
    "a\u{0}b\u{1B}[2J",
    "مرحبا", "\u{2028}", "👩‍👩‍👧", String(repeating: "x", count: 5_000),
  ])
  func `no name becomes markup`(_ name: String) {
    let lane = {
      var lane = LaneChart.Lane(name)
      lane.spans = [.init(0, 0, 1)]
      lane.bars = [.init(0, 0, 1, name)]
      lane.marks = [.init(0, 0.5, name)]
      lane.events = [(0, name, true)]
      return lane
    }()
    let html = Page(
      title: name, lead: name, subtitle: name,
      sections: [
        Page.Section(
          name, text: [name],
          [
            .text(name), .note(name),
            .table(Table(name, [.words(name), .numbers(name)], [[name, name]])),
            .bars(
              BarChart(
                name, text: name, AxisMeasure(name), [.init(name, 1, detail: name)], notes: [name])),
            .difference(
              DifferenceChart(
                name, text: name, AxisMeasure(name, .plain(name)),
                [.init(name, 1, 0...2, verdict: name)], intervalName: name)),
            .curve(
              CurveChart(
                name, text: name, .linear(AxisMeasure(name)), AxisMeasure(name),
                [.init(name, [.init(0, 1), .init(1, 2)]), .init("b", [.init(1, 1)])])),
            .curve(
              CurveChart(
                name, text: name, .cases(name, [name]), AxisMeasure(name),
                [.init(name, [.init(0, 1)])])
            ),
            .distribution(
              DistributionChart(name, text: name, AxisMeasure(name), [.init(name, [(0.5, 1)])])),
            .dots(
              DotChart(
                name, text: name, AxisMeasure(name),
                [.init(name, [(1, name)], middle: 1, 1...2, remark: name)], notes: [name])),
            .table(
              Table(name, [.words(name), .numbers(name)], [[name, name]]).sortable(by: [[nil, 1]])),
            .lanes(
              LaneChart(
                name, text: name, states: [.init(name, .strong)], tracks: [name],
                signs: [.init(name, .cross)], lanes: [lane], duration: 1)),
          ])
      ], provenance: [(name, name)]
    ).html()
    let frame = Page(title: "", lead: "").html()
    // Only the markup of the page itself: no attribute and no element from the name, no control
    // character, and no character that changes the text direction.
    #expect(
      !html.contains("<script") && !html.contains("<!--") && !html.contains(" onload=\"")
        && !html.contains(" onload='"))
    #expect(
      !html.unicodeScalars.contains {
        $0.value < 0x20 && $0 != "\n" || (0x202A...0x202E).contains($0.value) || $0.value == 0x2028
      })
    #expect(count("\n    :root", html) == count("\n    :root", frame))
    for match in html.matches(of: /<[^>]*>/) { #expect(count("\"", String(match.output)) % 2 == 0) }
  }

  @Test func `a value that is not a number is reported and not drawn`() {
    let odd: [Double] = [
      .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, 0, -0.0, 1,
    ]
    let points =
      odd.map { CurveChart.Point($0, $0, -Double.infinity ... .infinity) }
      + odd.map { CurveChart.Point(1, $0) }
    for axis in [
      CurveChart.Axis.linear(AxisMeasure("x", .seconds)), .logarithmic(AxisMeasure("x", .bytes)),
      .cases("x", ["a"]),
    ] {
      for unit in [AxisMeasure.Unit.plain("u"), .count, .share, .points, .seconds, .bytes] {
        let html = page(
          .curve(CurveChart("t", text: "x", axis, AxisMeasure("y", unit), [.init("s", points)])),
          .bars(BarChart("t", text: "x", AxisMeasure("y", unit), odd.map { .init("b", $0) })),
          .difference(
            DifferenceChart(
              "t", text: "x", AxisMeasure("y", unit),
              odd.map { .init("d", $0, 0...1, verdict: "v") },
              intervalName: "i")),
          .distribution(
            DistributionChart(
              "t", text: "x", AxisMeasure("y", unit), isLogarithmic: true,
              [.init("v", odd.map { ($0, $0) })])))
        for place in html.matches(of: /[ ](x|y|x1|x2|y1|y2|width|height|d)="([^"]*)"/) {
          #expect(
            !place.output.2.lowercased().contains("nan") && !place.output.2.contains("inf")
              && !place.output.2.contains("e+"))
        }
        #expect(html.contains("–") && html.contains("cannot be drawn") || axis.isCases)
      }
    }
  }

  @Test func `an empty page is valid`() {
    let html = page(
      .curve(CurveChart("t", text: "x", .linear(AxisMeasure("x")), AxisMeasure("y"), [])),
      .curve(CurveChart("t", text: "x", .cases("x", []), AxisMeasure("y"), [])),
      .bars(BarChart("t", text: "x", AxisMeasure("y"), [])),
      .difference(DifferenceChart("t", text: "x", AxisMeasure("y"), [], intervalName: "i")),
      .distribution(DistributionChart("t", text: "x", AxisMeasure("y"), [])),
      .table(Table("t", [], [])),
      .lanes(LaneChart("t", text: "x", states: [], tracks: [], signs: [], lanes: [], duration: 0)))
    #expect(html.hasSuffix("</html>") && !html.contains("class=\"mark"))
  }

  @Test func `too much content is cut, and the page says so`() throws {
    let bars = page(
      .bars(
        BarChart("t", text: "x", AxisMeasure("y"), (0..<1_000).map { .init("\($0)", Double($0)) })))
    #expect(
      try marks("bar", in: bars) == 60 && bars.contains("The first 60 of 1,000 bars are drawn."))
    let table = page(.table(Table("t", [.numbers("n")], (0..<1_000).map { ["\($0)"] })))
    #expect(count("<tr>", table) == 301 && table.contains("The first 300 of 1,000 rows are shown."))
  }
}

extension CurveChart.Axis {
  fileprivate var isCases: Bool { if case .cases = self { true } else { false } }
}
