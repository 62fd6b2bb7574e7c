import CurfewStatistics
import CurfewText

/// A measured number, or a lower bound of one.
package struct ReportFigure: Hashable, Sendable {
  /// The number; a duration is in nanoseconds.
  package var value: Double
  /// Whether the true number may be greater, because an awaited event never came.
  package var isAtLeast: Bool

  /// Creates a figure.
  package init(_ value: Double, isAtLeast: Bool = false) {
    (self.value, self.isAtLeast) = (value, isAtLeast)
  }

  /// The median; nil if `figures` is empty. It is a lower bound if greater values for the lower
  /// bounds among `figures` would make it greater.
  static func median(_ figures: [ReportFigure]) -> ReportFigure? {
    guard let middle = CurfewStatistics.median(figures.map(\.value)) else { return nil }
    let most = CurfewStatistics.median(figures.map { $0.isAtLeast ? .infinity : $0.value })
    return ReportFigure(middle, isAtLeast: most != middle)
  }
}

extension ReportFigure? {
  /// The figure as a length, `>=50ms` for a lower bound; `-` for none.
  var length: String { self.map { $0.bound + HumanTime.rounded(Int64($0.value)) } ?? "-" }

  /// The figure as a ratio: `1.25x`, `>=1.25x` for a lower bound; `-` for none.
  var ratio: String { self.map { $0.bound + HumanNumber.rounded($0.value) + "x" } ?? "-" }
}

extension ReportFigure {
  fileprivate var bound: String { isAtLeast ? ">=" : "" }
}
