import CurfewStatistics

/// Counts of events in two variants that are too rare to compare by their mean difference.
///
/// Events are too rare if both variants together have fewer than 20, or if their counts are equal
/// in every repetition and some are below 20. Differences are then far from normal, and equal
/// counts prove nothing: two counts of zero occur in most sweeps of an event that happens once
/// in 30 device-days. Only an upper bound of the event's frequency can be stated.
package struct RareEvents: Hashable, Sendable {
  /// The minimum number of events for a comparison. A Poisson count of 20 has a relative standard
  /// error of 22 %, and a skewness of 0.22.
  package static let fewest = 20.0

  /// One variant's events.
  package struct Side: Hashable, Sendable {
    /// The number of events.
    package let events: Int
    /// The bounds of the true value, in the measure's unit.
    package let bounds: ClosedRange<Double>
  }

  /// The baseline's events.
  package let baseline: Side
  /// The variant's events.
  package let variant: Side
  /// Devices × days × repetitions of each variant.
  package let deviceDays: Double

  /// Counts with bounds that were computed before.
  init(baseline: Side, variant: Side, deviceDays: Double) {
    (self.baseline, self.variant, self.deviceDays) = (baseline, variant, deviceDays)
  }

  /// The bounds of the true difference: from the variant's lower bound less the baseline's upper
  /// bound to the variant's upper bound less the baseline's lower bound.
  package var difference: ClosedRange<Double> {
    (variant.bounds.lowerBound - baseline.bounds.upperBound)...(variant.bounds.upperBound
      - baseline.bounds.lowerBound)
  }

  /// The greater of the two upper bounds, in the measure's unit.
  package var atMost: Double { max(baseline.bounds.upperBound, variant.bounds.upperBound) }

  /// Counts the events of these pairs; nil if there are enough to compare.
  ///
  /// Without events, the upper bound of each variant is -ln(`level`) events. The probability that
  /// either bound misses is at most `level`: if a variant's expectation were above the bound,
  /// a count of zero would be less likely than `level`. With events, each variant gets half
  /// of `level`, and each of its two bounds gets a quarter, so both variants' bounds and the bounds
  /// of their difference hold together. If one variant may have no event, the probability that
  /// either variant's bounds miss is at most 1.25 × `level`.
  ///
  /// The dispersion is the variant's own or the mean of both, whichever is greater. Few repetitions
  /// give a poor estimate, and repetitions without events give none.
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
    // A look that spends no part of the level has the level 0, for which the bounds would
    // be infinite.
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
  /// The bounds of a single variant's true value; nil if there are enough events and the number
  /// of events differs between repetitions.
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

/// The conversion from a measure's value to a number of events, in each run.
struct EventScale: Hashable, Sendable {
  /// The factor from the measure's value to the number of events.
  var eventsPerUnit: Double
  /// Devices × days.
  var deviceDays: Double
}
