import CurfewText

/// One or more series of points over a numeric axis or over cases. Points may have intervals.
package struct CurveChart: Sendable {
  /// The title.
  package var title: String
  /// The sentence that sums up the drawing: its text alternative.
  package var text: String
  /// The horizontal axis.
  package var axis: Axis
  /// The measure of the points' values.
  package var measure: AxisMeasure
  /// The series.
  package var series: [Series]
  /// The name of the intervals: `95 % intervals of 20 runs`; nil if there are none.
  package var intervalName: String?
  /// The notes below the drawing.
  package var notes: [String]

  /// The kinds of horizontal axes.
  package enum Axis: Sendable {
    /// Numbers, evenly spread.
    case linear(AxisMeasure)
    /// Numbers above zero; each step multiplies the value by the same factor.
    case logarithmic(AxisMeasure)
    /// Cases without an order: a name for the axis, and the names of the cases. A point's `x`
    /// is the index of its case.
    case cases(String, [String])
  }

  /// Points that belong together.
  package struct Series: Sendable {
    /// The name.
    package var name: String
    /// Its points, in any order.
    package var points: [Point]

    /// A series of these points.
    package init(_ name: String, _ points: [Point]) { (self.name, self.points) = (name, points) }
  }

  /// A point.
  package struct Point: Sendable {
    /// The position along the axis.
    package var x: Double
    /// The value.
    package var value: Double
    /// The interval of the value.
    package var interval: ClosedRange<Double>?

    /// A point with this value and interval.
    package init(_ x: Double, _ value: Double, _ interval: ClosedRange<Double>? = nil) {
      (self.x, self.value, self.interval) = (x, value, interval)
    }
  }

  /// A chart of these series.
  package init(
    _ title: String, text: String, _ axis: Axis, _ measure: AxisMeasure, _ series: [Series],
    intervalName: String? = nil, notes: [String] = []
  ) {
    (self.title, self.text, self.axis, self.measure, self.series) = (
      title, text, axis, measure, series
    )
    (self.intervalName, self.notes) = (intervalName, notes)
  }

  func write(_ page: inout Markup) {
    let intervals = intervalName.map { ["Lines through the marks are \($0)."] } ?? []
    switch axis {
    case .linear(let x): drawCurves(x, .linear, intervals, &page)
    case .logarithmic(let x): drawCurves(x, .logarithmic, intervals, &page)
    case .cases(let name, let cases): drawCases(name, cases, intervals, &page)
    }
  }

  private var values: [Double] {
    series.flatMap(\.points).flatMap {
      [$0.value, $0.interval?.lowerBound, $0.interval?.upperBound].compactMap(\.self)
    }
  }

  // MARK: Along a value

  private func drawCurves(
    _ x: AxisMeasure, _ spread: Scale.Spread, _ intervals: [String], _ page: inout Markup
  ) {
    let places = series.flatMap(\.points).map(\.x)
    let plot = Plot(
      x: Scale(x, places, spread, isTight: true, marks: places), y: Scale(measure, values),
      curves: series.map { series in
        Plot.Curve(
          name: series.name,
          points: series.points.sorted { $0.x < $1.x }.map { point in
            let words =
              "\(series.name), \(x.text(point.x)): \(measure.text(point.value, point.interval))"
            return Plot.Point(x: point.x, y: point.value, interval: point.interval, words: words)
          })
      }, kind: "point")
    PageFigure(
      title: title, text: text, notes: intervals + notes + plot.notes,
      table: table(x.name) { x.text($0) }
    ).write(&page) {
      page, _, _ in
      plot.write(&page, title: title, text: text)
    }
  }

  // MARK: Case by case

  private func drawCases(
    _ name: String, _ cases: [String], _ intervals: [String], _ page: inout Markup
  ) {
    let scale = Scale(measure, values)
    let distance = 14.0
    let rows = cases.enumerated().map { place, label in
      let found = series.enumerated().compactMap { number, series in
        series.points.first { $0.x == Double(place) }.map {
          (number: number, name: series.name, point: $0)
        }
      }
      let value = found.map {
        isBound($0.point) ? measure.text(0, $0.point.interval) : measure.text($0.point.value)
      }.joined(
        separator: " · ")
      return RowPlot.Row(
        label: label, value: value, height: 16 + distance * Double(max(1, found.count))
      ) { drawing in
        for (line, item) in found.enumerated() {
          let (y, look) = (8 + distance * (Double(line) + 0.5), SeriesLook.name(item.number))
          if let low = item.point.interval.flatMap({ scale.position($0.lowerBound) }),
            let high = item.point.interval.flatMap({ scale.position($0.upperBound) })
          {
            drawing.empty(
              "line",
              [
                "class": "whisker \(look)", "x1": MarkupPlace.percent(low),
                "x2": MarkupPlace.percent(high),
                "y1": MarkupPlace.pixels(y),
                "y2": MarkupPlace.pixels(y),
              ])
          }
          guard let x = scale.position(item.point.value) else { continue }
          let words =
            "\(label)\(series.count > 1 ? ", \(item.name)" : ""): \(measure.text(item.point.value, item.point.interval))"
          drawing.mark("point", x: x, y: y, class: look, words) {
            $0.empty("path", ["class": "point", "d": SeriesLook.shape(item.number)])
          }
        }
      }
    }
    let notes = intervals + notes + [scale.leavesZeroOut ? Plot.noZero : ""]
    let table = table(name) { place in
      Int(exactly: place).flatMap { cases.indices.contains($0) ? cases[$0] : nil } ?? "–"
    }
    PageFigure(title: title, text: text, notes: notes, table: table).write(&page) {
      page, name, description in
      if series.count > 1 { SeriesLook.writeLegend(series.map(\.name), &page, hasLines: false) }
      RowPlot(scale: scale, rows: rows).write(&page, name, description)
    }
  }

  /// Whether a point has only an upper bound: its value and its lower bound are 0.
  private func isBound(_ point: Point) -> Bool {
    point.value == 0 && point.interval?.lowerBound == 0
  }

  private func table(_ name: String, _ write: (Double) -> String) -> Table {
    let hasIntervals = series.contains { $0.points.contains { $0.interval != nil } }
    let columns =
      [.words("series")] + [.words(name), .numbers(measure.name)]
      + (hasIntervals ? [Table.Column.numbers("from"), .numbers("to")] : [])
    return Table(
      title, columns,
      series.flatMap { series in
        series.points.sorted { $0.x < $1.x }.map { point in
          let bounds = [point.interval?.lowerBound, point.interval?.upperBound].map {
            $0.map(measure.text) ?? "–"
          }
          return [series.name, write(point.x), measure.text(point.value)]
            + (hasIntervals ? bounds : [])
        }
      })
  }
}
