import CurfewText

/// Something that must hold of a report: `lateness.p99<200us`.
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

    /// Whether it is sure to hold: of a number that may be more nobody knows that it is less
    /// than anything.
    func holds(_ measured: Figure, _ limit: Double) -> Bool {
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
  /// What the metric counts.
  package let unit: Metric.Unit
  /// What it must be.
  package let comparison: Comparison
  /// Than what: nanoseconds for a duration.
  package let limit: Double
  /// As it was written, without spaces around it.
  package let text: String

  /// A threshold that was crossed.
  package struct Crossing: Hashable, Sendable, CustomStringConvertible {
    /// Which.
    package let threshold: Threshold
    /// What was measured; nil for nothing, which is no reason to be content.
    package let measured: Figure?
    /// Why nothing was, where that is known.
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

  /// The crossing of this threshold by a report; nil where it holds.
  package func crossing(in report: LoadTestReport) -> Crossing? {
    let named = Metric.named(metric)
    return crossing(of: named?.value(in: report)) { named?.shortage(report) }
  }

  /// The crossing by what was measured; nil where it holds. `shortage` is why nothing was.
  package func crossing(of measured: Figure?, shortage: () -> String? = { nil }) -> Crossing? {
    if let measured, comparison.holds(measured, limit) { return nil }
    return Crossing(
      threshold: self, measured: measured, shortage: measured == nil ? shortage() : nil)
  }
}

/// What is wrong with a text of thresholds, and where in it.
package struct ThresholdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The whole text.
  package let text: String
  /// The first character that it is about, from 1.
  package let column: Int
  /// One sentence, without a full stop.
  package let message: String

  /// `threshold:13: error: 'p99' …`, as compilers say it.
  package var description: String { "threshold:\(column): error: \(message)" }
}
