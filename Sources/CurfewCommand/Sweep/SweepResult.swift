import CurfewExperiments
import CurfewText

/// What a sweep has found, for a program.
struct SweepResult {
  let summary: ResultsSummary
  let file: String
  let isWhole: Bool

  /// `sweep/2`.
  static let form = ResultForm<SweepResult>(
    "What an experiment's runs say: one object on one line.",
    [
      .format("sweep/2"), .text("name", "The experiment's.") { $0.summary.name },
      .text("question", optional: true) { $0.summary.question },
      .text("results", "The file that keeps the runs.") { $0.file },
      .flag("whole", "Whether all runs were made that were wanted.") { $0.isWhole },
      .text(
        "seed", "In digits, because many readers take a number of more than 53 bits for another."
      ) { String($0.summary.seed) },
      .count("devices", "Of each run.") { $0.summary.devices },
      .count("runs", "How many are in the file.") { $0.summary.runs },
      .count("repetitions", "How many the comparisons rest on.") { $0.summary.repetitions },
      .count(
        "lookedAt",
        "After how many repetitions results were seen before something else was asked, which no interval knows of.",
        optional: true
      ) { $0.summary.lookedAt },
      .measured("level", "How likely all intervals together are to hold the true differences.") {
        $0.summary.level
      },
      .text("baseline", "The variant that the others are compared with.") {
        $0.summary.variants[$0.summary.baseline].name
      },
      .text("answer", "In a sentence or two.") { SweepSentence($0.summary).text },
      .objects("builds", ResultsFile.Build.form, "What made the runs.") { $0.summary.builds },
      .objects(
        "missing", MissingKindOfVariant.form,
        "Kinds that apps use, and that their variant's policy has no row for."
      ) {
        $0.summary.missing
      },
      .objects("comparisons", comparison, "Measure by measure, each variant but the baseline.") {
        result in
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
      .measured("baselineMean", "Absent where there is none, as all that follow.", optional: true) {
        $0.comparison.baselineMean
      },
      .measured("mean", optional: true) { $0.comparison.mean },
      .measured(
        "difference", "The mean of the variant's value less the baseline's.", optional: true
      ) { $0.comparison.difference },
      .measured(
        "skewness",
        "The sample skewness (G1) of the differences; absent of fewer than three, and where all are equal.",
        optional: true
      ) { $0.comparison.skewness },
      .measured(
        "low", "What holds the true difference: from; absent where there is no interval.",
        optional: true
      ) { $0.comparison.low },
      .measured("high", "To.", optional: true) { $0.comparison.high },
      .all(of: RareResult.form, optional: true) { $0.comparison.rare },
      .text("verdict", words: Verdict.names) { $0.comparison.verdict.name },
    ])
}
