import CurfewStatistics
import CurfewText

extension LoadTestReport {
  /// The median and the tail of a distribution, in nanoseconds.
  package struct Spread: Hashable, Sendable {
    /// The median; nil with too few values.
    package var p50: Int64?
    /// The 99th percentile; nil with too few values.
    package var p99: Int64?
    /// Whether the median is a lower bound, because an awaited event never came.
    package var isP50AtLeast = false
    /// Whether `p99` is a lower bound, because an awaited event never came.
    package var isP99AtLeast = false

    /// Creates a spread of these percentiles, neither of them a lower bound.
    package init(p50: Int64?, p99: Int64?) { (self.p50, self.p99) = (p50, p99) }

    /// Creates the spread of a histogram; nil if nothing was recorded.
    package init?(_ histogram: LatenessPercentiles) {
      guard histogram.count > 0 else { return nil }
      self.init(p50: histogram.p50, p99: histogram.p99)
      (isP50AtLeast, isP99AtLeast) = (histogram.isAtLeast(p50), histogram.isAtLeast(p99))
    }

    func figure(_ percentile: Percentile) -> ReportFigure? {
      switch percentile {
      case .p50: p50.map { ReportFigure(Double($0), isAtLeast: isP50AtLeast) }
      case .p99: p99.map { ReportFigure(Double($0), isAtLeast: isP99AtLeast) }
      }
    }
  }

  /// The two percentiles of a spread.
  package enum Percentile: String, Hashable, Sendable, CaseIterable {
    case p50, p99

    /// The greatest factor by which the floor's percentile before and after a segment may differ
    /// for ratios to the floor to be meaningful: 1.5 for the median, and 3 for the tail, because
    /// half a segment has only about twenty values there.
    var greatestDrift: Double { self == .p50 ? 1.5 : 3 }
  }

  /// A part of the run, with the measurements on the same deadlines. nil means not measured.
  package struct Segment: Hashable, Sendable {
    /// Ours: the time from a warning's due instant to the decision.
    package var decided: Spread?
    /// Ours: the time from a warning's due instant to the handler.
    package var delivered: Spread?
    /// The floor: a bare kernel timer over a sorted array. Combines the runs before and after
    /// the segment.
    package var floor: Spread?
    /// The floor on the first half of the segment's deadlines, before the segment.
    package var floorBefore: Spread?
    /// The floor on the second half of the deadlines, after the segment.
    package var floorAfter: Spread?
    /// Ours: the time from a call that sends an app away to the first line of
    /// its didEnterBackground.
    package var callbackDelivered: Spread?
    /// Ours: the time from the delivery of a wake to the first line of the app's callback.
    package var wakeDelivered: Spread?
    /// Ours: the time from a launch to the first line of the app's didBecomeActive.
    package var launchToActive: Spread?
    /// The floor of callbacks: one thread hands an instant to another. Combines the runs before and
    /// after the segment.
    package var handOff: Spread?
    /// The floor of callbacks before the segment.
    package var handOffBefore: Spread?
    /// The floor of callbacks after the segment.
    package var handOffAfter: Spread?
    /// The share of the machine's processor time that other processes took while the floor and ours
    /// were measured, 0 to 1.
    package var othersLoad: Double?

    /// Creates a segment without measurements.
    package init() {}

    /// Whether a percentile of a floor, and its median, were the same before and after the
    /// segment, within `Percentile.greatestDrift`; nil if the floor was not measured both times.
    /// Ratios to an unsteady floor are meaningless.
    package func isFloorSteady(_ percentile: Percentile, _ floor: Floor = .timer) -> Bool? {
      guard let before = self[keyPath: floor.before], let after = self[keyPath: floor.after] else {
        return nil
      }
      return Percentile.allCases.filter { $0 == .p50 || $0 == percentile }.allSatisfy {
        // With too few deadlines for a percentile, the floor does not count as steady.
        guard let before = before.figure($0)?.value, let after = after.figure($0)?.value
        else { return false }
        return max(before, after) <= $0.greatestDrift * max(1, min(before, after))
      }
    }

    mutating func noteFloor(
      _ before: LatenessPercentiles?, _ after: LatenessPercentiles?, _ floor: Floor = .timer
    ) {
      self[keyPath: floor.before] = before.flatMap { Spread($0) }
      self[keyPath: floor.after] = after.flatMap { Spread($0) }
      guard var both = before, let after else { return }
      both.add(after)
      self[keyPath: floor.both] = Spread(both)
    }
  }

  /// The share of the machine that other processes took, as the median of the segments and the
  /// greatest of any, 0 to 1; nil if unknown.
  package var othersLoad: (median: Double, most: Double)? {
    let shares = segments.compactMap(\.othersLoad)
    guard let median = CurfewStatistics.median(shares), let most = shares.max() else { return nil }
    return (median, most)
  }

  /// The median of one percentile over the segments; nil if no segment has it.
  package func median(_ spread: KeyPath<Segment, Spread?>, _ percentile: Percentile)
    -> ReportFigure?
  {
    ReportFigure.median(segments.compactMap { $0[keyPath: spread]?.figure(percentile) })
  }
}
