import CurfewText

/// Curves over two axes. Horizontal places are shares of the width, so the drawing is as wide as
/// the screen and its text keeps its size.
struct Plot {
  /// A point.
  struct Point {
    let x: Double
    let y: Double
    let interval: ClosedRange<Double>?
    /// The text that appears when the pointer is over it.
    let words: String
  }

  /// Points that a line connects, in order.
  struct Curve {
    let name: String
    let points: [Point]
  }

  static let noZero = "The axis does not begin at zero."

  let x: Scale
  let y: Scale
  let curves: [Curve]
  /// The `data-kind` of its marks, by which tests count them.
  let kind: String
  /// Whether all curves end at the same height, so that names at their ends would overlap.
  var endsTogether = false

  private let height = 260.0
  /// The space above the highest mark.
  private let top = 8.0

  init(x: Scale, y: Scale, curves: [Curve], kind: String, endsTogether: Bool = false) {
    (self.x, self.y, self.curves, self.kind, self.endsTogether) = (x, y, curves, kind, endsTogether)
  }

  var notes: [String] {
    let points = curves.flatMap(\.points)
    let missing = points.count { place($0) == nil }
    return [
      y.leavesZeroOut ? Plot.noZero : "",
      missing > 0
        ? "\(HumanCount.text(missing, "point")) of \(HumanCount.text(points.count)) cannot be drawn; the table has them."
        : "",
    ]
  }

  func write(_ page: inout Markup, title: String, text: String) {
    let labels = labels
    if curves.count > 1 {
      SeriesLook.writeLegend(
        curves.map(\.name), &page, hasLines: true,
        class: labels.isEmpty ? "legend" : "legend narrow")
    }
    let left = 14 + 7 * (y.ticks.map { $0.text.count }.max() ?? 0)
    let right =
      labels.isEmpty ? 16 : 20 + 7.2 * Double(curves.map { $0.name.displayWidth }.max() ?? 0)
    page.element(
      "div", ["class": "plot", "style": "--left:\(left)px;--right:\(MarkupPlace.pixels(right))px"]
    ) { box in
      box.element("p", ["class": "axis-name above"], text: y.name)
      let (name, description) = (box.identifier(), box.identifier())
      box.element(
        "svg",
        [
          "role": "img", "width": "100%", "height": MarkupPlace.pixels(height + 24),
          "aria-labelledby": name, "aria-describedby": description,
        ]
      ) { drawing in
        drawing.element("title", ["id": name], text: title)
        drawing.element("desc", ["id": description], text: text)
        axes(&drawing)
        for (number, curve) in curves.enumerated() { lines(curve, number, &drawing) }
        for (number, curve) in curves.enumerated() { marks(curve, number, &drawing) }
        for label in labels {
          drawing.element(
            "text",
            [
              "class": "direct \(SeriesLook.name(label.number))", "x": MarkupPlace.percent(label.x),
              "dx": "12", "y": MarkupPlace.pixels(label.y + 4),
            ], text: curves[label.number].name)
        }
      }
      box.element("p", ["class": "axis-name below"], text: x.name)
    }
  }

  // MARK: Places

  private func pixel(_ value: Double) -> Double? {
    y.position(value).map { top + (1 - $0) * (height - top) }
  }

  private func place(_ point: Point) -> (x: Double, y: Double)? {
    guard let x = x.position(point.x), let y = pixel(point.y) else { return nil }
    return (x, y)
  }

  private func axes(_ drawing: inout Markup) {
    for tick in y.ticks {
      guard let line = pixel(tick.value).map(MarkupPlace.pixels) else { continue }
      drawing.empty("line", ["class": "grid", "x1": "0", "x2": "100%", "y1": line, "y2": line])
      drawing.element(
        "text", ["class": "tick", "x": "-8", "y": line, "dy": "4", "text-anchor": "end"],
        text: tick.text)
    }
    let bottom = MarkupPlace.pixels(height)
    drawing.empty("line", ["class": "base", "x1": "0", "x2": "100%", "y1": bottom, "y2": bottom])
    for tick in x.ticks {
      let place = MarkupPlace.percent(tick.position)
      drawing.empty(
        "line",
        [
          "class": tick.isMain ? "base" : "base fine", "x1": place, "x2": place, "y1": bottom,
          "y2": MarkupPlace.pixels(height + 5),
        ])
      drawing.element(
        "text",
        [
          "class": tick.isMain ? "tick" : "tick fine", "x": place,
          "y": MarkupPlace.pixels(height + 19),
          "text-anchor": "middle",
        ],
        text: tick.text)
    }
  }

  // MARK: Curves

  private func lines(_ curve: Curve, _ number: Int, _ drawing: inout Markup) {
    let places = curve.points.compactMap(place)
    guard places.count > 1 else { return }
    let name = SeriesLook.name(number)
    // An inner drawing that is stretched to the width; `vector-effect` keeps its line width.
    drawing.element(
      "svg",
      [
        "viewBox": "0 0 1000 \(MarkupPlace.pixels(height))", "preserveAspectRatio": "none",
        "width": "100%", "height": MarkupPlace.pixels(height),
      ]
    ) { inner in
      let bounds = curve.points.compactMap { point -> (x: Double, low: Double, high: Double)? in
        guard let interval = point.interval, let x = x.position(point.x),
          let low = pixel(interval.lowerBound),
          let high = pixel(interval.upperBound)
        else { return nil }
        return (x, low, high)
      }
      if bounds.count == places.count {
        let outline = bounds.map { ($0.x, $0.high) } + bounds.reversed().map { ($0.x, $0.low) }
        inner.empty("path", ["class": "band \(name)", "d": path(outline) + "Z"])
      }
      inner.empty(
        "path",
        [
          "class": "curve \(name)", "d": path(places.map { ($0.x, $0.y) }),
          "stroke-dasharray": SeriesLook.dashes(number),
          "vector-effect": "non-scaling-stroke",
        ])
    }
  }

  private func path(_ places: [(x: Double, y: Double)]) -> String {
    "M"
      + places.map { "\(MarkupPlace.pixels($0.x * 1_000)),\(MarkupPlace.pixels($0.y))" }.joined(
        separator: "L")
  }

  private func marks(_ curve: Curve, _ number: Int, _ drawing: inout Markup) {
    let isDense = curve.points.count > 30
    for point in curve.points {
      guard let place = place(point) else { continue }
      drawing.mark(
        kind, x: place.x, y: place.y, class: SeriesLook.name(number) + (isDense ? " dense" : ""),
        point.words
      ) { mark in
        if let interval = point.interval, let low = pixel(interval.lowerBound),
          let high = pixel(interval.upperBound), !isDense
        {
          let (up, down) = (MarkupPlace.pixels(high - place.y), MarkupPlace.pixels(low - place.y))
          mark.empty("path", ["class": "whisker", "d": "M0,\(up)V\(down)M-4,\(up)h8M-4,\(down)h8"])
        }
        mark.empty("path", ["class": "point", "d": SeriesLook.shape(number)])
      }
    }
  }

  // MARK: Names

  /// The names of curves at their ends, moved apart slightly; none if there is no room for all.
  private var labels: [(number: Int, x: Double, y: Double)] {
    guard (2...6).contains(curves.count), !endsTogether,
      curves.allSatisfy({ (1...24).contains($0.name.displayWidth) })
    else { return [] }
    var labels = curves.enumerated().compactMap { number, curve in
      curve.points.compactMap(place).last.map { (number: number, x: $0.x, y: $0.y) }
    }
    guard labels.count == curves.count, labels.allSatisfy({ $0.x > 0.98 }) else { return [] }
    labels.sort { ($0.y, $0.number) < ($1.y, $1.number) }
    let wanted = labels.map(\.y)
    for place in labels.indices.dropFirst() {
      labels[place].y = max(labels[place].y, labels[place - 1].y + 16)
    }
    return zip(labels, wanted).allSatisfy { $0.y - $1 < 20 } ? labels : []
  }
}
