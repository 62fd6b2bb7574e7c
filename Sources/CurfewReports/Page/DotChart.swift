import CurfewText

/// A dot for each measurement, row by row, on a logarithmic axis, with the interval of each row's
/// middle and a vertical line for the value that all rows are compared with.
package struct DotChart: Sendable {
  /// The title.
  package var title: String
  /// The sentence that sums up the drawing: its text alternative.
  package var text: String
  /// The measure of the dots.
  package var measure: AxisMeasure
  /// The rows, from top to bottom.
  package var rows: [Row]
  /// The value of the vertical line; nil for none.
  package var reference: Double?
  /// The notes below the drawing.
  package var notes: [String]

  /// The dots of one contestant.
  package struct Row: Sendable {
    /// The label.
    package var label: String
    /// The values, each with the name of its measurement: `repetition 3`.
    package var dots: [(value: Double, name: String)]
    /// The middle of the dots; nil if it is not known.
    package var middle: Double?
    /// The interval of the middle.
    package var interval: ClosedRange<Double>?
    /// A remark behind the middle, such as `disturbed`; empty for none.
    package var remark: String

    /// A row of these dots.
    package init(
      _ label: String, _ dots: [(value: Double, name: String)], middle: Double?,
      _ interval: ClosedRange<Double>?, remark: String = ""
    ) {
      (self.label, self.dots, self.middle, self.interval) = (label, dots, middle, interval)
      self.remark = remark
    }
  }

  /// A chart of these rows.
  package init(
    _ title: String, text: String, _ measure: AxisMeasure, _ rows: [Row],
    reference: Double? = nil, notes: [String] = []
  ) {
    (self.title, self.text, self.measure, self.rows) = (title, text, measure, rows)
    (self.reference, self.notes) = (reference, notes)
  }

  func write(_ page: inout Markup) {
    let values = rows.flatMap { row in
      row.dots.map(\.value)
        + [row.middle, row.interval?.lowerBound, row.interval?.upperBound]
        .compactMap(\.self)
    }
    let scale = Scale(measure, values + [reference].compactMap(\.self), .logarithmic)
    let plotted = rows.map { row in
      RowPlot.Row(label: row.label, value: words(row), height: 34) { drawing in
        whisker(row, scale, &drawing)
        for (place, dot) in row.dots.enumerated() {
          guard let x = scale.position(dot.value) else { continue }
          // Three heights, so that dots beside each other can be told apart.
          drawing.mark(
            "dot", x: x, y: 7 + 5 * Double(place % 3), class: "c0 dense",
            "\(row.label), \(dot.name): \(measure.text(dot.value))"
          ) {
            $0.empty("path", ["class": "point", "d": SeriesLook.shape(0)])
          }
        }
      }
    }
    PageFigure(title: title, text: text, notes: notes, table: table).write(&page) {
      page, name, description in
      RowPlot(scale: scale, rows: plotted, reference: reference).write(&page, name, description)
    }
  }

  /// Draws the interval and the middle below the dots.
  private func whisker(_ row: Row, _ scale: Scale, _ drawing: inout Markup) {
    guard let middle = row.middle.flatMap(scale.position) else { return }
    let ends = row.interval.map { [$0.lowerBound, $0.upperBound].compactMap(scale.position) } ?? []
    let places = [middle] + ends
    func line(_ from: Double, _ to: Double, _ top: String, _ bottom: String) {
      drawing.empty(
        "line",
        [
          "class": "whisker c1", "x1": MarkupPlace.percent(from), "x2": MarkupPlace.percent(to),
          "y1": top, "y2": bottom,
        ])
    }
    if let low = ends.first, let high = ends.last { line(low, high, "27", "27") }
    for place in places { line(place, place, "23", "31") }
  }

  private func words(_ row: Row) -> String {
    let middle = row.middle.map { measure.text($0, row.interval) } ?? ""
    return [middle, row.remark].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private var table: Table {
    Table(
      title,
      [
        .words(""), .numbers("dots"), .numbers("middle"), .numbers("from"), .numbers("to"),
        .numbers("least"), .numbers("greatest"),
      ],
      rows.map { row in
        let values = row.dots.map(\.value)
        let numbers = [
          row.middle, row.interval?.lowerBound, row.interval?.upperBound, values.min(),
          values.max(),
        ]
        return [row.label, "\(values.count)"] + numbers.map { $0.map(measure.text) ?? "–" }
      })
  }
}
