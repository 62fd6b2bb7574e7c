import CurfewText

/// Rows of drawings on one axis, each with a label on the left and a value on the right. On
/// a narrow screen, both are above the drawing.
struct RowPlot {
  /// A row.
  struct Row {
    let label: String
    let value: String
    var height = 26.0
    /// Draws the marks. The middle of the row is at half its height.
    let draw: (inout Markup) -> Void
  }

  let scale: Scale
  let rows: [Row]
  /// The value at which a vertical line is drawn, such as 0 for no difference.
  var reference: Double?

  func write(_ page: inout Markup, _ name: String, _ description: String) {
    page.element(
      "div",
      ["class": "rows", "role": "img", "aria-labelledby": name, "aria-describedby": description]
    ) { plot in
      for row in rows {
        plot.element("div", ["class": "row"]) { line in
          line.element("div", ["class": "label"]) { $0.element("bdi", text: row.label) }
          line.element("div", ["class": "cell"]) { cell in
            cell.element("svg", ["width": "100%", "height": MarkupPlace.pixels(row.height)]) {
              drawing in
              grid(&drawing)
              row.draw(&drawing)
            }
          }
          line.element("div", ["class": "value"], text: row.value)
        }
        plot.literal("\n")
      }
      axis(&plot)
    }
  }

  private func grid(_ drawing: inout Markup) {
    for tick in scale.ticks {
      let x = MarkupPlace.percent(tick.position)
      drawing.empty(
        "line",
        ["class": tick.isMain ? "grid" : "grid fine", "x1": x, "x2": x, "y1": "0", "y2": "100%"])
    }
    if let place = reference.flatMap(scale.position) {
      let x = MarkupPlace.percent(place)
      drawing.empty("line", ["class": "reference", "x1": x, "x2": x, "y1": "0", "y2": "100%"])
    }
  }

  private func axis(_ plot: inout Markup) {
    plot.element("div", ["class": "row axis"]) { line in
      line.element("div", ["class": "label"]) { _ in }
      line.element("div", ["class": "cell"]) { cell in
        cell.element("svg", ["width": "100%", "height": "20"]) { drawing in
          for tick in scale.ticks { tick.write(&drawing, y: 14) }
        }
        cell.element("p", ["class": "axis-name"], text: scale.name)
      }
      line.element("div", ["class": "value"]) { _ in }
    }
  }
}

extension Scale {
  /// The name along the axis.
  var name: String { measure.name + (spread == .logarithmic ? " (logarithmic)" : "") }
}

extension Scale.Tick {
  /// Writes its text below a horizontal axis.
  func write(_ drawing: inout Markup, y: Double) {
    let anchor = position < 0.03 ? "start" : position > 0.97 ? "end" : "middle"
    drawing.element(
      "text",
      [
        "class": isMain ? "tick" : "tick fine", "x": MarkupPlace.percent(position),
        "y": MarkupPlace.pixels(y),
        "text-anchor": anchor,
      ],
      text: text)
  }
}

extension Markup {
  /// Writes a mark, which tests count by its attributes, with the text that appears when the
  /// pointer is over it. `draw` draws it around 0, 0.
  mutating func mark(
    _ kind: String, x: Double, y: Double, class name: String, _ words: String,
    _ draw: (inout Markup) -> Void
  ) {
    element(
      "svg",
      [
        "class": "mark \(name)", "data-kind": kind, "data-count": "1", "x": MarkupPlace.percent(x),
        "y": MarkupPlace.pixels(y),
      ]
    ) { mark in
      mark.element("title", text: words)
      draw(&mark)
    }
  }
}
