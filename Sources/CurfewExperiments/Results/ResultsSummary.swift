package import CurfewStatistics
import CurfewText
import GRDB

/// The contents of a results file for tables and pages, read from the file alone.
package struct ResultsSummary: Sendable {
  /// The experiment's name.
  package let name: String
  /// The experiment's question.
  package let question: String?
  /// The description.
  package let about: String?
  /// Published results about the question, each with its source.
  package let published: [String]
  /// The seed from which all seeds are derived.
  package let seed: UInt64
  /// The number of devices in each run.
  package let devices: Int
  /// The number of days for which each device ran.
  package let days: Double
  /// Whether variants share seeds: `common` or `independent`.
  package let pairing: String
  /// The probability that all intervals simultaneously contain the true differences.
  package let level: Double
  /// The builds that made the runs.
  package let builds: [ResultsFile.Build]
  /// The digest of variants, devices, length and seeds.
  package let digest: String
  /// The variants, in their order.
  package let variants: [Variant]
  /// The index of the variant that the others are compared with.
  package let baseline: Int
  /// The kinds that a variant's workload uses but its policy has no row for.
  package let missingKinds: [MissingKind]
  /// The measures that are zero or have no value in every run of every variant, whether compared
  /// or not.
  package let unmeasured: [Unmeasured]
  /// The parameters that are varied; empty if the file lists the variants.
  package let parameters: [(name: String, path: String)]
  /// The measures, in their order.
  package let measures: [Measure]
  /// The minimum and the maximum planned number of repetitions.
  package let planned: ClosedRange<Int>
  /// The number of repetitions that were compared before the question changed, for instance to more
  /// repetitions or other measures; nil if it did not change. The intervals do not account for
  /// that look.
  package let lookedAt: Int?
  /// The number of repetitions that the comparisons use.
  package let repetitions: Int
  /// The number of runs.
  package let runs: Int
  /// The total duration of the runs.
  package let seconds: Double
  /// The comparisons, measure by measure, of each variant except the baseline. Empty before
  /// the first look, and in the results of a sweep's part.
  package let comparisons: [Comparison]
  /// The means, measure by measure, of each variant alone, over the repetitions that the
  /// comparisons use.
  package let means: [Mean]
  /// The spreads of values, for measures of distributions.
  package let spreads: [Spread]
  /// The decisions by kind and reasons, in the order of kinds.
  package let decisions: [Decisions]

  /// A variant with its policy, workload and settings.
  package struct Variant: Hashable, Sendable {
    /// The name.
    package let name: String
    /// Its policy's name.
    package let policy: String
    /// The digest of the policy's values.
    package let policyDigest: String
    /// Its workload's name.
    package let workload: String
    /// The digest of the workload's values.
    package let workloadDigest: String
    /// The values that the variant sets, by path.
    package let settings: [String: String]
  }

  /// The spread of a measure's values in a variant; the measure is a statistic of a distribution.
  package struct Spread: Hashable, Sendable {
    /// The variant's index.
    package let variant: Int
    /// The measure's index.
    package let measure: Int
    /// The quantiles, each the mean over the repetitions.
    package let quantiles: [Quantile]

    /// A share of all values, and the value that this share does not exceed.
    package struct Quantile: Hashable, Sendable {
      /// The share, from 0 to 1.
      package let share: Double
      /// The value, in the measure's unit.
      package let value: Double
    }
  }

  /// The number of decisions with one outcome, of all apps together.
  package struct Decisions: Hashable, Sendable {
    /// The kind that was asked for.
    package let kind: String
    /// The reasons of the denial, joined by `+`; empty if allowed.
    package let reasons: String
    /// The decisions per device and day, in each variant.
    package let counts: [Double]
  }

  /// A figure that is measured.
  package struct Measure: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The figure.
    package let figure: String
    /// The unit of its numbers: `per device and day`.
    package let unit: String
    /// The smallest difference that matters, as written in files; nil if every difference matters.
    package let margin: String?
  }

  /// The comparison of a variant with the baseline by one measure.
  package struct Comparison: Hashable, Sendable {
    /// The variant's index.
    package let variant: Int
    /// The measure's index.
    package let measure: Int
    /// The number of repetitions in which both variants have a value.
    package let pairs: Int
    /// The baseline's mean.
    package let baselineMean: Double?
    /// The variant's mean.
    package let mean: Double?
    /// The mean difference.
    package let difference: Double?
    /// The sample skewness of the differences; nil for fewer than three, and if all are equal.
    package let skewness: Double?
    /// The lower end of the interval of the true difference.
    package let low: Double?
    /// The upper end of the interval of the true difference.
    package let high: Double?
    /// The verdict.
    package let verdict: Verdict
    /// The bounds that replace the interval if events are too rare to compare.
    package let rare: RareEvents?

    /// The interval, if there is one.
    package var interval: ClosedRange<Double>? {
      low.flatMap { low in high.map { low...max(low, $0) } }
    }
    /// Whether the verdict is an answer.
    package var isDecided: Bool { verdict.isDecided }
    /// Whether the difference is meaningful. It is not if a kind on which the measure depends
    /// is missing in only one of the two variants.
    package var isComparable: Bool { verdict != .notComparable }
    /// Whether the interval excludes zero.
    package var differs: Bool { verdict.direction != nil }
  }

  /// The mean of a measure in one variant alone.
  package struct Mean: Hashable, Sendable {
    /// The variant's index.
    package let variant: Int
    /// The measure's index.
    package let measure: Int
    /// The mean of its repetitions; nil if none has a value.
    package let mean: Double?
    /// The interval of this mean alone, at the experiment's level. If the measure counts fewer than
    /// 20 events, or the same number of events in every repetition, the interval consists of the
    /// bounds of that number. Nil for any other measure with equal values in every repetition,
    /// and for fewer than two values.
    package let interval: ClosedRange<Double>?
  }

  /// A measure that is zero or has no value in every run.
  package struct Unmeasured: Hashable, Sendable {
    /// The measure's index.
    package let measure: Int
    /// The number of runs.
    package let runs: Int
    /// The number of runs with the value 0; the others have no value.
    package let zeros: Int

    /// `is 0 in all 16 runs`.
    package var words: String {
      let all = "all \(HumanCount.text(runs, "run"))"
      if zeros == runs { return "is 0 in \(all)" }
      return zeros == 0 ? "has no value in \(all)" : "is 0 or has no value in \(all)"
    }
  }

  /// The warnings about unmeasured measures, printed before any
  /// result: `kills is 0 in all 16 runs: nothing was measured`.
  package var warnings: [String] {
    unmeasured.map { "\(measures[$0.measure].name) \($0.words): nothing was measured" }
  }

  /// The looks of the plan, in words:
  /// ` of 5 to 40 planned, with looks after 5, 10, 20, 40`; empty if there is only one look.
  package var looks: String {
    guard planned.lowerBound < planned.upperBound else { return "" }
    let isOpen = comparisons.contains { $0.isComparable && !$0.isDecided }
    let looks = SequentialPlan(atLeast: planned.lowerBound, atMost: planned.upperBound, level: 0.05)
      .looks
    return
      " of \(planned.lowerBound) to \(planned.upperBound) planned, with looks after \(looks.map(String.init).joined(separator: ", "))\(isOpen ? "" : " until all comparisons were decided")"
  }

  /// The warning if the question was changed after results had been seen.
  package var afterthought: String? {
    lookedAt.map {
      "The results were seen after \($0) repetitions, and the question was changed afterwards: a chance difference is more likely than these intervals suggest. "
        + "To plan for more repetitions from the beginning, use 'repetitions: {atLeast: …, atMost: …}'."
    }
  }
}

extension ResultsFile {
  /// Reads the summary of the file.
  package func summary() throws(ResultsError) -> ResultsSummary {
    try read { database in
      guard let head = try Row.fetchOne(database, sql: "SELECT * FROM experiment") else {
        throw ResultsError(.notResults, self.path, "the file has no experiment")
      }
      let settings = try Row.fetchAll(database, sql: "SELECT variant, path, value FROM setting")
      let variants = try Row.fetchAll(database, sql: "SELECT * FROM variant ORDER BY id").map {
        row in
        let own = settings.filter { ($0["variant"] as Int) == row["id"] }.map {
          ($0["path"] as String, $0["value"] as String)
        }
        return ResultsSummary.Variant(
          name: row["name"], policy: row["policy"], policyDigest: row["policy_digest"],
          workload: row["workload"],
          workloadDigest: row["workload_digest"],
          settings: Dictionary(own, uniquingKeysWith: { $1 }))
      }
      let evaluated = head["evaluated"] as Int? ?? 0
      let rare = try ResultsFile.rareEvents(database)
      let comparisons = try Row.fetchAll(
        database, sql: "SELECT * FROM comparison ORDER BY measure, variant"
      ).map { row in
        guard let verdict = Verdict(named: row["verdict"]) else {
          throw ResultsError(
            .notResults, self.path, "the verdict '\(row["verdict"] as String)' is unknown")
        }
        return ResultsSummary.Comparison(
          variant: (row["variant"] as Int) - 1, measure: (row["measure"] as Int) - 1,
          pairs: row["pairs"],
          baselineMean: row["baseline_mean"],
          mean: row["mean"], difference: row["difference"], skewness: row["skewness"],
          low: row["low"], high: row["high"],
          verdict: verdict, rare: rare[[row["measure"], row["variant"]]])
      }
      return ResultsSummary(
        name: head["name"], question: head["question"], about: head["about"],
        published: try String.fetchAll(database, sql: "SELECT text FROM published ORDER BY id"),
        seed: UInt64(bitPattern: head["seed"]), devices: head["devices"], days: head["days"],
        pairing: head["pairing"],
        level: head["level"],
        builds: try ResultsFile.builds(database), digest: head["digest"], variants: variants,
        baseline: (head["baseline"] as Int) - 1,
        missingKinds: try ResultsFile.missingKinds(database),
        unmeasured: try ResultsFile.unmeasured(database),
        parameters: try Row.fetchAll(database, sql: "SELECT name, path FROM parameter ORDER BY id")
          .map { ($0["name"], $0["path"]) },
        measures: try Row.fetchAll(
          database, sql: "SELECT name, figure, unit, margin FROM measure ORDER BY id"
        ).map {
          ResultsSummary.Measure(
            name: $0["name"], figure: $0["figure"], unit: $0["unit"], margin: $0["margin"])
        },
        planned: (head["at_least"] as Int)...max(head["at_least"], head["at_most"]),
        lookedAt: head["looked_at"], repetitions: evaluated,
        runs: try Int.fetchOne(database, sql: "SELECT count(*) FROM run") ?? 0,
        seconds: try Double.fetchOne(database, sql: "SELECT total(seconds) FROM run") ?? 0,
        comparisons: comparisons,
        means: try ResultsFile.means(database, repetitions: evaluated),
        spreads: try ResultsFile.spreads(database, repetitions: evaluated),
        decisions: try ResultsFile.decisions(
          database, variants: variants.count, repetitions: evaluated))
    }
  }
}
