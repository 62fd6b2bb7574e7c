extension LoadTestReport {
  /// The middle and the tail of a distribution, in nanoseconds.
  public struct Spread: Hashable, Sendable {
    /// The median; nil where there are too few values for one.
    public var p50: Int64?
    /// What one in a hundred exceeds; nil where there are too few values to say.
    public var p99: Int64?
    /// Whether the median may be more, because something never came.
    public var isP50AtLeast = false
    /// Whether `p99` may be more, because something never came.
    public var isP99AtLeast = false

    /// These two, as they are.
    public init(p50: Int64?, p99: Int64?) { (self.p50, self.p99) = (p50, p99) }

    /// Those of a histogram; nil where nothing was recorded.
    public init?(_ histogram: LatenessHistogram) {
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
  public enum Percentile: String, Hashable, Sendable, CaseIterable { case p50, p99 }

  /// A part of the run, with what was measured on the same deadlines beside it. nil stands for what was not measured.
  public struct Segment: Hashable, Sendable {
    /// Ours: from when a warning was due to the decision.
    public var decided: Spread?
    /// Ours: from when a warning was due to the handler.
    public var delivered: Spread?
    /// The floor: a bare timer of the kernel over a sorted array. Before the segment and after it, taken together.
    public var floor: Spread?
    /// The floor on the first half of the segment's deadlines, before the segment.
    public var floorBefore: Spread?
    /// The floor on the second half of them, after it.
    public var floorAfter: Spread?
    /// The alternative: a timer of the loop's for each task, rounded up so that none is early.
    public var alternative: Spread?
    /// Which part of the machine's processor time others took while the floor and ours were measured, 0 to 1.
    public var othersLoad: Double?

    /// Nothing measured yet.
    public init() {}

    /// By how much the floor's medians before and after may differ, in times of the smaller one, if anything is to be compared with it.
    public static let greatestDrift = 1.5

    /// Whether the floor was the same before and after; nil where it was not measured both times. What is compared with one that moved says nothing.
    public var isFloorSteady: Bool? {
      guard let floorBefore, let floorAfter else { return nil }
      // Too few deadlines for a median vouch for nothing.
      guard let before = floorBefore.p50, let after = floorAfter.p50 else { return false }
      return Double(max(before, after)) <= Segment.greatestDrift * Double(max(1, min(before, after)))
    }

    mutating func noteFloor(_ before: LatenessHistogram?, _ after: LatenessHistogram?) {
      (floorBefore, floorAfter) = (before.flatMap { Spread($0) }, after.flatMap { Spread($0) })
      guard var both = before, let after else { return }
      both.add(after)
      floor = Spread(both)
    }
  }

  /// How many of the segments had a floor that was measured before and after, and in how many of those it was the same.
  public var floorSegments: (measured: Int, steady: Int) {
    let known = segments.compactMap(\.isFloorSteady)
    return (known.count, known.count(where: \.self))
  }

  /// Why ratios to the floor say nothing; nil where they say something, and where no floor was measured.
  public var floorObjection: String? {
    let (measured, steady) = floorSegments
    guard measured > 0, steady * 2 < measured else { return nil }
    return
      "the floor, measured before and after each segment, differed by more than \(WallText.digits(Segment.greatestDrift)) times or had too few "
      + "deadlines in \(WallText.grouped(measured - steady)) of \(WallText.count(measured, "segment"))"
  }

  /// What others took of the machine, as the segments' median and the most of any, 0 to 1; nil where it is not known.
  public var othersLoad: (median: Double, most: Double)? {
    let shares = segments.compactMap(\.othersLoad)
    guard let median = CurfewLoadTest.median(shares), let most = shares.max() else { return nil }
    return (median, most)
  }

  /// The median over the segments of one percentile; nil where it was measured in none.
  public func median(_ spread: KeyPath<Segment, Spread?>, _ percentile: Percentile) -> Figure? {
    Figure.median(segments.compactMap { $0[keyPath: spread]?.figure(percentile) })
  }

  /// The median over the segments of what one percentile is in times of the floor's; nil where both were measured in none, and where the floor moved too often.
  /// Segments in which it moved are left out.
  public func ratioToFloor(_ spread: KeyPath<Segment, Spread?>, _ percentile: Percentile) -> Figure? {
    guard floorObjection == nil else { return nil }
    return medianRatio(spread, to: \.floor, percentile, among: segments.filter { $0.isFloorSteady == true })
  }

  /// The median over the segments of what the alternative's percentile is in times of the decisions'; nil where both were measured in none.
  public func ratioOfAlternative(_ percentile: Percentile) -> Figure? {
    medianRatio(\.alternative, to: \.decided, percentile, among: segments)
  }

  /// Not the ratio of the medians: the two of a segment have seen the same weather.
  private func medianRatio(
    _ spread: KeyPath<Segment, Spread?>, to other: KeyPath<Segment, Spread?>, _ percentile: Percentile, among segments: [Segment]
  ) -> Figure? {
    Figure.median(
      segments.compactMap { segment in
        guard let ours = segment[keyPath: spread]?.figure(percentile), let theirs = segment[keyPath: other]?.figure(percentile),
          // In times of something that may be more it may be less, and would flatter.
          !theirs.isAtLeast
        else { return nil }
        // A histogram may well say 0 ns of a clock that is coarse.
        return Figure(ours.value / max(1, theirs.value), isAtLeast: ours.isAtLeast)
      })
  }
}
