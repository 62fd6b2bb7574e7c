import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import GRDB

extension Experiment {
  /// Sixteen hex digits that stand for what its runs give: variants, devices, length, seeds and the release, without names, measures and numbers of repetitions.
  public var digest: String {
    var digest = TextDigest()
    digest.add("\(Release.version) \(devices) \(length.nanoseconds) \(seed) \(pairing.rawValue) \(baseline)\n")
    for variant in variants { digest.add("\(variant.name) \(variant.workload.policy.digest) \(variant.workload.digest)\n") }
    return digest.digits
  }
}

extension ResultsFile {
  /// Writes what cannot change: variants, seeds, lengths.
  static func insertPlan(of experiment: Experiment, into database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO experiment (id, name, seed, devices, days, pairing, at_least, at_most, level, baseline, version, digest)
        VALUES (1, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?)
        """,
      arguments: [
        experiment.name, Int64(bitPattern: experiment.seed), experiment.devices, Double(experiment.length.nanoseconds) / 86_400e9,
        experiment.pairing.rawValue, experiment.baseline + 1, Release.version, experiment.digest,
      ])
    for (index, variant) in experiment.variants.enumerated() {
      let workload = variant.workload
      try database.execute(
        sql: "INSERT INTO variant (id, name, policy, policy_digest, workload, workload_digest) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [index + 1, variant.name, workload.policy.name, workload.policy.digest, workload.name, workload.digest])
      for setting in variant.settings {
        try database.execute(
          sql: "INSERT INTO setting (variant, path, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
          arguments: [index + 1, setting.path, setting.text])
      }
    }
  }

  /// Writes what the experiment asks now, in the place of what it asked before.
  static func insertQuestion(of experiment: Experiment, into database: Database) throws {
    // Who has seen an answer, and then asks for more repetitions, looks once more than was planned.
    try database.execute(
      sql: "UPDATE experiment SET answered_at = at_most WHERE at_most < ? AND answered_at IS NULL AND EXISTS (SELECT 1 FROM comparison)",
      arguments: [experiment.repetitions.upperBound])
    try database.execute(
      sql: "UPDATE experiment SET name = ?, question = ?, about = ?, at_least = ?, at_most = ?, level = ?",
      arguments: [
        experiment.name, experiment.question, experiment.about, experiment.repetitions.lowerBound, experiment.repetitions.upperBound,
        experiment.level,
      ])
    try database.execute(sql: "DELETE FROM comparison; DELETE FROM measure; DELETE FROM published; DELETE FROM parameter")
    for (index, text) in experiment.published.enumerated() {
      try database.execute(sql: "INSERT INTO published (id, text) VALUES (?, ?)", arguments: [index + 1, text])
    }
    for (index, parameter) in experiment.parameters.enumerated() {
      try database.execute(
        sql: "INSERT INTO parameter (id, name, path) VALUES (?, ?, ?)", arguments: [index + 1, parameter.name, parameter.path])
    }
    for (index, measure) in experiment.measures.enumerated() {
      try database.execute(
        sql: "INSERT INTO measure (id, name, figure, app, about, unit, divisor, margin) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          index + 1, measure.name, measure.figure, measure.app, measure.about, measure.unit, ResultsLayout.divisor(of: measure),
          measure.margin?.text,
        ])
    }
  }
}
