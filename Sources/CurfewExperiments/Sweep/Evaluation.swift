import CurfewEngine
package import CurfewStatistics

/// The comparisons of every variant with the baseline, by every measure.
///
/// The comparisons are t intervals of the differences in each repetition, the variant's value less
/// the baseline's. `Family` divides the allowed error evenly among the comparisons,
/// and `SequentialPlan` divides it among the looks.
package struct Evaluation: Hashable, Sendable {
  /// The number of repetitions that the evaluation uses. If a sweep stops early, the file may hold
  /// later repetitions from parts that were made elsewhere; the evaluation ignores them.
  package let repetitions: Int
  /// The comparisons, measure by measure, of each variant except the baseline.
  package let comparisons: [Comparison]
  /// The probability with which each interval may miss.
  package let level: Double

  /// Whether every comparison has an answer.
  package var isDecided: Bool { comparisons.allSatisfy(\.verdict.isDecided) }
  /// Whether a sweep may stop here.
  var maySuffice: Bool { comparisons.allSatisfy(\.verdict.maySuffice) }
}

extension Experiment {
  /// The looks of the experiment's sweep, and the level of each.
  package var plan: SequentialPlan {
    let family = Family(comparisons: measures.count * (variants.count - 1), confidence: level)
    return SequentialPlan(
      atLeast: repetitions.lowerBound, atMost: repetitions.upperBound, level: family.levelOfEach)
  }

  /// Returns the evaluation at the first look at which a sweep may stop, or else at the last look
  /// with enough values; nil if there are too few for the first look.
  ///
  /// - Parameter values: The values by measure, variant and repetition; nil for a missing value.
  ///   Every variant has the same number of repetitions.
  func evaluate(_ values: [[[Double?]]]) -> Evaluation? {
    let available = values.flatMap { $0.map(\.count) }.min() ?? 0
    let plan = plan
    var last: Evaluation?
    for (look, level) in zip(plan.looks, plan.nominalLevels) where look <= available {
      let evaluation = Evaluation(
        repetitions: look, comparisons: comparisons(values, first: look, level: level), level: level
      )
      if evaluation.maySuffice { return evaluation }
      last = evaluation
    }
    return last
  }

  /// The number of days that each device runs.
  var days: Double { Double(length.nanoseconds) / 86_400e9 }

  private func comparisons(_ values: [[[Double?]]], first count: Int, level: Double) -> [Comparison]
  {
    let missing = missingKinds
    return measures.indices.flatMap { measure in
      variants.indices.filter { $0 != baseline }.map { variant in
        let pairs = zip(
          values[measure][baseline].prefix(count), values[measure][variant].prefix(count)
        ).compactMap { base, value in
          base.flatMap { base in value.map { (baseline: base, value: $0) } }
        }
        let asked = measures[measure]
        let compares = missing.compares(
          asked.figure, app: asked.app, about: asked.about, between: baseline, and: variant)
        return Comparison(
          variant: variant, measure: measure, values: pairs,
          evidence: compares ? asked.evidence(devices: devices, days: days) : .incomparable,
          level: level, margin: asked.margin)
      }
    }
  }
}
