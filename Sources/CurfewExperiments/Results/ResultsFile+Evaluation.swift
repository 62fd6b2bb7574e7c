import CurfewEngine
import CurfewStatistics
import GRDB

extension ResultsFile {
  /// The evaluation of the runs in the file; nil if there are too few for the first look.
  package func evaluate(_ experiment: Experiment) throws(ResultsError) -> Evaluation? {
    experiment.evaluate(try values(of: experiment))
  }

  /// The values by measure, variant and repetition, up to the first repetition that
  /// a variant lacks.
  func values(of experiment: Experiment) throws(ResultsError) -> [[[Double?]]] {
    let runs = try runs()
    let variants = experiment.variants.indices
    let count = (0..<experiment.repetitions.upperBound).prefix { repetition in
      variants.allSatisfy { runs.contains(Run(variant: $0, repetition: repetition)) }
    }.count
    var values = experiment.measures.map { _ in
      variants.map { _ in [Double?](repeating: nil, count: count) }
    }
    let rows = try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT measure.id AS measure, variant.id AS variant, repetition, value FROM measured
          JOIN measure ON measure.name = measured.measure JOIN variant ON variant.name = measured.variant WHERE repetition < ?
          """, arguments: [count])
    }
    for row in rows {
      let (measure, variant, repetition): (Int, Int, Int) = (
        row["measure"], row["variant"], row["repetition"]
      )
      // Another sweep may have changed the measures since, or the file may have been edited.
      guard values.indices.contains(measure - 1), values[measure - 1].indices.contains(variant - 1),
        (0..<count).contains(repetition)
      else {
        continue
      }
      values[measure - 1][variant - 1][repetition] = row["value"]
    }
    return values
  }

  /// Writes the evaluation in place of the one in the file.
  ///
  /// - Throws: `otherExperiment` if another sweep has changed the comparisons in the file since.
  package func keep(_ evaluation: Evaluation, of experiment: Experiment) throws(ResultsError) {
    try write { database in
      guard try ResultsFile.asks(experiment, database) else {
        throw ResultsError(
          .otherExperiment, self.path,
          "another sweep has changed the comparisons in the file; all runs are kept; run the same command again to compare them"
        )
      }
      try database.execute(
        sql:
          "DELETE FROM rare; DELETE FROM comparison; UPDATE experiment SET evaluated = \(evaluation.repetitions)"
      )
      for found in evaluation.comparisons {
        try database.execute(
          sql: """
            INSERT INTO comparison (variant, measure, pairs, baseline_mean, mean, difference, skewness, low, high, verdict)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            found.variant + 1, found.measure + 1, found.differences.count, found.baselineMean,
            found.mean,
            found.difference, found.difference.flatMap { _ in found.differences.skewness },
            found.interval?.lowerBound,
            found.interval?.upperBound, found.verdict.name,
          ])
        guard let rare = found.finding.rare else { continue }
        try database.execute(
          sql: """
            INSERT INTO rare (variant, measure, baseline_events, events, device_days, baseline_at_least, baseline_at_most, at_least, at_most)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            found.variant + 1, found.measure + 1, rare.baseline.events, rare.variant.events,
            rare.deviceDays,
            rare.baseline.bounds.lowerBound, rare.baseline.bounds.upperBound,
            rare.variant.bounds.lowerBound,
            rare.variant.bounds.upperBound,
          ])
      }
    }
  }
}
