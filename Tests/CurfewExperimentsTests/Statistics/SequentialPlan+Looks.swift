import CurfewExperiments

@testable import CurfewStatistics

/// The interval and the verdict at a look.
extension SequentialPlan {
  /// The repeated confidence interval at a look, counted from 0: mean ± t(1 - aₖ/2, nₖ - 1) · s /
  /// √nₖ with the look's nominal level aₖ.
  ///
  /// With probability 1 - `level` the intervals of all looks simultaneously contain the true mean
  /// difference. Therefore the interval holds at whichever look the experiment stops, and for
  /// whatever reason, even if a reader has lost patience. This statement is as exact as the level
  /// of the plan; see `SequentialPlan`. Source: C. Jennison, B. W. Turnbull, "Interim Analyses: The
  /// Repeated Confidence Interval Approach", Journal of the Royal Statistical Society B 51 (1989),
  /// 305-361; and chapter 9 of their book of 2000.
  ///
  /// The mean of an experiment that has stopped early tends to be further from zero than the true
  /// difference is. The interval allows for that.
  ///
  /// The interval is unbounded if the look's level is 0 and not all differences are zero, or if all
  /// differences are equal and there are too few of them.
  /// - Precondition: There are as many differences as the look has repetitions, so that nobody
  ///   looks at the results between the planned looks.
  /// - Complexity: O(1), about ten microseconds.
  func interval(of differences: PairedDifferences, at look: Int) -> ClosedRange<Double> {
    precondition(
      looks.indices.contains(look),
      "Look \(look) of a plan with \(looks.count) looks, counted from 0")
    let planned = looks[look]
    precondition(
      differences.count == planned,
      "Look \(look) is planned at \(planned) repetitions; found \(differences.count) differences")
    let level = nominalLevels[look]
    guard level > 0 else {
      return differences.areAllZero ? 0...0 : -.infinity ... .infinity
    }
    return differences.interval(level: level) ?? -.infinity ... .infinity
  }

  /// The verdict at a look, counted from 0, which follows from its interval.
  ///
  /// A verdict of an earlier look is not kept. If other comparisons of the family were undecided
  /// and the experiment continued, the new interval decides, even if it is less certain than
  /// the old one. Keeping the old verdict would be valid, but it would contradict the interval
  /// beside it.
  /// - Parameter margin: The smallest difference that matters, above 0; nil if none was given.
  func verdict(on differences: PairedDifferences, at look: Int, margin: Double? = nil) -> Verdict {
    Verdict(on: differences, interval: interval(of: differences, at: look), margin: margin)
  }
}
