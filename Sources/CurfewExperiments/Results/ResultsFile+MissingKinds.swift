import GRDB

extension ResultsFile {
  static func insertMissingKinds(of experiment: Experiment, into database: Database) throws {
    for missing in experiment.missingKinds {
      try database.execute(
        sql:
          "INSERT INTO missing (variant, app, class, kind) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        arguments: [
          missing.variant + 1, missing.app, missing.isWake ? "wake" : "session", missing.kind,
        ])
    }
  }

  static func missingKinds(_ database: Database) throws -> [MissingKind] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT variant, variant.policy AS policy, app, class, kind FROM missing JOIN variant ON variant.id = missing.variant
        ORDER BY variant, missing.rowid
        """
    ).map {
      MissingKind(
        variant: ($0["variant"] as Int) - 1, policy: $0["policy"], app: $0["app"], kind: $0["kind"],
        isWake: ($0["class"] as String) == "wake")
    }
  }
}
