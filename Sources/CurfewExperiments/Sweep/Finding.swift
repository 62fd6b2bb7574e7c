package import CurfewStatistics

/// The answer to one comparison, with its data.
package struct Finding: Hashable, Sendable {
  /// The differences in the repetitions in which both variants have a value, the second value less
  /// the first.
  package let differences: PairedDifferences
  /// The interval of the true mean difference, at the requested level. Nil for fewer than two
  /// differences, for events that are too rare, for incomparable figures, and if every difference
  /// is zero.
  package let interval: ClosedRange<Double>?
  /// Counts and bounds of events that are too rare to compare; nil for everything else.
  package let rare: RareEvents?
  /// The verdict on the differences.
  package let verdict: Verdict

  /// Compares these pairs.
  ///
  /// - Parameters:
  ///   - evidence: The kind of evidence that equal values provide.
  ///   - level: The probability with which the interval, or the bounds, may miss; 0 for a look that
  ///     spends no part of the level.
  ///   - margin: The smallest difference that matters, above 0; nil if every difference matters.
  init(
    _ pairs: [(baseline: Double, value: Double)], of evidence: Evidence, level: Double,
    margin: Double?
  ) {
    let differences = PairedDifferences(of: pairs.lazy.map { ($0.baseline, $0.value) })
    self.differences = differences
    guard evidence != .incomparable else {
      (rare, interval, verdict) = (nil, nil, .notComparable)
      return
    }
    if case .events(let scale) = evidence, let rare = RareEvents(pairs, scale, level: level) {
      (self.rare, interval, verdict) = (rare, nil, .tooRare)
      return
    }
    rare = nil
    guard !differences.areAllZero else {
      // Zeros alone do not show that the figure can have another value.
      let isProof = evidence != .other && pairs.contains { $0.value != 0 }
      (interval, verdict) = (
        nil, isProof ? Verdict(on: differences, interval: nil, margin: margin) : .inconclusive
      )
      return
    }
    interval = level > 0 ? differences.interval(level: level) : nil
    verdict = Verdict(on: differences, interval: interval, margin: margin)
  }
}

/// The kind of evidence that equal values of a figure provide.
enum Evidence: Hashable, Sendable {
  /// The figure counts events. Small counts are often equal by chance.
  case events(EventScale)
  /// The figure is a time or another amount. Two amounts are equal to the last digit only if
  /// nothing differs.
  case amount
  /// The figure is a share, a weighted sum or a percentile. Equal values may stand for different
  /// true values.
  case other
  /// The figure depends on a kind that only one of the two policies has a row for.
  case incomparable
}

extension Finding {
  /// Whether the skewness of the differences suggests that the interval is too narrow: above 1
  /// in magnitude, with fewer than 20 repetitions.
  ///
  /// With 10 means of 50 lognormal variables each (σ = 1.5), less their expectation, intervals
  /// of 95 % contained 0 in 92 % of experiments.
  package static func isSkewed(_ skewness: Double?, repetitions: Int) -> Bool {
    skewness.map { $0 > 1 || $0 < -1 } ?? false && repetitions < 20
  }
}
