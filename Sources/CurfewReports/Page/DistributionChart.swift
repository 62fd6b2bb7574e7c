import CurfewText

/// The distribution of values in one or several variants: for each value, the share of values that
/// are not greater.
package struct DistributionChart: Sendable {
  /// The title.
  package var title: String
  /// The sentence that sums up the drawing: its text alternative.
  package var text: String
  /// The measure of the values.
  package var measure: AxisMeasure
  /// Whether the axis of values is logarithmic.
  package var isLogarithmic: Bool
  /// The variants.
  package var variants: [Variant]
  /// The notes below the drawing.
  package var notes: [String]

  /// The values of one variant.
  package struct Variant: Sendable {
    /// The name.
    package var name: String
    /// The quantiles: a share from 0 to 1, and the value that this share does not exceed.
    package var quantiles: [(share: Double, value: Double)]

    /// A variant with these quantiles, in any order.
    package init(_ name: String, _ quantiles: [(share: Double, value: Double)]) {
      (self.name, self.quantiles) = (name, quantiles)
    }
  }

  /// A chart of these variants.
  package init(
    _ title: String, text: String, _ measure: AxisMeasure, isLogarithmic: Bool = false,
    _ variants: [Variant], notes: [String] = []
  ) {
    (self.title, self.text, self.measure, self.isLogarithmic) = (
      title, text, measure, isLogarithmic
    )
    (self.variants, self.notes) = (variants, notes)
  }

  func write(_ page: inout Markup) {
    let share = AxisMeasure("of all", .share)
    let values = variants.flatMap(\.quantiles).map(\.value)
    let plot = Plot(
      x: Scale(measure, values, isLogarithmic ? .logarithmic : .linear, isTight: isLogarithmic),
      y: Scale(share, [0, 1], isTight: true),
      curves: variants.map { variant in
        Plot.Curve(
          name: variant.name,
          points: sorted(variant).map { point in
            let words =
              "\(variant.name): \(share.text(point.share)) at \(measure.text(point.value)) or less"
            return Plot.Point(x: point.value, y: point.share, interval: nil, words: words)
          })
      }, kind: "quantile", endsTogether: true)
    let notes =
      notes + plot.notes + [
        variants.contains { $0.quantiles.count > 1 }
          ? "Between marks, lines are straight because no other values are known." : ""
      ]
    PageFigure(title: title, text: text, notes: notes, table: table(share)).write(&page) {
      page, _, _ in
      plot.write(&page, title: title, text: text)
    }
  }

  private func sorted(_ variant: Variant) -> [(share: Double, value: Double)] {
    variant.quantiles.sorted { $0.share < $1.share }
  }

  private func table(_ share: AxisMeasure) -> Table {
    Table(
      title, [.words("variant"), .numbers("share"), .numbers("\(measure.name), at most")],
      variants.flatMap { variant in
        sorted(variant).map { [variant.name, share.text($0.share), measure.text($0.value)] }
      })
  }
}
