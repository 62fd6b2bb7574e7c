import CurfewEngine
import CurfewPolicy
import CurfewRelease
import CurfewSimulation
import CurfewText
import GRDB

extension Experiment {
  /// Sixteen hex digits that identify the runs: a digest of variants, devices, length, seeds
  /// with their pairing, and `looksBack`. The experiment's name, measures, baseline, numbers
  /// of repetitions and build are not part of it.
  package var digest: String {
    var digest = TextDigest()
    digest.add(
      "\(devices) \(length.nanoseconds) \(seed) \(pairing.rawValue)\(looksBack ? " looks back" : "")\n"
    )
    for variant in variants {
      digest.add("\(variant.name) \(variant.workload.policy.digest) \(variant.workload.digest)\n")
    }
    return digest.digits
  }
}

extension ResultsFile {
  /// Writes the part of an experiment that never changes: variants, seeds, lengths.
  static func insertPlan(of experiment: Experiment, into database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO experiment (id, name, seed, devices, days, pairing, at_least, at_most, level, baseline, version, digest)
        VALUES (1, ?, ?, ?, ?, ?, 0, 0, 0, 1, ?, ?)
        """,
      arguments: [
        experiment.name, Int64(bitPattern: experiment.seed), experiment.devices, experiment.days,
        experiment.pairing.rawValue,
        Release.build, experiment.digest,
      ])
    for (index, variant) in experiment.variants.enumerated() {
      let workload = variant.workload
      try database.execute(
        sql:
          "INSERT INTO variant (id, name, policy, policy_digest, workload, workload_digest) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          index + 1, variant.name, workload.policy.name, workload.policy.digest, workload.name,
          workload.digest,
        ])
      for setting in variant.settings {
        try database.execute(
          sql:
            "INSERT INTO setting (variant, path, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
          arguments: [index + 1, setting.path, setting.text])
      }
    }
    try insertMissingKinds(of: experiment, into: database)
  }

  /// Replaces the question in the file with the experiment's question. Comparisons in the file are
  /// kept only if the question is the same.
  static func insertQuestion(of experiment: Experiment, into database: Database) throws {
    if try question(in: database) != question(of: experiment) {
      // Changing the question after seeing results is a look that the plan does not account for.
      try database.execute(
        sql:
          "UPDATE experiment SET looked_at = ifnull(looked_at, evaluated), evaluated = NULL; DELETE FROM rare; DELETE FROM comparison; DELETE FROM measure"
      )
    }
    try database.execute(
      sql:
        "UPDATE experiment SET name = ?, question = ?, about = ?, at_least = ?, at_most = ?, level = ?, baseline = ?",
      arguments: [
        experiment.name, experiment.question, experiment.about, experiment.repetitions.lowerBound,
        experiment.repetitions.upperBound,
        experiment.level, experiment.baseline + 1,
      ])
    try database.execute(sql: "DELETE FROM published; DELETE FROM parameter")
    for (index, text) in experiment.published.enumerated() {
      try database.execute(
        sql: "INSERT INTO published (id, text) VALUES (?, ?)", arguments: [index + 1, text])
    }
    for (index, parameter) in experiment.parameters.enumerated() {
      try database.execute(
        sql: "INSERT INTO parameter (id, name, path) VALUES (?, ?, ?)",
        arguments: [index + 1, parameter.name, parameter.path])
    }
    for (index, measure) in experiment.measures.enumerated() {
      try database.execute(
        sql:
          "INSERT INTO measure (id, name, figure, app, about, unit, divisor, margin) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        arguments: StatementArguments([index + 1] + row(of: measure)))
    }
  }

  private static func row(of measure: Measure) -> [(any DatabaseValueConvertible)?] {
    [
      measure.name, measure.figure, measure.app, measure.about, measure.unit,
      ResultsLayout.divisor(of: measure), measure.margin?.text,
    ]
  }

  /// Everything that the comparisons depend on, except the runs, as text.
  private static func question(of experiment: Experiment) -> String {
    let measures = experiment.measures.map {
      row(of: $0).map { $0.map { "\($0)" } ?? "" }.joined(separator: "|")
    }
    let (repetitions, level) = (
      experiment.repetitions, HumanNumber.decimal(experiment.level, places: 6)
    )
    return
      (["\(repetitions.lowerBound) \(repetitions.upperBound) \(level) \(experiment.baseline + 1)"]
      + measures).joined(separator: "\n")
  }

  /// The same text for the question in the file.
  static func question(in database: Database) throws -> String {
    let head = try Row.fetchOne(
      database, sql: "SELECT at_least, at_most, level, baseline FROM experiment")
    let measures = try Row.fetchAll(
      database,
      sql: "SELECT name, figure, app, about, unit, divisor, margin FROM measure ORDER BY id"
    ).map {
      row in
      row.databaseValues.map { String.fromDatabaseValue($0) ?? "" }.joined(separator: "|")
    }
    guard let head else { return "" }
    let (least, most, level, baseline): (Int, Int, Double, Int) = (
      head["at_least"], head["at_most"], head["level"], head["baseline"]
    )
    return (["\(least) \(most) \(HumanNumber.decimal(level, places: 6)) \(baseline)"] + measures)
      .joined(separator: "\n")
  }

  /// Whether the file still has the experiment's question: another sweep may have changed it.
  static func asks(_ experiment: Experiment, _ database: Database) throws -> Bool {
    try question(in: database) == question(of: experiment)
  }
}
