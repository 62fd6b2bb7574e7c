import CurfewSimulation

/// How likely a paired t test finds a difference, and how many repetitions it needs for that.
///
/// It is for one look at a number of repetitions that is fixed before, and for normal differences. A sequential plan up to the same number
/// finds less: where one look has a power of 0.90, looks at 5, 10, 20 and 40 have 0.85 with `pocock` and 0.89 with `oBrienFleming`, as
/// measured.
package enum PairedTestPower {
  /// The limit of repetitions that are looked for.
  private static var mostRepetitions: Int { 1_000_000_000 }

  /// The probability that a two-sided paired t test calls a difference.
  ///
  /// - Parameters:
  ///   - difference: The true mean difference. Its sign does not matter.
  ///   - standardDeviation: That of one difference, above 0; for example `PairedDifferences.standardDeviation` of a trial run.
  ///   - repetitions: How many, at least 2.
  ///   - level: The two-sided level, above 0 and at most 0.5. At no difference, this is the power.
  /// - Returns: From `level` to 1. It counts both sides, as `strict = TRUE` does in R's `power.t.test`.
  /// - Complexity: O(1), some tenths of a millisecond.
  package static func power(ofDifference difference: Double, standardDeviation: Double, repetitions: Int, level: Double) -> Double {
    check(difference, standardDeviation, level)
    precondition(repetitions >= 2, "The power of \(repetitions) repetitions; a t test needs at least 2")
    let freedom = Double(repetitions - 1)
    let limit = StudentT(degreesOfFreedom: freedom).quantile(upperTail: level / 2)
    let shift = abs(difference) / standardDeviation * Double(repetitions).squareRoot()
    return NoncentralT(degreesOfFreedom: freedom, shift: shift).outside(limit)
  }

  /// The smallest number of repetitions with at least this power; nil where a thousand million are not enough.
  ///
  /// - Parameters:
  ///   - difference: The true mean difference, not 0.
  ///   - standardDeviation: That of one difference, above 0.
  ///   - power: Above 0 and below 1, for example 0.9.
  ///   - level: The two-sided level, above 0 and at most 0.5.
  /// - Complexity: some 60 times `power`.
  package static func repetitionsNeeded(
    toFindDifference difference: Double, standardDeviation: Double, power wanted: Double, level: Double
  ) -> Int? {
    check(difference, standardDeviation, level)
    precondition(difference != 0, "Repetitions for a difference of 0; it must be another number")
    precondition(wanted > 0 && wanted < 1, "Repetitions for a power of \(wanted); it is above 0 and below 1")
    func suffices(_ repetitions: Int) -> Bool {
      power(ofDifference: difference, standardDeviation: standardDeviation, repetitions: repetitions, level: level) >= wanted
    }
    var (few, enough) = (1, 2)
    while !suffices(enough) {
      guard enough < mostRepetitions else { return nil }
      (few, enough) = (enough, min(2 * enough, mostRepetitions))
    }
    while enough - few > 1 {
      let middle = few + (enough - few) / 2
      if suffices(middle) { enough = middle } else { few = middle }
    }
    return enough
  }

  private static func check(_ difference: Double, _ standardDeviation: Double, _ level: Double) {
    precondition(abs(difference) < .infinity, "The power of the difference \(difference); it must be a finite number")
    precondition(
      standardDeviation > 0 && standardDeviation < .infinity, "A standard deviation of \(standardDeviation); it is above 0 and finite")
    precondition(level > 0 && level <= 0.5, "A test with the level \(level); it is above 0 and at most 0.5, as 0.05")
  }
}
