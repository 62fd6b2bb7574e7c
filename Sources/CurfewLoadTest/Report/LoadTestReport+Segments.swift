import CurfewText

extension LoadTestReport {
  /// The middle and the tail of a distribution, in nanoseconds.
  package struct Spread: Hashable, Sendable {
    /// The median; nil where there are too few values for one.
    package var p50: Int64?
    /// What one in a hundred exceeds; nil where there are too few values to say.
    package var p99: Int64?
    /// Whether the median may be more, because something never came.
    package var isP50AtLeast = false
    /// Whether `p99` may be more, because something never came.
    package var isP99AtLeast = false

    /// These two, as they are.
    package init(p50: Int64?, p99: Int64?) { (self.p50, self.p99) = (p50, p99) }

    /// Those of a histogram; nil where nothing was recorded.
    package init?(_ histogram: LatenessHistogram) {
      guard histogram.count > 0 else { return nil }
      self.init(p50: histogram.p50, p99: histogram.p99)
      (isP50AtLeast, isP99AtLeast) = (histogram.isAtLeast(p50), histogram.isAtLeast(p99))
    }

    func figure(_ percentile: Percentile) -> Figure? {
      switch percentile {
      case .p50: p50.map { Figure(Double($0), isAtLeast: isP50AtLeast) }
      case .p99: p99.map { Figure(Double($0), isAtLeast: isP99AtLeast) }
      }
    }
  }

  /// The two percentiles of a spread.
  package enum Percentile: String, Hashable, Sendable, CaseIterable {
    case p50, p99

    /// By how much the floor's may differ before and after a segment, in times of the smaller one,
    /// if anything is to be compared with it: 1.5 for the median, and 3 for the tail, of which half
    /// a segment has but twenty values.
    var greatestDrift: Double { self == .p50 ? 1.5 : 3 }
  }

  /// A part of the run, with what was measured on the same deadlines beside it. nil stands for what
  /// was not measured.
  package struct Segment: Hashable, Sendable {
    /// Ours: from when a warning was due to the decision.
    package var decided: Spread?
    /// Ours: from when a warning was due to the handler.
    package var delivered: Spread?
    /// The floor: a bare timer of the kernel over a sorted array. Before the segment and after it,
    /// taken together.
    package var floor: Spread?
    /// The floor on the first half of the segment's deadlines, before the segment.
    package var floorBefore: Spread?
    /// The floor on the second half of them, after it.
    package var floorAfter: Spread?
    /// The alternative: a timer of the loop's for each task, rounded up so that none is early.
    package var alternative: Spread?
    /// Which part of the machine's processor time others took while the floor and ours were
    /// measured, 0 to 1.
    package var othersLoad: Double?

    /// Nothing measured yet.
    package init() {}

    /// Whether a percentile of the floor, and its median, were the same before and after,
    /// within `Percentile.greatestDrift`; nil where the floor was not measured both times. What
    /// is compared with one that moved says nothing.
    package func isFloorSteady(_ percentile: Percentile) -> Bool? {
      guard let floorBefore, let floorAfter else { return nil }
      return Percentile.allCases.filter { $0 == .p50 || $0 == percentile }.allSatisfy {
        // Too few deadlines for a percentile vouch for nothing.
        guard let before = floorBefore.figure($0)?.value, let after = floorAfter.figure($0)?.value
        else { return false }
        return max(before, after) <= $0.greatestDrift * max(1, min(before, after))
      }
    }

    mutating func noteFloor(_ before: LatenessHistogram?, _ after: LatenessHistogram?) {
      (floorBefore, floorAfter) = (before.flatMap { Spread($0) }, after.flatMap { Spread($0) })
      guard var both = before, let after else { return }
      both.add(after)
      floor = Spread(both)
    }
  }

  /// Why ratios of this percentile to the floor's say nothing; nil where they say something,
  /// and where no floor was measured.
  package func floorObjection(_ percentile: Percentile) -> String? {
    let known = segments.compactMap { $0.isFloorSteady(percentile) }
    let moved = known.count { !$0 }
    guard moved * 2 > known.count else { return nil }
    return
      "the floor, measured before and after each segment, had too few deadlines or differed by more than "
      + "\(HumanNumber.rounded(percentile.greatestDrift)) times in \(HumanCount.text(moved)) of \(HumanCount.text(known.count, "segment"))"
  }

  /// What others took of the machine, as the segments' median and the most of any, 0 to 1; nil
  /// where it is not known.
  package var othersLoad: (median: Double, most: Double)? {
    let shares = segments.compactMap(\.othersLoad)
    guard let median = CurfewLoadTest.median(shares), let most = shares.max() else { return nil }
    return (median, most)
  }

  /// The median over the segments of one percentile; nil where it was measured in none.
  package func median(_ spread: KeyPath<Segment, Spread?>, _ percentile: Percentile) -> Figure? {
    Figure.median(segments.compactMap { $0[keyPath: spread]?.figure(percentile) })
  }

  /// The median over the segments of what one percentile is in times of the floor's; nil where both
  /// were measured in none, and where the floor moved too often. Segments in which it moved are
  /// left out.
  package func ratioToFloor(_ spread: KeyPath<Segment, Spread?>, _ percentile: Percentile)
    -> Figure?
  {
    guard floorObjection(percentile) == nil else { return nil }
    return medianRatio(
      spread, to: \.floor, percentile,
      among: segments.filter { $0.isFloorSteady(percentile) == true })
  }

  /// The median over the segments of what the alternative's percentile is in times of the
  /// decisions'; nil where both were measured in none.
  package func ratioOfAlternative(_ percentile: Percentile) -> Figure? {
    medianRatio(\.alternative, to: \.decided, percentile, among: segments)
  }

  /// Not the ratio of the medians: the two of a segment have seen the same weather.
  private func medianRatio(
    _ spread: KeyPath<Segment, Spread?>, to other: KeyPath<Segment, Spread?>,
    _ percentile: Percentile, among segments: [Segment]
  ) -> Figure? {
    Figure.median(
      segments.compactMap { segment in
        guard let ours = segment[keyPath: spread]?.figure(percentile),
          let theirs = segment[keyPath: other]?.figure(percentile),
          // In times of something that may be more it may be less, and would flatter.
          !theirs.isAtLeast
        else { return nil }
        // A histogram may well say 0 ns of a clock that is coarse.
        return Figure(ours.value / max(1, theirs.value), isAtLeast: ours.isAtLeast)
      })
  }
}
