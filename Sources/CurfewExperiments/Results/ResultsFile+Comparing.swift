package import CurfewStatistics
import GRDB

/// The comparison of two variants by one figure.
package struct FigureDifference: Hashable, Sendable {
  /// The sort of app; empty for all together.
  package let app: String
  /// The subject: a kind, a state, a piece of work or a reason; empty for the app as a whole.
  package let about: String
  /// The figure.
  package let figure: String
  /// `count`, `s`, `ratio`, `perHour` or `weighted`. Totals are those of a whole run.
  package let unit: String
  /// The first variant's mean, over the repetitions in which both variants have a value.
  package let first: Double
  /// The second variant's mean, over the same repetitions.
  package let second: Double
  /// The finding on the differences, the second value less the first. Its interval, or its bounds
  /// of rare events, hold simultaneously with those of all other figures.
  package let finding: Finding

  /// The differences, one for each of these repetitions.
  package var differences: PairedDifferences { finding.differences }
  /// The interval of the true difference; see `Finding.interval`.
  package var interval: ClosedRange<Double>? { finding.interval }
  /// The verdict on the interval.
  package var verdict: Verdict { finding.verdict }
}

extension ResultsFile {
  /// Compares two variants by every figure that both have, in each repetition.
  ///
  /// - Parameter level: The probability that all intervals simultaneously contain the
  ///   true differences.
  /// - Returns: The differences, in the order of the figures' table. A figure that a run leaves out
  ///   because it is zero counts as 0.
  package func compare(_ first: Int, _ second: Int, level: Double = 0.95) throws(ResultsError)
    -> [FigureDifference]
  {
    let (devices, days) = try read { database in
      let head = try Row.fetchOne(database, sql: "SELECT devices, days FROM experiment")
      return (head?["devices"] as Int? ?? 1, head?["days"] as Double? ?? 1)
    }
    let rows = try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT m.id AS id, m.app AS app, m.about AS about, m.figure AS figure, m.unit AS unit, one.value AS one, two.value AS two,
            one.run IS NULL AS no_one, two.run IS NULL AS no_two
          FROM run AS a JOIN run AS b ON b.repetition = a.repetition AND b.variant = ? CROSS JOIN metric AS m
            LEFT JOIN value AS one ON one.run = a.id AND one.metric = m.id LEFT JOIN value AS two ON two.run = b.id AND two.metric = m.id
          WHERE a.variant = ? ORDER BY m.id, a.repetition
          """, arguments: [second + 1, first + 1])
    }
    var pairs: [(row: Row, values: [(Double, Double)])] = []
    for row in rows {
      if pairs.last.map({ ($0.row["id"] as Int64) == row["id"] }) != true {
        pairs.append((row, []))
      }
      let isZero = FigureCatalog.isZeroWhereAbsent(row["figure"])
      let one: Double? = row["one"] ?? (isZero && row["no_one"] ? 0 : nil)
      let two: Double? = row["two"] ?? (isZero && row["no_two"] ? 0 : nil)
      if let one, let two { pairs[pairs.count - 1].values.append((one, two)) }
    }
    let missing = try read { try ResultsFile.missingKinds($0) }
    let told = pairs.filter { !$0.values.isEmpty }
    guard !told.isEmpty else { return [] }
    let family = Family(comparisons: told.count, confidence: level)
    return told.map { row, values in
      var measure = Measure(name: "", figure: row["figure"])
      measure.per = .fleet
      let compares = missing.compares(
        row["figure"], app: row["app"], about: row["about"], between: first, and: second)
      let finding = Finding(
        values.map { (baseline: $0.0, value: $0.1) },
        of: compares ? measure.evidence(devices: devices, days: days) : .incomparable,
        level: family.levelOfEach, margin: nil)
      return FigureDifference(
        app: row["app"], about: row["about"], figure: row["figure"], unit: row["unit"],
        first: PairedDifferences(values.lazy.map(\.0)).mean,
        second: PairedDifferences(values.lazy.map(\.1)).mean, finding: finding)
    }
  }
}
