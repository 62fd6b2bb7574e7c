import CurfewStatistics
import GRDB

/// Means of each variant alone, and bounds of events that are too rare to compare.
extension ResultsFile {
  /// The mean of each measure in each variant, over the first `repetitions` repetitions.
  static func means(_ database: Database, repetitions: Int) throws -> [ResultsSummary.Mean] {
    guard let head = try Row.fetchOne(database, sql: "SELECT devices, days, level FROM experiment")
    else { return [] }
    let level = Family(comparisons: 1, confidence: head["level"]).levelOfEach
    let evidences = try Row.fetchAll(
      database, sql: "SELECT figure, divisor FROM measure ORDER BY id"
    ).map { row in
      var measure = Measure(name: "", figure: row["figure"])
      measure.per = row["divisor"] == "deviceDay" ? .deviceDay : .fleet
      return measure.evidence(devices: head["devices"], days: head["days"])
    }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT measure.id AS measure, variant.id AS variant, value FROM measured
        JOIN measure ON measure.name = measured.measure JOIN variant ON variant.name = measured.variant
        WHERE repetition < ? ORDER BY measure.id, variant.id, repetition
        """, arguments: [repetitions])
    var means: [(measure: Int, variant: Int, values: [Double])] = []
    while let row = try rows.next() {
      let (measure, variant, value): (Int, Int, Double?) = (
        row["measure"], row["variant"], row["value"]
      )
      if means.last.map({ $0.measure == measure && $0.variant == variant }) != true {
        means.append((measure, variant, []))
      }
      if let value { means[means.count - 1].values.append(value) }
    }
    return means.map { found in
      let evidence =
        evidences.indices.contains(found.measure - 1) ? evidences[found.measure - 1] : .other
      return ResultsSummary.Mean(
        variant: found.variant - 1, measure: found.measure - 1,
        mean: found.values.isEmpty ? nil : PairedDifferences(found.values).mean,
        interval: interval(of: found.values, evidence, level: level))
    }
  }

  /// The measures for which every run of every variant has the value 0 or no value.
  static func unmeasured(_ database: Database) throws -> [ResultsSummary.Unmeasured] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT measure.id AS measure, count(*) AS runs, count(value) AS zeros FROM measured
        JOIN measure ON measure.name = measured.measure GROUP BY measure.id
        HAVING ifnull(max(abs(value)), 0) = 0 AND count(DISTINCT variant) = (SELECT count(*) FROM variant) ORDER BY measure.id
        """
    ).map {
      ResultsSummary.Unmeasured(
        measure: ($0["measure"] as Int) - 1, runs: $0["runs"], zeros: $0["zeros"])
    }
  }

  /// The interval of the mean. For events that are rare, or whose number is equal in all
  /// repetitions, the bounds of that number.
  private static func interval(of values: [Double], _ evidence: Evidence, level: Double)
    -> ClosedRange<Double>?
  {
    let sample = PairedDifferences(values)
    guard case .events(let scale) = evidence, !values.isEmpty else {
      return sample.areAllEqual ? nil : sample.interval(level: level)
    }
    return RareEvents.bounds(of: values, scale, level: level) ?? sample.interval(level: level)
  }

  /// The bounds of rare events, by the file's numbers of measure and variant.
  static func rareEvents(_ database: Database) throws -> [[Int]: RareEvents] {
    let rows = try Row.fetchAll(database, sql: "SELECT * FROM rare")
    return Dictionary(
      rows.map { row in
        func side(_ name: String) -> RareEvents.Side {
          .init(
            events: row[name + "events"],
            bounds: (row[name + "at_least"] as Double)...(row[name + "at_most"] as Double))
        }
        let rare = RareEvents(
          baseline: side("baseline_"), variant: side(""), deviceDays: row["device_days"])
        return ([row["measure"], row["variant"]], rare)
      }, uniquingKeysWith: { first, _ in first })
  }
}
