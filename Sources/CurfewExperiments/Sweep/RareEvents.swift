/// Counts of two variants' events that are too rare to be compared by their mean difference.
///
/// With fewer than 20 events in both together, or with equal counts of which some are below 20,
/// differences are far from normal, and equal ones prove nothing: two counts of zero come up in
/// most sweeps of an event that happens once in 30 device-days. What can be said is how often the
/// event happens at most.
package struct RareEvents: Hashable, Sendable {
  /// Fewer events are too rare. A Poisson count of 20 has a relative standard error of 22 %, and a
  /// skewness of 0.22.
  package static let fewest = 20.0

  /// One variant's events.
  package struct Side: Hashable, Sendable {
    /// How many there were.
    package let events: Int
    /// The bounds of the true value, in the measure's unit.
    package let bounds: ClosedRange<Double>
  }

  /// The baseline's.
  package let baseline: Side
  /// The variant's.
  package let variant: Side
  /// Devices × days × repetitions of each variant.
  package let deviceDays: Double

  /// Bounds that were found before.
  init(baseline: Side, variant: Side, deviceDays: Double) {
    (self.baseline, self.variant, self.deviceDays) = (baseline, variant, deviceDays)
  }

  /// The bounds of the true difference: the lower bound of one less the upper bound of the other,
  /// and the reverse.
  package var difference: ClosedRange<Double> {
    (variant.bounds.lowerBound - baseline.bounds.upperBound)...(variant.bounds.upperBound
      - baseline.bounds.lowerBound)
  }

  /// The greater of the two upper bounds, in the measure's unit.
  package var atMost: Double { max(baseline.bounds.upperBound, variant.bounds.upperBound) }

  /// Counts the events of these pairs; nil if they are enough to compare.
  ///
  /// Without an event both bounds are -ln(`level`) events. They miss together with probability
  /// `level` at most: if either variant's expectation is beyond the bound, no event at all comes
  /// up so seldom. With events each variant has half of the error, and each of its bounds half of
  /// that, so that both variants' bounds and that of their difference hold together. If one variant
  /// may have no event, either variant's bounds miss with at most 1.25 × `level`.
  ///
  /// The dispersion is the variant's own or that of both together, whichever is greater. It is
  /// known badly from few repetitions, and without an event not at all.
  ///
  /// - Parameter level: The probability with which the bounds may miss.
  init?(_ pairs: [(baseline: Double, value: Double)], _ scale: EventScale, level: Double) {
    let one = EventCount(pairs.lazy.map { $0.baseline * scale.eventsPerUnit })
    let other = EventCount(pairs.lazy.map { $0.value * scale.eventsPerUnit })
    let (total, counts) = (one.total + other.total, zip(one.counts, other.counts))
    guard !pairs.isEmpty,
      total < Self.fewest
        || counts.allSatisfy({ $0 == $1 }) && one.counts.contains(where: { $0 < Self.fewest })
    else {
      return nil
    }
    let events = scale.eventsPerUnit * Double(pairs.count)
    // A look that has spent nothing has no level, and hardly any bound.
    let level = max(level, 1e-300)
    if total == 0 {
      let none = Side(events: 0, bounds: 0...EventCount.mostOfNone(level: level) / events)
      (baseline, variant) = (none, none)
    } else {
      let own = [one.dispersion, other.dispersion].compactMap(\.self)
      let pooled = own.reduce(0, +) / Double(max(1, own.count))
      func side(_ count: EventCount) -> Side {
        let bounds = count.bounds(tail: level / 4, dispersion: max(count.dispersion ?? 1, pooled))
        return Side(
          events: Int(count.total), bounds: bounds.lowerBound / events...bounds.upperBound / events)
      }
      (baseline, variant) = (side(one), side(other))
    }
    deviceDays = scale.deviceDays * Double(pairs.count)
  }
}

extension RareEvents {
  /// The bounds of one variant's true value by itself; nil if there are events enough,
  /// and not as many in every repetition.
  static func bounds(of values: [Double], _ scale: EventScale, level: Double) -> ClosedRange<
    Double
  >? {
    let count = EventCount(values.lazy.map { $0 * scale.eventsPerUnit })
    guard count.total < fewest || count.counts.allSatisfy({ $0 == count.counts[0] }) else {
      return nil
    }
    let events = scale.eventsPerUnit * Double(values.count)
    guard count.total > 0 else { return 0...EventCount.mostOfNone(level: level) / events }
    let bounds = count.bounds(tail: level / 2, dispersion: count.dispersion ?? 1)
    return bounds.lowerBound / events...bounds.upperBound / events
  }
}

/// How values of a measure count events, in each run.
struct EventScale: Hashable, Sendable {
  /// The measure's value times this is how many events there were.
  var eventsPerUnit: Double
  /// Devices × days.
  var deviceDays: Double
}
