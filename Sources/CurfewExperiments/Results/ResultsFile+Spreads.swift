import CurfewText
import GRDB

/// Spreads of values and counts of decisions, which a page shows beside the comparisons.
extension ResultsFile {
  /// All percentiles of each measure that is a statistic of a distribution.
  static func spreads(_ database: Database, repetitions: Int) throws -> [ResultsSummary.Spread] {
    var spreads: [ResultsSummary.Spread] = []
    let measures = try Row.fetchAll(
      database, sql: "SELECT id, figure, app, about FROM measure ORDER BY id")
    for measure in measures {
      let (number, figure): (Int, String) = (measure["id"], measure["figure"])
      guard FigureCatalog.isOfDistribution(figure), let point = figure.lastIndex(of: ".") else {
        continue
      }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT run.variant AS variant, metric.figure AS figure, avg(value.value) AS mean
          FROM metric JOIN value ON value.metric = metric.id JOIN run ON run.id = value.run
          WHERE metric.app = ? AND metric.about = ? AND metric.figure LIKE ? || '.%' AND run.repetition < ?
          GROUP BY run.variant, metric.id HAVING mean IS NOT NULL ORDER BY run.variant
          """, arguments: [measure["app"], measure["about"], String(figure[..<point]), repetitions])
      var quantiles: [Int: [ResultsSummary.Spread.Quantile]] = [:]
      for row in rows {
        let (variant, name, value): (Int, String, Double) = (
          row["variant"], row["figure"], row["mean"]
        )
        guard
          let share = share(
            of: name[name.index(after: name.lastIndex(of: ".") ?? name.startIndex)...])
        else { continue }
        quantiles[variant, default: []].append(.init(share: share, value: value))
      }
      spreads += quantiles.sorted { $0.key < $1.key }.map { variant, quantiles in
        .init(
          variant: variant - 1, measure: number - 1,
          quantiles: quantiles.sorted { $0.share < $1.share })
      }
    }
    return spreads
  }

  /// The share that a percentile's name stands for: 0.9 for `p90`. Nil for other
  /// statistics. The maximum is excluded too, because the maximum over all runs is not the mean of
  /// the runs' maxima.
  private static func share(of name: Substring) -> Double? {
    name.first == "p" ? Double(name.dropFirst()).map { $0 / 100 } : nil
  }

  static func decisions(_ database: Database, variants: Int, repetitions: Int) throws
    -> [ResultsSummary.Decisions]
  {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT metric.about AS kind, metric.figure AS figure, run.variant AS variant, total(value.value) / made.days AS count
        FROM metric JOIN value ON value.metric = metric.id JOIN run ON run.id = value.run
          JOIN (SELECT variant, count(*) * (SELECT devices * days FROM experiment) AS days FROM run WHERE repetition < :repetitions GROUP BY variant) AS made
            ON made.variant = run.variant
        WHERE metric.app = '' AND (metric.figure = 'allowed' OR metric.figure LIKE 'denied.%') AND run.repetition < :repetitions
        GROUP BY metric.id, run.variant ORDER BY metric.about, metric.figure
        """, arguments: ["repetitions": repetitions])
    var decisions: [(kind: String, reasons: String, counts: [Double])] = []
    for row in rows {
      let (kind, figure, variant): (String, String, Int) = (
        row["kind"], row["figure"], row["variant"]
      )
      let reasons = figure == "allowed" ? "" : String(figure.dropFirst("denied.".count))
      if decisions.last.map({ $0.kind == kind && $0.reasons == reasons }) != true {
        decisions.append((kind, reasons, [Double](repeating: 0, count: variants)))
      }
      if (1...variants).contains(variant) {
        decisions[decisions.count - 1].counts[variant - 1] = row["count"]
      }
    }
    return decisions.map { .init(kind: $0.kind, reasons: $0.reasons, counts: $0.counts) }
  }
}
