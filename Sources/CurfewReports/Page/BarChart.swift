import CurfewText

/// Horizontal bars from zero: a count or an amount for each row.
package struct BarChart: Sendable {
  /// The title.
  package var title: String
  /// The sentence that sums up the drawing: its text alternative.
  package var text: String
  /// The measure of the bars' values.
  package var measure: AxisMeasure
  /// The bars, from top to bottom.
  package var bars: [Bar]
  /// The names of the kinds, by `Bar.kind`. The chart has a legend if there are several.
  package var kinds: [String]
  /// The notes below the drawing.
  package var notes: [String]

  /// A bar.
  package struct Bar: Sendable {
    /// The label.
    package var label: String
    /// The value, which determines the bar's length.
    package var value: Double
    /// The index in the chart's `kinds`.
    package var kind: Int
    /// The text after the value: `of 70`.
    package var detail: String?

    /// A bar of this value.
    package init(_ label: String, _ value: Double, kind: Int = 0, detail: String? = nil) {
      (self.label, self.value, self.kind, self.detail) = (label, value, kind, detail)
    }
  }

  /// A chart of these bars.
  package init(
    _ title: String, text: String, _ measure: AxisMeasure, _ bars: [Bar], kinds: [String] = [],
    notes: [String] = []
  ) {
    precondition(
      bars.allSatisfy { $0.kind >= 0 && (kinds.isEmpty ? $0.kind == 0 : $0.kind < kinds.count) },
      "A bar of '\(title)' has no kind")
    (self.title, self.text, self.measure, self.bars, self.kinds, self.notes) = (
      title, text, measure, bars, kinds, notes
    )
  }

  /// The maximum number of bars that are drawn; the table has all bars.
  private static let mostBars = 60

  func write(_ page: inout Markup) {
    let drawn = bars.prefix(BarChart.mostBars)
    let scale = Scale(measure, drawn.map(\.value), isFromZero: true)
    let zero = scale.position(0) ?? 0
    let rows = drawn.map { bar in
      let value = measure.text(bar.value) + (bar.detail.map { " \($0)" } ?? "")
      return RowPlot.Row(label: bar.label, value: value, height: 24) { drawing in
        guard let end = scale.position(bar.value) else { return }
        drawing.element(
          "rect",
          [
            "class": "mark bar \(SeriesLook.name(bar.kind))", "data-kind": "bar", "data-count": "1",
            "data-value": "\(bar.value)",
            "x": MarkupPlace.percent(min(zero, end)), "y": "4",
            "width": MarkupPlace.percent(abs(end - zero)),
            "height": "16",
          ]
        ) { $0.element("title", text: "\(bar.label): \(value)") }
      }
    }
    let left = bars.count - drawn.count
    let missing = drawn.count { !$0.value.isFinite }
    let notes =
      notes + [
        left > 0
          ? "The first \(drawn.count) of \(HumanCount.text(bars.count, "bar")) are drawn." : "",
        missing > 0
          ? "\(HumanCount.text(missing, "bar has", "bars have")) no value that can be drawn." : "",
      ]
    PageFigure(title: title, text: text, notes: notes, table: table).write(&page) {
      page, name, description in
      if kinds.count > 1 { SeriesLook.writeLegend(kinds, &page, hasLines: false) }
      RowPlot(scale: scale, rows: Array(rows), reference: 0).write(&page, name, description)
    }
  }

  private var table: Table {
    let kind: [Table.Column] = kinds.count > 1 ? [.words("kind")] : []
    return Table(
      title, [.words("")] + kind + [.numbers(measure.name)],
      bars.map { bar in
        [bar.label] + (kind.isEmpty ? [] : [kinds[bar.kind]]) + [
          measure.text(bar.value) + (bar.detail.map { " \($0)" } ?? "")
        ]
      })
  }
}
