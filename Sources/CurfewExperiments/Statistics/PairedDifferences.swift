import CurfewSimulation

/// The differences of two variants, one for each repetition, and what they say about the
/// mean difference.
///
/// Under `Pairing.common` repetition r of both variants has seen the same random numbers.
/// So what one day is like cancels in the difference, and the differences of distinct repetitions
/// are independent of each other: this is all that the paired t test needs, besides means that are
/// nearly normal.
///
/// The mean and the spread are Welford's running ones (B. P. Welford, "Note on a Method for
/// Calculating Corrected Sums of Squares and Products", Technometrics 4 (1962), 419-420). Sums of
/// squares were not taken: where a mean is great and differences are alike, they lose all digits.
///
/// The last bits depend on the order of adding. Add in the order of repetitions, whatever order
/// they were computed in: then results are the same bits for any number of threads.
package struct PairedDifferences: Sendable, Hashable {
  /// The greatest difference in size that squares and their sums can hold.
  private static var most: Double { 1e140 }

  /// How many differences there are.
  package private(set) var count = 0
  /// Their mean; 0 where there are none.
  package private(set) var mean = 0.0
  /// The sum of the squared distances from the mean.
  private var squares = 0.0
  /// The sum of the cubed distances from the mean.
  private var cubes = 0.0
  /// The least one; infinity where there are none.
  package private(set) var least = Double.infinity
  /// The greatest one; minus infinity where there are none.
  package private(set) var greatest = -Double.infinity

  /// What the values' own rounding may make of equal differences.
  private var rounding = 0.0

  /// No differences.
  package init() {}

  /// The differences of these pairs, the second less the first, in the order of repetitions.
  ///
  /// Differences that only rounding makes unequal are taken for equal: 0.26 less 0.24 and 0.24 less
  /// 0.22 are not the same number.
  /// - Complexity: O(n).
  init(of pairs: some Sequence<(Double, Double)>) {
    for (first, second) in pairs {
      add(second - first)
      rounding = max(rounding, 4 * max(first.magnitude, second.magnitude).ulp)
    }
  }

  /// These differences, in the order of repetitions.
  /// - Complexity: O(n).
  package init(_ differences: some Sequence<Double>) {
    for difference in differences { add(difference) }
  }

  /// Adds the difference of the next repetition: the variant's figure less the baseline's.
  /// - Precondition: it is at most 1e140 in size, and a number. A figure that was not measured
  ///   is no difference: leave the comparison out.
  /// - Complexity: O(1).
  package mutating func add(_ difference: Double) {
    precondition(
      abs(difference) <= Self.most,
      "A difference of \(difference); it must be a number of at most \(Self.most) in size")
    count += 1
    let distance = difference - mean
    let step = distance / Double(count)
    mean += step
    let square = distance * (difference - mean)
    cubes += step * (square * Double(count - 2) - 3 * squares)
    squares += square
    least = min(least, difference)
    greatest = max(greatest, difference)
  }

  /// Whether there are differences, and each is exactly zero.
  package var areAllZero: Bool { least == 0 && greatest == 0 }

  /// Whether there are differences, and all are equal but for rounding.
  package var areAllEqual: Bool { count > 0 && greatest - least <= rounding }

  /// The standard deviation of one difference, with n - 1 below the sum; nil of fewer than two
  /// differences. It is 0 where all are equal.
  package var standardDeviation: Double? {
    guard count >= 2 else { return nil }
    return (squares / Double(count - 1)).squareRoot()
  }

  /// The sample skewness: the adjusted Fisher-Pearson coefficient G1 = √(n (n - 1)) / (n - 2) · m3
  /// / m2^1.5, where m2 and m3 are the mean squared and cubed distances from the mean. Nil of fewer
  /// than three differences, and where all are equal.
  ///
  /// Source: D. N. Joanes, C. A. Gill, "Comparing Measures of Sample Skewness and Kurtosis", The
  /// Statistician 47 (1998), 183-189.
  package var skewness: Double? {
    guard count >= 3, !areAllEqual, squares > 0 else { return nil }
    let n = Double(count)
    let skewness =
      (n * (n - 1)).squareRoot() / (n - 2) * (cubes / n)
      / (squares / n * (squares / n).squareRoot())
    // Never -0.
    return skewness.isFinite ? skewness + 0 : nil
  }

  /// The standard error of the mean: the standard deviation divided by √n; nil of fewer than
  /// two differences.
  package var standardError: Double? { standardDeviation.map { $0 / Double(count).squareRoot() } }

  /// The interval of the mean difference by Student's t, two-sided; nil of fewer than
  /// two differences.
  ///
  /// Over many experiments, it misses the true mean difference with probability `level`: 0.05
  /// gives the interval with 95 % confidence. This is exact for normal differences, and holds
  /// for one interval at a number of repetitions that was fixed before. Who looks several times
  /// takes `SequentialPlan.interval(of:at:)`.
  ///
  /// Where all differences are equal, the formula has nothing to say of the spread: it gives no
  /// width, to two equal counts as to a hundred. What can still be said is the sign: if neither
  /// variant were ahead, n differences would all have the same one with probability 2^(1-n). While
  /// that is more than `level` there is no interval; then it is that one value, which says that
  /// the true mean is on that side, and nothing of its size. The same number of zeros is asked for
  /// where all are zero, so that two repetitions in which nothing happened are not taken for proof.
  ///
  /// - Parameter level: The probability of missing, above 0 and at most 0.5. It is not
  ///   the confidence.
  /// - Complexity: O(1), some ten microseconds.
  package func interval(level: Double) -> ClosedRange<Double>? {
    precondition(
      level > 0 && level <= 0.5,
      "An interval of the level \(level); it is above 0 and at most 0.5, as 0.05 for 95 % confidence"
    )
    guard let error = standardError else { return nil }
    guard !areAllEqual else { return chanceOfOneSign <= level ? mean...mean : nil }
    let reach = StudentT(degreesOfFreedom: Double(count - 1)).quantile(upperTail: level / 2) * error
    return (mean - reach)...(mean + reach)
  }

  /// The two-sided p-value of the paired t test: how often a mean at least this far from zero comes
  /// up, in standard errors, where the true one is zero. Nil of fewer than two differences.
  ///
  /// It is that of one look at one comparison. Where all differences are equal, it is 1 if they are
  /// zero, and else that of the sign test, 2^(1-n).
  /// - Complexity: O(1), some microseconds.
  package var pValue: Double? {
    guard let error = standardError else { return nil }
    guard !areAllEqual else { return areAllZero ? 1 : chanceOfOneSign }
    return min(1, 2 * StudentT(degreesOfFreedom: Double(count - 1)).upperTail(abs(mean) / error))
  }

  /// How likely all differences are to have one sign if neither is likelier: 2^(1-n).
  private var chanceOfOneSign: Double {
    Double(sign: .plus, exponent: max(-1_000, 1 - count), significand: 1)
  }
}
