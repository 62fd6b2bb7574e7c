import CurfewText
import GRDB

/// What a results file says, as a table or a page tells it: read from the file alone.
package struct ResultsSummary: Sendable {
  /// The experiment's name.
  package let name: String
  /// What it asks.
  package let question: String?
  /// What it is about.
  package let about: String?
  /// What others have published about the question, each with its source.
  package let published: [String]
  /// What all seeds were derived from.
  package let seed: UInt64
  /// How many devices each run has.
  package let devices: Int
  /// How many days each device ran.
  package let days: Double
  /// Whether variants share seeds: `common` or `independent`.
  package let pairing: String
  /// How likely all intervals together are to hold the true differences.
  package let level: Double
  /// The builds that made the runs.
  package let builds: [ResultsFile.Build]
  /// What stands for variants, devices, length and seeds.
  package let digest: String
  /// The variants, in their order.
  package let variants: [Variant]
  /// The place of the one that the others are compared with.
  package let baseline: Int
  /// Kinds that the variants' workloads use, and that their policies have no rows for.
  package let missingKinds: [MissingKind]
  /// The measures that are zero, or have no value, in every run of every variant, compared or not:
  /// nothing was measured.
  package let unmeasured: [Unmeasured]
  /// What is varied; empty where the variants were written out.
  package let parameters: [(name: String, path: String)]
  /// What is measured.
  package let measures: [Measure]
  /// How many repetitions were planned: at least, and at most.
  package let planned: ClosedRange<Int>
  /// After how many repetitions the file was compared before it was asked otherwise: more
  /// repetitions, other measures; nil where it was not. The intervals know nothing of that.
  package let lookedAt: Int?
  /// How many repetitions the comparisons rest on.
  package let repetitions: Int
  /// How many runs there are.
  package let runs: Int
  /// How long they took, together.
  package let seconds: Double
  /// Measure by measure, each variant but the baseline; empty before the first look, and of a part
  /// of the runs.
  package let comparisons: [Comparison]
  /// Measure by measure, each variant by itself, over the repetitions that the comparisons rest on.
  package let means: [Mean]
  /// How the values are spread, where a measure is of a distribution.
  package let spreads: [Spread]
  /// What was decided and why, in the order of kinds.
  package let decisions: [Decisions]

  /// A variant, and what it was made of.
  package struct Variant: Hashable, Sendable {
    /// What it is called.
    package let name: String
    /// Its policy's name.
    package let policy: String
    /// What stands for the policy's values.
    package let policyDigest: String
    /// Its workload's name.
    package let workload: String
    /// What stands for the workload's values.
    package let workloadDigest: String
    /// What it sets: of each path the value.
    package let settings: [String: String]
  }

  /// How a measure's values are spread in a variant: the figure is one of a distribution.
  package struct Spread: Hashable, Sendable {
    /// The variant's place.
    package let variant: Int
    /// The measure's place.
    package let measure: Int
    /// A share of all values, and what so many do not exceed: the mean of the repetitions.
    package let quantiles: [Quantile]

    /// A point of the spread.
    package struct Quantile: Hashable, Sendable {
      /// From 0 to 1.
      package let share: Double
      /// In the measure's unit.
      package let value: Double
    }
  }

  /// How often something was decided, of all apps together.
  package struct Decisions: Hashable, Sendable {
    /// The kind that was asked for.
    package let kind: String
    /// What denied it; empty where it was allowed.
    package let reasons: String
    /// How often per device and day, in each variant.
    package let counts: [Double]
  }

  /// What is measured.
  package struct Measure: Hashable, Sendable {
    /// What it is called.
    package let name: String
    /// Which figure.
    package let figure: String
    /// What its numbers are: `per device and day`.
    package let unit: String
    /// The smallest difference that matters, as files write it; nil where each does.
    package let margin: String?
  }

  /// A variant beside the baseline.
  package struct Comparison: Hashable, Sendable {
    /// The variant's place.
    package let variant: Int
    /// The measure's place.
    package let measure: Int
    /// How many repetitions both have a value in.
    package let pairs: Int
    /// The baseline's mean.
    package let baselineMean: Double?
    /// The variant's mean.
    package let mean: Double?
    /// The mean difference.
    package let difference: Double?
    /// The sample skewness of the differences; nil of fewer than three, and where all are equal.
    package let skewness: Double?
    /// What holds the true difference.
    package let low: Double?
    /// What holds the true difference.
    package let high: Double?
    /// The verdict.
    package let verdict: Verdict
    /// In the place of an interval: what there is to say of events that are too rare to compare.
    package let rare: RareEvents?

    /// The interval, where there is one.
    package var interval: ClosedRange<Double>? {
      low.flatMap { low in high.map { low...max(low, $0) } }
    }
    /// Whether there is an answer.
    package var isDecided: Bool { verdict.isDecided }
    /// Whether it says something of the variants: no kind on which the measure depends is missing
    /// in one of them alone.
    package var isComparable: Bool { verdict != .notComparable }
    /// Whether the interval leaves out zero.
    package var differs: Bool { verdict.direction != nil }
  }

  /// A variant by itself.
  package struct Mean: Hashable, Sendable {
    /// The variant's place.
    package let variant: Int
    /// The measure's place.
    package let measure: Int
    /// The mean of its repetitions; nil where none has a value.
    package let mean: Double?
    /// The interval of each mean by itself, with the experiment's level. For events that are
    /// fewer than 20, or as many in every repetition, the bounds of their number; nil of anything
    /// else that is equal in every repetition, and of fewer than two.
    package let interval: ClosedRange<Double>?
  }

  /// A measure of nothing.
  package struct Unmeasured: Hashable, Sendable {
    /// The measure's place.
    package let measure: Int
    /// How many runs there are.
    package let runs: Int
    /// How many of them have the value 0; the others have none.
    package let zeros: Int

    /// `is 0 in all 16 runs`.
    package var words: String {
      let all = "all \(HumanCount.text(runs, "run"))"
      if zeros == runs { return "is 0 in \(all)" }
      return zeros == 0 ? "has no value in \(all)" : "is 0 or has no value in \(all)"
    }
  }

  /// The warnings about measures of nothing, printed before any result: `kills is 0 in all 16 runs:
  /// nothing was measured`.
  package var warnings: [String] {
    unmeasured.map { "\(measures[$0.measure].name) \($0.words): nothing was measured" }
  }

  /// When the plan had it look, in words:
  /// ` of 5 to 40 that were planned, with looks after 5, 10, 20, 40`; empty where it looks once.
  package var looks: String {
    guard planned.lowerBound < planned.upperBound else { return "" }
    let isOpen = comparisons.contains { $0.isComparable && !$0.isDecided }
    let looks = SequentialPlan(atLeast: planned.lowerBound, atMost: planned.upperBound, level: 0.05)
      .looks
    return
      " of \(planned.lowerBound) to \(planned.upperBound) that were planned, looked at after \(looks.map(String.init).joined(separator: ", "))\(isOpen ? "" : " until all was decided")"
  }

  /// What is to be said where something else was asked when results had been seen.
  package var afterthought: String? {
    lookedAt.map {
      "It was looked at after \($0) repetitions, and then asked otherwise: a difference by chance is likelier than these intervals say. "
        + "'repetitions: {atLeast: …, atMost: …}' plans for more from the beginning."
    }
  }
}

extension ResultsFile {
  /// What the file says.
  package func summary() throws(ResultsError) -> ResultsSummary {
    try read { database in
      guard let head = try Row.fetchOne(database, sql: "SELECT * FROM experiment") else {
        throw ResultsError(.notResults, self.path, "no experiment is in it")
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
