import CurfewText

/// A measured number. One that is a lower bound of the true one says so.
package struct Figure: Hashable, Sendable {
  /// The number; nanoseconds of a duration.
  package var value: Double
  /// Whether the true one may be more, because something that was waited for never came.
  package var isAtLeast: Bool

  /// This number.
  package init(_ value: Double, isAtLeast: Bool = false) {
    (self.value, self.isAtLeast) = (value, isAtLeast)
  }

  /// The middle of some; nil for none. It may be more if it would be with more in place of each
  /// that may be more.
  static func median(_ figures: [Figure]) -> Figure? {
    guard let middle = CurfewLoadTest.median(figures.map(\.value)) else { return nil }
    let most = CurfewLoadTest.median(figures.map { $0.isAtLeast ? .infinity : $0.value })
    return Figure(middle, isAtLeast: most != middle)
  }
}

extension Figure? {
  /// As a length that may be more: `>=50ms`; `-` for none.
  var length: String { self.map { $0.bound + HumanTime.rounded(Int64($0.value)) } ?? "-" }

  /// As a ratio, `1.25x`, and `>=1.25x` where it may be more; `-` for none.
  var ratio: String { self.map { $0.bound + HumanNumber.rounded($0.value) + "x" } ?? "-" }
}

extension Figure {
  fileprivate var bound: String { isAtLeast ? ">=" : "" }
}
