package import CurfewStatistics

/// The comparison of a variant with the baseline by one measure.
package struct Comparison: Hashable, Sendable {
  /// The variant's index in the experiment.
  package let variant: Int
  /// The measure's index.
  package let measure: Int
  /// The baseline's mean over the repetitions in which both have a value; nil if there is none.
  package let baselineMean: Double?
  /// The variant's mean over the same repetitions; nil if there is none.
  package let mean: Double?
  /// The finding on the differences. Its interval, or its bounds of rare events, hold
  /// simultaneously with those of all other comparisons and looks.
  package let finding: Finding

  /// The differences in these repetitions, the variant's value less the baseline's.
  package var differences: PairedDifferences { finding.differences }
  /// The interval of the true mean difference; see `Finding.interval`.
  package var interval: ClosedRange<Double>? { finding.interval }
  /// The verdict on the interval.
  package var verdict: Verdict { finding.verdict }

  /// Compares these pairs.
  ///
  /// - Parameters:
  ///   - evidence: The kind of evidence that equal values of the measure provide.
  ///   - level: The probability with which this interval may miss.
  ///   - margin: The smallest difference that matters.
  init(
    variant: Int, measure: Int, values: [(baseline: Double, value: Double)], evidence: Evidence,
    level: Double, margin: Measure.Margin?
  ) {
    (self.variant, self.measure) = (variant, measure)
    let base = PairedDifferences(values.lazy.map(\.baseline)).mean
    (baselineMean, mean) =
      values.isEmpty ? (nil, nil) : (base, PairedDifferences(values.lazy.map(\.value)).mean)
    let width = margin?.width(besides: base) ?? 0
    finding = Finding(values, of: evidence, level: level, margin: width > 0 ? width : nil)
  }

  /// The mean difference; nil without values, and if the variants are not comparable.
  var difference: Double? { mean == nil || verdict == .notComparable ? nil : differences.mean }
}

extension Verdict {
  /// The name in results.
  package var name: String {
    switch self {
    case .identical: "identical"
    case .differs(.more): "more"
    case .differs(.less): "less"
    case .differsWithinMargin(.more): "moreWithinMargin"
    case .differsWithinMargin(.less): "lessWithinMargin"
    case .sameWithinMargin: "sameWithinMargin"
    case .tooRare: "tooRare"
    case .inconclusive: "inconclusive"
    case .notComparable: "notComparable"
    }
  }

  /// Every verdict.
  private static let all = [
    Verdict.identical, .differs(.more), .differs(.less), .differsWithinMargin(.more),
    .differsWithinMargin(.less), .sameWithinMargin,
    .tooRare, .inconclusive, .notComparable,
  ]

  /// The names of all verdicts.
  package static let names = all.map(\.name)

  /// The verdict with this name; nil if there is none.
  init?(named name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
