/// What a measure says about a variant beside the baseline.
public struct Comparison: Hashable, Sendable {
  /// The variant's place in the experiment.
  public let variant: Int
  /// The measure's place.
  public let measure: Int
  /// The baseline's mean over the repetitions that both have a value in; nil without any.
  public let baselineMean: Double?
  /// The variant's.
  public let mean: Double?
  /// The differences of those repetitions, the variant's value less the baseline's.
  public let differences: PairedDifferences
  /// What holds the true mean difference, together with all other comparisons and looks, with the probability that was asked for; nil for fewer than two.
  public let interval: ClosedRange<Double>?
  /// What follows.
  public let verdict: Verdict

  /// What these pairs say.
  ///
  /// - Parameters:
  ///   - level: With what probability this interval may miss.
  ///   - margin: The smallest difference that matters.
  ///   - compares: Whether their difference says something of the variants.
  init(
    variant: Int, measure: Int, values: [(baseline: Double, value: Double)], level: Double, margin: Measure.Margin?, compares: Bool = true
  ) {
    (self.variant, self.measure) = (variant, measure)
    differences = PairedDifferences(of: values.lazy.map { ($0.baseline, $0.value) })
    let base = PairedDifferences(values.lazy.map(\.baseline)).mean
    (baselineMean, mean) = values.isEmpty ? (nil, nil) : (base, PairedDifferences(values.lazy.map(\.value)).mean)
    interval = level > 0 && compares ? differences.interval(level: level) : nil
    let width = margin?.width(besides: base) ?? 0
    verdict = compares ? Verdict(on: differences, interval: interval, margin: width > 0 ? width : nil) : .notComparable
  }

  /// The mean difference; nil without values, and where it says nothing of the variants.
  var difference: Double? { mean == nil || verdict == .notComparable ? nil : differences.mean }
}

extension Verdict {
  /// One word, as results have it.
  public var name: String {
    switch self {
    case .identical: "identical"
    case .differs(.more): "more"
    case .differs(.less): "less"
    case .differsWithinMargin(.more): "moreWithinMargin"
    case .differsWithinMargin(.less): "lessWithinMargin"
    case .sameWithinMargin: "sameWithinMargin"
    case .inconclusive: "inconclusive"
    case .notComparable: "notComparable"
    }
  }

  /// All of them by name.
  public static let names = [
    Verdict.identical, .differs(.more), .differs(.less), .differsWithinMargin(.more), .differsWithinMargin(.less), .sameWithinMargin,
    .inconclusive, .notComparable,
  ].map(\.name)
}
