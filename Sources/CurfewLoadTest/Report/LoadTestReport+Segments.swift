extension LoadTestReport {
  /// The middle and the tail of a distribution, in nanoseconds.
  public struct Spread: Hashable, Sendable {
    /// The median; nil where there are too few values for one.
    public var p50: Int64?
    /// What one in a hundred exceeds; nil where there are too few values to say.
    public var p99: Int64?

    /// These two.
    public init(p50: Int64?, p99: Int64?) { (self.p50, self.p99) = (p50, p99) }

    /// Those of a histogram; nil where nothing was recorded.
    public init?(_ histogram: LatenessHistogram) {
      guard histogram.count > 0 else { return nil }
      self.init(p50: histogram.p50, p99: histogram.p99)
    }
  }

  /// A part of the run, with what was measured on the same deadlines beside it. nil stands for what was not measured.
  public struct Segment: Hashable, Sendable {
    /// Ours: from when a warning was due to the decision.
    public var decided: Spread?
    /// Ours: from when a warning was due to the handler.
    public var delivered: Spread?
    /// The floor: a bare timer of the kernel over a sorted array.
    public var floor: Spread?
    /// The alternative: a timer of the loop's for each task, rounded up so that none is early.
    public var alternative: Spread?

    /// Nothing measured yet.
    public init() {}
  }

  /// The median over the segments of one percentile; nil where it was measured in none.
  public func median(_ spread: KeyPath<Segment, Spread?>, _ percentile: KeyPath<Spread, Int64?>) -> Int64? {
    CurfewLoadTest.median(segments.compactMap { $0[keyPath: spread]?[keyPath: percentile] ?? nil })
  }

  /// The median over the segments of what one percentile is in times of another's; nil where both were measured in none.
  ///
  /// Not the ratio of the medians: the two of a segment have seen the same weather.
  public func medianRatio(
    _ spread: KeyPath<Segment, Spread?>, to other: KeyPath<Segment, Spread?>, _ percentile: KeyPath<Spread, Int64?>
  ) -> Double? {
    CurfewLoadTest.median(
      segments.compactMap { segment -> Double? in
        guard let ours = segment[keyPath: spread]?[keyPath: percentile], let theirs = segment[keyPath: other]?[keyPath: percentile] else {
          return nil
        }
        // A histogram may well say 0 ns of a clock that is coarse.
        return Double(ours) / Double(max(1, theirs))
      })
  }
}
