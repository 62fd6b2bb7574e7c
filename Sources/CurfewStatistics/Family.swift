/// The comparisons of one experiment, and the level of each by Bonferroni's rule.
///
/// With m comparisons at level α / m each, the probability of even one wrong verdict is at most
/// α, however the comparisons depend on each other. Comparisons of one experiment do depend
/// on each other: all variants share their random numbers, and the figures of a fleet rise
/// and fall together.
///
/// Intervals and verdicts take the same level, so a verdict says "differs" if and only if
/// the interval beside it excludes zero. Holm's method was not chosen: it finds slightly more
/// differences, but has no matching intervals, so a figure could be called different although its
/// interval contains zero.
///
/// A family contains all comparisons among which a reader would look for the best result: usually
/// (variants - 1) · figures.
package struct Family: Sendable, Hashable {
  /// The number of comparisons.
  package let comparisons: Int
  /// The maximum probability that any verdict in the family is wrong.
  package let level: Double

  /// Creates a family with this number of comparisons.
  /// - Precondition: `comparisons` is at least 1, and `level` above 0 and at most 0.5.
  package init(comparisons: Int, level: Double = 0.05) {
    precondition(comparisons >= 1, "A family of \(comparisons) comparisons; give at least 1")
    precondition(
      level > 0 && level <= 0.5,
      "A family with the level \(level); it must be above 0 and at most 0.5, such as 0.05")
    (self.comparisons, self.level) = (comparisons, level)
  }

  /// Creates a family whose intervals hold simultaneously with this probability, such as 0.95.
  package init(comparisons: Int, confidence: Double) {
    self.init(comparisons: comparisons, level: max(1e-6, min(0.5, 1 - confidence)))
  }

  /// The level of each comparison, for its plan and for its intervals.
  package var levelOfEach: Double { level / Double(comparisons) }
}
