@testable import CurfewExperiments
@testable import CurfewStatistics

/// The power of a paired t test with normal differences and a single look at a fixed number
/// of repetitions. Calibrations are compared with this power.
enum PairedTestPower {
  /// The probability that a two-sided paired t test finds a difference.
  ///
  /// - Parameters:
  ///   - difference: The true mean difference. Its sign does not matter.
  ///   - standardDeviation: The standard deviation of one difference, above 0; for example
  ///     `PairedDifferences.standardDeviation` of a trial run.
  ///   - repetitions: The number of repetitions, at least 2.
  ///   - level: The two-sided level, above 0 and at most 0.5. If there is no difference, this
  ///     is the power.
  /// - Returns: A probability from `level` to 1. It counts both tails, as `strict = TRUE` does
  ///   in R's `power.t.test`.
  /// - Complexity: O(1), a few tenths of a millisecond.
  static func power(
    ofDifference difference: Double, standardDeviation: Double, repetitions: Int, level: Double
  ) -> Double {
    precondition(
      repetitions >= 2, "The power of \(repetitions) repetitions; a t test needs at least 2")
    let freedom = Double(repetitions - 1)
    let limit = StudentT(degreesOfFreedom: freedom).quantile(upperTail: level / 2)
    let shift = abs(difference) / standardDeviation * Double(repetitions).squareRoot()
    return NoncentralT(degreesOfFreedom: freedom, shift: shift).outside(limit)
  }
}
