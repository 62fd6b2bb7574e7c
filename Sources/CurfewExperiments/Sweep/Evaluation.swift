import CurfewEngine

/// What an experiment's runs say: every variant beside the baseline, by every measure.
///
/// Repetition by repetition the variant's value less the baseline's: t intervals of these
/// differences. Their levels share the error that is allowed: evenly among the comparisons, as
/// `Family` says, and among the looks, as `SequentialPlan` says.
package struct Evaluation: Hashable, Sendable {
  /// How many repetitions it rests on. Where a sweep stops early, later ones are in the file only
  /// if parts were made elsewhere, and do not count.
  package let repetitions: Int
  /// Measure by measure, each variant but the baseline.
  package let comparisons: [Comparison]
  /// With what probability each of these intervals may miss.
  package let level: Double

  /// Whether every comparison has an answer.
  package var isDecided: Bool { comparisons.allSatisfy(\.verdict.isDecided) }
  /// Whether more repetitions are not wanted.
  var maySuffice: Bool { comparisons.allSatisfy(\.verdict.maySuffice) }
}

extension Experiment {
  /// How it looks: when, and how strictly.
  package var plan: SequentialPlan {
    let family = Family(comparisons: measures.count * (variants.count - 1), confidence: level)
    return SequentialPlan(
      atLeast: repetitions.lowerBound, atMost: repetitions.upperBound, level: family.levelOfEach)
  }

  /// What the values say: the first look that decides all, or else the last one that there are
  /// values for; nil where there are not enough for the first.
  ///
  /// - Parameter values: By measure, by variant, by repetition; nil for what has none. Of each
  ///   variant as many.
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

  /// How many days each device runs.
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
