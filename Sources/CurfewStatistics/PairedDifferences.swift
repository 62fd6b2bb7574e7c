import CurfewSimulation

/// The differences between two variants, one for each repetition, with statistics of their mean.
///
/// Under `Pairing.common` repetition r of both variants uses the same random numbers. So the random
/// circumstances of a day cancel in the difference, and the differences of distinct repetitions are
/// independent. The paired t test needs only this independence and nearly normal means.
///
/// The mean and the spread are computed by Welford's online method (B. P. Welford, "Note on
/// a Method for Calculating Corrected Sums of Squares and Products", Technometrics 4 (1962),
/// 419-420). Sums of squares were not chosen: if the mean is large and the differences are similar,
/// they lose all digits.
///
/// The last bits depend on the order in which differences are added. Add them in the order
/// of repetitions, not in the order in which runs finish, so that results are bit-identical for any
/// number of threads.
package struct PairedDifferences: Sendable, Hashable {
  /// The greatest magnitude for which squares and sums of squares do not overflow.
  private static var most: Double { 1e140 }

  /// The number of differences.
  package private(set) var count = 0
  /// Their mean; 0 if there are none.
  package private(set) var mean = 0.0
  /// The sum of the squared distances from the mean.
  private var squares = 0.0
  /// The sum of the cubed distances from the mean.
  private var cubes = 0.0
  /// The least difference; infinity if there are none.
  package private(set) var least = Double.infinity
  /// The greatest difference; minus infinity if there are none.
  package private(set) var greatest = -Double.infinity

  /// The greatest spread that rounding of the values can cause among equal differences.
  private var rounding = 0.0

  /// No differences.
  package init() {}

  /// The differences of these pairs, the second less the first, in the order of repetitions.
  ///
  /// Differences that are unequal only because of rounding count as equal: in binary, 0.26 less
  /// 0.24 is not the same number as 0.24 less 0.22.
  /// - Complexity: O(n).
  package init(of pairs: some Sequence<(Double, Double)>) {
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
  /// - Precondition: `difference` is a number of at most 1e140 in magnitude. If a figure was
  ///   not measured, omit the comparison.
  /// - Complexity: O(1).
  package mutating func add(_ difference: Double) {
    precondition(
      abs(difference) <= Self.most,
      "A difference of \(difference); it must be a number of at most \(Self.most) in magnitude")
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

  /// Whether there are differences, and all are equal except for rounding.
  package var areAllEqual: Bool { count > 0 && greatest - least <= rounding }

  /// The standard deviation of one difference, with n - 1 in the denominator; nil for fewer than
  /// two differences, and 0 if all are equal.
  package var standardDeviation: Double? {
    guard count >= 2 else { return nil }
    return (squares / Double(count - 1)).squareRoot()
  }

  /// The sample skewness: the adjusted Fisher-Pearson coefficient G1 = √(n (n - 1)) / (n - 2) ·
  /// m3 / m2^1.5, where m2 and m3 are the mean squared and cubed distances from the mean. Nil for
  /// fewer than three differences, and if all are equal.
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

  /// The standard error of the mean: the standard deviation divided by √n; nil for fewer than
  /// two differences.
  package var standardError: Double? { standardDeviation.map { $0 / Double(count).squareRoot() } }

  /// The interval of the mean difference by Student's t, two-sided; nil for fewer than
  /// two differences.
  ///
  /// Over many experiments, it misses the true mean difference with probability `level`: 0.05 gives
  /// the interval with 95 % confidence. This is exact if the differences are normal, and if there
  /// is one interval at a number of repetitions that was fixed in advance. For several looks, pass
  /// the look's level in `SequentialPlan.nominalLevels`.
  ///
  /// If all differences are equal, the formula gives an interval of width 0, whether there are
  /// two differences or a hundred. In that case only the sign can be judged: if neither variant
  /// were ahead, all n differences would have the same sign with probability 2^(1-n). While
  /// this probability is above `level`, the result is nil. With more differences, the interval
  /// is the single common value: the true mean has the same sign, but its size is unknown. If all
  /// differences are zero, the same number of them is required, so that two repetitions without
  /// events prove nothing.
  ///
  /// - Parameter level: The probability of missing, above 0 and at most 0.5: 1 minus
  ///   the confidence.
  /// - Complexity: O(1), about ten microseconds.
  package func interval(level: Double) -> ClosedRange<Double>? {
    precondition(
      level > 0 && level <= 0.5,
      "The level of the interval is \(level); it must be above 0 and at most 0.5, such as 0.05 for 95 % confidence"
    )
    guard let error = standardError else { return nil }
    guard !areAllEqual else { return chanceOfOneSign <= level ? mean...mean : nil }
    let reach = StudentT(degreesOfFreedom: Double(count - 1)).quantile(upperTail: level / 2) * error
    return (mean - reach)...(mean + reach)
  }

  /// The two-sided p-value of the paired t test: the probability of a mean at least this many
  /// standard errors from zero, if the true mean is zero. Nil for fewer than two differences.
  ///
  /// The value is valid for one look at one comparison. If all differences are zero, the value
  /// is 1. If they have another common value, it is the p-value of the sign test, 2^(1-n).
  /// - Complexity: O(1), a few microseconds.
  package var pValue: Double? {
    guard let error = standardError else { return nil }
    guard !areAllEqual else { return areAllZero ? 1 : chanceOfOneSign }
    return min(1, 2 * StudentT(degreesOfFreedom: Double(count - 1)).upperTail(abs(mean) / error))
  }

  /// The probability that all differences have one sign if both signs are equally likely: 2^(1-n).
  private var chanceOfOneSign: Double {
    Double(sign: .plus, exponent: max(-1_000, 1 - count), significand: 1)
  }
}
