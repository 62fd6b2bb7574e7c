/// The answer of a comparison, from its interval alone.
///
/// | interval | with a margin, and inside it | otherwise |
/// |---|---|---|
/// | all of 3 or more differences are zero | `identical` | `identical` |
/// | excludes zero | `differsWithinMargin` | `differs` |
/// | contains zero | `sameWithinMargin` | `inconclusive` |
///
/// `notComparable` has no interval: the measure depends on a kind that only one of the two
/// policies has.
///
/// So a verdict says "differs" if and only if the interval excludes zero. A difference that
/// is certain but too small to matter has its own verdict. "The same" would contradict
/// the interval, and "different" would suggest that it matters.
package enum Verdict: Sendable, Hashable {
  /// The direction in which the variant differs from the baseline.
  package enum Direction: Sendable, Hashable, CaseIterable {
    /// The variant's figure is greater.
    case more
    /// The variant's figure is smaller.
    case less
  }

  /// There are three or more differences, and all are exactly zero. This is an observation,
  /// not a test: no sweep stops for it.
  case identical
  /// The interval excludes zero, and there is no margin or the interval is not inside it.
  case differs(Direction)
  /// The interval excludes zero, and the difference is smaller than the smallest that matters.
  case differsWithinMargin(Direction)
  /// The interval contains zero, and the difference in either direction is smaller than the
  /// smallest that matters.
  case sameWithinMargin
  /// The figure counts events, and they are too few for a mean difference: see `RareEvents`.
  case tooRare
  /// The interval contains zero and also differences that matter, or there is no interval.
  case inconclusive
  /// The figure depends on a kind of session or wake that only one of the two policies has
  /// a row for.
  case notComparable

  /// The verdict on these differences.
  ///
  /// - Parameters:
  ///   - interval: The interval of the mean difference, as printed; nil for fewer than
  ///     two differences.
  ///   - margin: The smallest difference that matters, in the figure's unit; nil if none is given.
  ///     A difference of exactly this size matters.
  /// - Precondition: `margin` is above 0.
  /// - Complexity: O(1).
  package init(on differences: PairedDifferences, interval: ClosedRange<Double>?, margin: Double?) {
    precondition(
      margin.map { $0 > 0 } ?? true,
      "The smallest difference that matters is \(margin ?? 0); it must be above 0, or nil")
    guard !differences.areAllZero else {
      self = differences.count >= Self.fewestIdentical ? .identical : .inconclusive
      return
    }
    guard let interval else {
      self = .inconclusive
      return
    }
    // Equal differences show the sign of the true difference, but not its size.
    let isWithin =
      differences.areAllEqual
      ? false : margin.map { -$0 < interval.lowerBound && interval.upperBound < $0 } ?? false
    if interval.contains(0) {
      self = isWithin ? .sameWithinMargin : .inconclusive
    } else {
      let direction: Direction = interval.lowerBound > 0 ? .more : .less
      self = isWithin ? .differsWithinMargin(direction) : .differs(direction)
    }
  }

  /// The minimum number of equal repetitions for `identical`: two are often equal by chance.
  static var fewestIdentical: Int { 3 }

  /// Whether the comparison has an answer: every verdict except `inconclusive`, `tooRare`
  /// and `notComparable`.
  package var isDecided: Bool {
    self != .inconclusive && self != .tooRare && self != .notComparable
  }

  /// Whether a sweep may stop as far as this comparison is concerned. `identical` is only
  /// an observation, so the sweep continues. `notComparable` cannot change with more repetitions,
  /// so the sweep may stop.
  package var maySuffice: Bool { self == .notComparable || isDecided && self != .identical }

  /// Whether the variant differs by less than the smallest difference that matters.
  package var isWithinMargin: Bool { if case .differsWithinMargin = self { true } else { false } }

  /// The direction of the difference; nil if the verdict does not state one.
  package var direction: Direction? {
    switch self {
    case .differs(let direction), .differsWithinMargin(let direction): direction
    case .identical, .sameWithinMargin, .tooRare, .inconclusive, .notComparable: nil
    }
  }
}
