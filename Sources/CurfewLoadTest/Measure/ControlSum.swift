/// A second account of a distribution, kept by other code than its histogram: the number of its
/// values, and the exact sum of those that are not early.
package struct ControlSum: Hashable, Sendable {
  /// The number of values.
  package private(set) var count = 0
  /// The sum of all values that are not early, in nanoseconds; saturates.
  package private(set) var total: Int64 = 0

  /// Creates an account without values.
  package init() {}

  /// Adds the value of something that was due at one instant and happened at another.
  package mutating func add(due: Int64, happened: Int64) {
    count += 1
    if happened > due { total = total.addingSaturated(happened - due) }
  }

  /// Adds the values of another account.
  mutating func add(_ other: ControlSum) {
    count += other.count
    total = total.addingSaturated(other.total)
  }
}

extension LatenessPercentiles {
  /// The greatest relative error of the histogram's mean. Its values have three digits, so each is
  /// off by 0.05 % at most.
  private static let greatestError = 0.001

  /// The difference between this distribution and its second account, as a sentence without a full
  /// stop; nil if they agree.
  ///
  /// - Parameter name: The distribution's name in the report.
  func contradiction(of name: String, with control: ControlSum) -> String? {
    if count != control.count {
      return
        "\(name) has \(count) values, and the records have \(control.count)"
    }
    if total != control.total {
      return "the values of \(name) add up to \(total) ns, and those of the records to "
        + "\(control.total) ns"
    }
    guard let max, max <= LatenessPercentiles.longest else { return nil }
    let sum = mean * Double(count - early)
    let tolerance = LatenessPercentiles.greatestError * Double(total) + Double(count)
    return abs(sum - Double(total)) > tolerance
      ? "the histogram of \(name) stands for \(Int64(sum)) ns, and its values add up to \(total) ns"
      : nil
  }
}

extension Int64 {
  /// The sum, or the greatest number if the sum is greater.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
