/// Comparisons that one experiment makes, and the level that is left for each: Bonferroni's rule.
///
/// With m comparisons at level α / m each, the probability of even one wrong verdict is at most α,
/// however the comparisons depend on each other. Those of one experiment do: all variants share
/// their random numbers, and figures of one fleet rise and fall together.
///
/// Intervals and verdicts take the same level, so that a verdict says "differs" where the interval
/// that is printed beside it excludes zero, and nowhere else. Holm's method was not taken for that
/// reason: it finds a little more, but it has no intervals of this kind. A figure could be called
/// different and its interval contain zero.
///
/// A family is what a reader would pick the best from: usually (variants - 1) · figures.
package struct Family: Sendable, Hashable {
  /// How many comparisons there are.
  package let comparisons: Int
  /// The probability of a wrong verdict anywhere in the family, at most.
  package let level: Double

  /// A family of this number of comparisons.
  /// - Precondition: `comparisons` is at least 1, and `level` above 0 and at most 0.5.
  package init(comparisons: Int, level: Double = 0.05) {
    precondition(comparisons >= 1, "A family of \(comparisons) comparisons; give at least 1")
    precondition(
      level > 0 && level <= 0.5,
      "A family with the level \(level); it is above 0 and at most 0.5, as 0.05")
    (self.comparisons, self.level) = (comparisons, level)
  }

  /// A family whose intervals hold all together with this probability, such as 0.95.
  init(comparisons: Int, confidence: Double) {
    self.init(comparisons: comparisons, level: max(1e-6, min(0.5, 1 - confidence)))
  }

  /// The level of each comparison: that of its plan and of its intervals.
  package var levelOfEach: Double { level / Double(comparisons) }
}
