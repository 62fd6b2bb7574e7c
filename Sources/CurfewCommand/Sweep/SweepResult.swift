import CurfewExperiments
import CurfewText

/// What a sweep has found, for a program.
struct SweepResult {
  let summary: ResultsSummary
  let file: String
  let isWhole: Bool

  /// `sweep/1`.
  static let form = ResultForm<SweepResult>(
    "What an experiment's runs say: one object on one line.",
    [
      .format("sweep/1"), .text("name", "The experiment's.") { $0.summary.name },
      .text("question", optional: true) { $0.summary.question }, .text("results", "The file that keeps the runs.") { $0.file },
      .flag("whole", "Whether all runs were made that were wanted.") { $0.isWhole },
      .text("seed", "In digits, because many readers take a number of more than 53 bits for another.") { String($0.summary.seed) },
      .count("devices", "Of each run.") { $0.summary.devices },
      .count("runs", "How many are in the file.") { $0.summary.runs },
      .count("repetitions", "How many the comparisons rest on.") { $0.summary.repetitions },
      .count(
        "lookedAt", "After how many repetitions results were seen before something else was asked, which no interval knows of.",
        optional: true
      ) {
        $0.summary.lookedAt
      },
      .text("level", "How likely all intervals together are to hold the true differences, a decimal number.") {
        HumanNumber.decimal($0.summary.level, places: 6)
      },
      .text("baseline", "The variant that the others are compared with.") { $0.summary.variants[$0.summary.baseline].name },
      .text("answer", "In a sentence or two.") { SweepSentence($0.summary).text },
      .objects("comparisons", comparison, "Measure by measure, each variant but the baseline.") { result in
        result.summary.comparisons.map { Found(comparison: $0, summary: result.summary) }
      },
    ])

  struct Found {
    let comparison: ResultsSummary.Comparison
    let summary: ResultsSummary
  }

  private static let comparison = ResultForm<Found>(
    "",
    [
      .text("measure") { $0.summary.measures[$0.comparison.measure].name },
      .text("unit") { $0.summary.measures[$0.comparison.measure].unit },
      .text("variant") { $0.summary.variants[$0.comparison.variant].name },
      .count("pairs", "Repetitions that both have a value in.") { $0.comparison.pairs },
      .text("baselineMean", "A decimal number, as all that follow; absent where there is none.", optional: true) {
        decimal($0.comparison.baselineMean)
      },
      .text("mean", optional: true) { decimal($0.comparison.mean) },
      .text("difference", "The mean of the variant's value less the baseline's.", optional: true) { decimal($0.comparison.difference) },
      .number(
        "skewness", "The sample skewness (G1) of the differences; absent of fewer than three, and where all are equal.", optional: true,
        places: 6
      ) { $0.comparison.skewness },
      .text("low", "What holds the true difference: from; absent where there is no interval.", optional: true) {
        decimal($0.comparison.low)
      },
      .text("high", "To.", optional: true) { decimal($0.comparison.high) },
      .all(of: RareResult.form, optional: true) { $0.comparison.rare }, .text("verdict", words: Verdict.names) { $0.comparison.verdict },
    ])

  static func decimal(_ value: Double?) -> String? { value.flatMap { $0.isFinite ? HumanNumber.decimal($0, places: 9) : nil } }
}
