import CurfewSimulation
import CurfewStatistics

/// A ratio of two figures, paired by repetition: both contestants of a repetition had the same plan
/// within seconds.
///
/// The value is the exponential of the mean of the logarithms. Its interval is the one of
/// `PairedDifferences` of the logarithms, exponentiated.
package struct Ratio: Sendable, Hashable {
  /// The shortest name that is unambiguous in its run.
  package let name: RatioName
  /// The places of the workloads of the two sides; they differ only in size.
  package let numeratorWorkload: Int
  package let denominatorWorkload: Int
  /// Whether the denominator is the same figure of the floor.
  package let isOfFloor: Bool
  /// The ratio in each repetition that has both values, in order: the dots of the page.
  package let pairs: [WorkloadFigures.Value]
  /// The number of pairs that the value and the interval use. With `--until`, these are the pairs
  /// up to the last look.
  package let used: Int
  /// nil for fewer than five pairs.
  package let value: Double?
  /// nil without a value, and if all pairs are equal and too few to judge.
  package let interval: ClosedRange<Double>?
  /// Whether a contestant of one of the workloads was disturbed. Nothing follows from such a ratio.
  package let isDisturbed: Bool

  init(
    _ found: ResolvedRatio, named name: RatioName, in record: RunRecord,
    _ figures: [WorkloadFigures], _ levels: IntervalLevels
  ) {
    let sides = (found.name.numerator, found.name.denominator)
    let above = record.workloads[found.numeratorWorkload]
    let below = record.workloads[found.denominatorWorkload]
    self.name = name
    numeratorWorkload = found.numeratorWorkload
    denominatorWorkload = found.denominatorWorkload
    isOfFloor =
      found.numeratorWorkload == found.denominatorWorkload && sides.0.figure == sides.1.figure
      && sides.1.contestant == below.floor?.name && sides.0.contestant != sides.1.contestant
    isDisturbed = above.isDisturbed || below.isDisturbed
    let others = Dictionary(
      uniqueKeysWithValues: figures[found.denominatorWorkload].values(
        of: sides.1.contestant, sides.1.figure
      ).map { ($0.repetition, $0.value) })
    let both = figures[found.numeratorWorkload].values(of: sides.0.contestant, sides.0.figure)
      .compactMap { own in
        others[own.repetition].map { (repetition: own.repetition, own: own.value, other: $0) }
      }
    // A value of 0 has no logarithm. To leave its pair out would favour the other side.
    guard both.allSatisfy({ $0.own > 0 && $0.other > 0 }) else {
      (pairs, used, value, interval) = ([], 0, nil, nil)
      return
    }
    pairs = both.map { .init(repetition: $0.repetition, value: $0.own / $0.other) }
    let (count, level) = levels.level(pairs: both.count)
    used = count
    guard count >= WorkloadFigures.fewestRepetitions else {
      (value, interval) = (nil, nil)
      return
    }
    let differences = PairedDifferences(
      of: both.prefix(count).map { (PortableMath.log($0.other), PortableMath.log($0.own)) })
    value = PortableMath.exp(differences.mean)
    interval = differences.interval(level: level).map {
      PortableMath.exp($0.lowerBound)...PortableMath.exp($0.upperBound)
    }
  }

  /// The half width of the interval as a fraction: 0.1 if the upper bound is 1.1 times the middle.
  package var halfWidth: Double? {
    interval.map { ($0.upperBound / $0.lowerBound).squareRoot() - 1 }
  }
}

/// The levels of the intervals of one family of ratios.
struct IntervalLevels: Sendable {
  /// The numbers of repetitions at which a run with `--until` looks at its intervals and may stop.
  static let looks = [10, 14, 20, 28, 40]

  private let level: Double
  private let plan: SequentialPlan?

  /// - Parameter isSequential: Whether the run may stop at each of the looks.
  init(ratios: Int, isSequential: Bool) {
    level = Family(comparisons: max(1, ratios)).levelOfEach
    plan = isSequential ? SequentialPlan(looks: Self.looks, level: level) : nil
  }

  /// The number of pairs to use, and the level of their interval. A run that ended between
  /// two looks uses the pairs of the earlier look. A run that ended before the first look uses
  /// the level of that look.
  func level(pairs: Int) -> (used: Int, level: Double) {
    guard let plan else { return (pairs, level) }
    guard let look = plan.looks.lastIndex(where: { $0 <= pairs }) else {
      return (pairs, plan.nominalLevels[0])
    }
    return (plan.looks[look], plan.nominalLevels[look])
  }
}
