@testable import CurfewExperiments

/// The power of a paired t test, by which calibrations are measured: of one look at a number of
/// repetitions that is fixed before, and for normal differences.
enum PairedTestPower {
  /// The probability that a two-sided paired t test calls a difference.
  ///
  /// - Parameters:
  ///   - difference: The true mean difference. Its sign does not matter.
  ///   - standardDeviation: That of one difference, above 0; for example
  ///     `PairedDifferences.standardDeviation` of a trial run.
  ///   - repetitions: How many, at least 2.
  ///   - level: The two-sided level, above 0 and at most 0.5. At no difference, this is the power.
  /// - Returns: From `level` to 1. It counts both sides, as `strict = TRUE` does in
  ///   R's `power.t.test`.
  /// - Complexity: O(1), some tenths of a millisecond.
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
