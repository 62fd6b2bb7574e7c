/// What a comparison says, from its interval alone.
///
/// | interval | with a margin, and inside it | otherwise |
/// |---|---|---|
/// | every difference is zero, of 3 or more | `identical` | `identical` |
/// | excludes zero | `differsWithinMargin` | `differs` |
/// | contains zero | `sameWithinMargin` | `inconclusive` |
///
/// `notComparable` looks at no interval: what is measured depends on a kind that only one of the
/// two policies has, so that there is none.
///
/// So "differs" is said where zero lies outside the interval, and nowhere else. A difference
/// that is sure and still too small to matter has a verdict of its own: called the same, it would
/// contradict the interval; called different, it would look like one that matters.
package enum Verdict: Sendable, Hashable {
  /// Which way the variant differs from the baseline.
  package enum Direction: Sendable, Hashable, CaseIterable {
    /// The variant's figure is greater.
    case more
    /// The variant's figure is smaller.
    case less
  }

  /// Every difference of three or more is exactly zero. An observation and no test: no sweep stops
  /// for it.
  case identical
  /// The interval excludes zero. Without a margin, or not known to be within it.
  case differs(Direction)
  /// The interval excludes zero, and the difference is smaller than the smallest that matters.
  case differsWithinMargin(Direction)
  /// The interval contains zero, and the difference is smaller than the smallest that matters,
  /// whichever way it goes.
  case sameWithinMargin
  /// The figure counts events, of which there are too few for a mean difference to say
  /// anything: `RareEvents`.
  case tooRare
  /// The interval contains zero, and differences that matter; or there is no interval.
  case inconclusive
  /// The figure depends on a kind of session or wake that only one of the two policies has
  /// a row for.
  case notComparable

  /// The verdict on these differences.
  ///
  /// - Parameters:
  ///   - interval: The interval of the mean difference, as it is told to the reader; nil of fewer
  ///     than two differences.
  ///   - margin: The smallest difference that matters, in the figure's unit; nil where none was
  ///     given. One of just this size matters.
  /// - Precondition: `margin` is above 0.
  /// - Complexity: O(1).
  package init(on differences: PairedDifferences, interval: ClosedRange<Double>?, margin: Double?) {
    precondition(
      margin.map { $0 > 0 } ?? true,
      "The smallest difference that matters is \(margin ?? 0); it is above 0, or nil")
    guard !differences.areAllZero else {
      self = differences.count >= Self.fewestIdentical ? .identical : .inconclusive
      return
    }
    guard let interval else {
      self = .inconclusive
      return
    }
    // Of equal differences their sign is known, and not how far others may lie.
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

  /// Fewer equal repetitions prove nothing: two are often equal by chance.
  static var fewestIdentical: Int { 3 }

  /// Whether the comparison has an answer: all but `inconclusive`, `tooRare` and `notComparable`.
  package var isDecided: Bool {
    self != .inconclusive && self != .tooRare && self != .notComparable
  }

  /// Whether more repetitions are not needed for this comparison. That a few were equal is an
  /// observation, and no answer to stop for. No number of repetitions makes comparable what is not.
  var maySuffice: Bool { self == .notComparable || isDecided && self != .identical }

  /// Whether it differs, by less than the smallest difference that matters.
  var isWithinMargin: Bool { if case .differsWithinMargin = self { true } else { false } }

  /// Which way it differs, of a verdict that says so.
  package var direction: Direction? {
    switch self {
    case .differs(let direction), .differsWithinMargin(let direction): direction
    case .identical, .sameWithinMargin, .tooRare, .inconclusive, .notComparable: nil
    }
  }
}
