import CurfewText

/// A condition that a report must meet: `lateness.p99<200us`.
package struct Threshold: Hashable, Sendable {
  /// How the measured value is compared.
  package enum Comparison: String, Hashable, Sendable, CaseIterable {
    /// Less.
    case less = "<"
    /// Less or the same.
    case atMost = "<="
    /// More.
    case more = ">"
    /// More or the same.
    case atLeast = ">="
    /// The same.
    case equal = "=="

    /// Whether the comparison certainly holds. A figure that is only a lower bound is never certain
    /// to be below, at most or equal to a limit.
    func holds(_ measured: ReportFigure, _ limit: Double) -> Bool {
      switch self {
      case .less: !measured.isAtLeast && measured.value < limit
      case .atMost: !measured.isAtLeast && measured.value <= limit
      case .more: measured.value > limit
      case .atLeast: measured.value >= limit
      case .equal: !measured.isAtLeast && measured.value == limit
      }
    }
  }

  /// The metric's name.
  package let metric: String
  /// The unit of the metric.
  package let unit: Metric.Unit
  /// The comparison with the limit.
  package let comparison: Comparison
  /// The limit; a duration is in nanoseconds.
  package let limit: Double
  /// The text as written, without spaces around it.
  package let text: String

  /// A threshold that was crossed.
  package struct Crossing: Hashable, Sendable, CustomStringConvertible {
    /// The threshold.
    package let threshold: Threshold
    /// The measured figure; nil if nothing was measured, which counts as crossed.
    package let measured: ReportFigure?
    /// The reason why nothing was measured, if known.
    let shortage: String?

    /// `lateness.p99<200us: measured 1.2ms`.
    package var description: String {
      guard let measured else {
        return "\(threshold.text): not measured" + (shortage.map { " (\($0))" } ?? "")
      }
      let value =
        switch threshold.unit {
        case .duration: HumanTime.rounded(Int64(measured.value))
        case .number: HumanNumber.rounded(measured.value)
        case .percentage: HumanNumber.percent(measured.value / 100)
        }
      return "\(threshold.text): measured \(measured.isAtLeast ? "at least " : "")\(value)"
    }
  }

  /// The crossing of this threshold by a report; nil if it holds.
  package func crossing(in report: LoadTestReport) -> Crossing? {
    let named = Metric.named(metric)
    return crossing(of: named?.value(in: report)) { named?.shortage(report) }
  }

  /// The crossing by a measured figure; nil if the threshold holds. `shortage` is the reason why
  /// nothing was measured.
  package func crossing(of measured: ReportFigure?, shortage: () -> String? = { nil }) -> Crossing?
  {
    if let measured, comparison.holds(measured, limit) { return nil }
    return Crossing(
      threshold: self, measured: measured, shortage: measured == nil ? shortage() : nil)
  }
}

/// A mistake in a text of thresholds, and its place.
package struct ThresholdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The whole text.
  package let text: String
  /// The column of the first wrong character, from 1.
  package let column: Int
  /// One sentence, without a full stop.
  package let message: String

  /// The error in the form of compilers: `threshold:13: error: 'p99' …`.
  package var description: String { "threshold:\(column): error: \(message)" }
}
