import CurfewText

/// Differences with intervals, row by row: a forest plot. The line in the middle marks zero.
package struct DifferenceChart: Sendable {
  /// The title.
  package var title: String
  /// The sentence that sums up the drawing: its text alternative.
  package var text: String
  /// The measure of the differences; for shares, `.points`.
  package var measure: AxisMeasure
  /// The rows, from top to bottom.
  package var rows: [Row]
  /// The name of the intervals: `95 % interval of 20 paired runs`.
  package var intervalName: String
  /// The notes below the drawing.
  package var notes: [String]

  /// A difference.
  package struct Row: Sendable {
    /// The label.
    package var label: String
    /// The mean of the differences.
    package var difference: Double
    /// The interval of the difference.
    package var interval: ClosedRange<Double>?
    /// The verdict in words: `more`, `no difference that matters`.
    package var verdict: String
    /// The text that replaces an interval: `0 and 0 events, at most 0.37`.
    package var bounds: String?

    /// A row with this difference and interval.
    package init(
      _ label: String, _ difference: Double, _ interval: ClosedRange<Double>?, verdict: String,
      bounds: String? = nil
    ) {
      (self.label, self.difference, self.interval, self.verdict, self.bounds) = (
        label, difference, interval, verdict, bounds
      )
    }

    /// The verdict and `bounds`.
    fileprivate var words: String { verdict + (bounds.map { ": \($0)" } ?? "") }
  }

  /// A chart of these rows.
  package init(
    _ title: String, text: String, _ measure: AxisMeasure, _ rows: [Row], intervalName: String,
    notes: [String] = []
  ) {
    (self.title, self.text, self.measure, self.rows) = (title, text, measure, rows)
    (self.intervalName, self.notes) = (intervalName, notes)
  }

  /// The maximum number of rows that are drawn; the table has all rows.
  private static let mostRows = 60

  func write(_ page: inout Markup) {
    let drawn = rows.prefix(DifferenceChart.mostRows)
    let values = drawn.flatMap {
      [$0.difference, $0.interval?.lowerBound, $0.interval?.upperBound].compactMap(\.self)
    }
    let scale = Scale(measure, values, isFromZero: true, isSigned: true)
    let plotted = drawn.map { row in
      RowPlot.Row(
        label: row.label, value: "\(measure.signedText(row.difference)), \(row.words)", height: 30
      ) { drawing in
        guard let place = scale.position(row.difference) else { return }
        if let interval = row.interval, let low = scale.position(interval.lowerBound),
          let high = scale.position(interval.upperBound)
        {
          let name = "whisker " + (interval.contains(0) ? "open" : "c0")
          drawing.empty(
            "line",
            [
              "class": name, "x1": MarkupPlace.percent(low), "x2": MarkupPlace.percent(high),
              "y1": "15",
              "y2": "15",
            ])
          for end in [low, high] {
            drawing.empty(
              "line",
              [
                "class": name, "x1": MarkupPlace.percent(end), "x2": MarkupPlace.percent(end),
                "y1": "10",
                "y2": "20",
              ])
          }
        }
        let isOpen = row.interval?.contains(0) ?? true
        drawing.mark(
          "difference", x: place, y: 15, class: isOpen ? "open" : "c0",
          "\(row.label): \(words(row))"
        ) {
          $0.empty("path", ["class": "point", "d": SeriesLook.shape(1)])
        }
      }
    }
    let isOpen = drawn.contains { $0.interval?.contains(0) ?? true }
    let left = rows.count - drawn.count
    let notes =
      [
        "Each line is the \(intervalName)."
          + (isOpen ? " A mark is hollow if its line contains zero or is missing." : "")
      ] + notes
      + [
        left > 0
          ? "The first \(drawn.count) of \(HumanCount.text(rows.count, "row")) are drawn." : ""
      ]
    PageFigure(title: title, text: text, notes: notes, table: table).write(&page) {
      page, name, description in
      RowPlot(scale: scale, rows: Array(plotted), reference: 0).write(&page, name, description)
    }
  }

  private func words(_ row: Row) -> String {
    "\(measure.text(row.difference, row.interval, isSigned: true)), \(row.words)"
  }

  private var table: Table {
    Table(
      title,
      [.words(""), .numbers("difference"), .numbers("from"), .numbers("to"), .words("verdict")],
      rows.map { row in
        [
          row.label, measure.signedText(row.difference),
          row.interval.map { measure.signedText($0.lowerBound) } ?? "–",
          row.interval.map { measure.signedText($0.upperBound) } ?? "–", row.words,
        ]
      })
  }
}
