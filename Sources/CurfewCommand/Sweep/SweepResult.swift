import CurfewExperiments
import CurfewStatistics
import CurfewText

/// The results of a sweep, for a program.
struct SweepResult {
  let summary: ResultsSummary
  let file: String
  let isWhole: Bool

  /// `sweep/2`.
  static let form = ResultForm<SweepResult>(
    "The results of an experiment: one object on one line.",
    [
      .format("sweep/2"), .text("name", "The experiment's name.") { $0.summary.name },
      .text("question", optional: true) { $0.summary.question },
      .text("results", "The file that keeps the runs.") { $0.file },
      .flag("whole", "Whether all requested runs were performed.") { $0.isWhole },
      .text(
        "seed", "As text, because many parsers round integers of more than 53 bits."
      ) { String($0.summary.seed) },
      .count("devices", "The number of devices in each run.") { $0.summary.devices },
      .count("runs", "The number of runs in the file.") { $0.summary.runs },
      .count("repetitions", "The number of repetitions that the comparisons are based on.") {
        $0.summary.repetitions
      },
      .count(
        "lookedAt",
        "The number of repetitions after which results were seen, before the question was changed. No interval accounts for this.",
        optional: true
      ) { $0.summary.lookedAt },
      .measured(
        "level", "The probability that all intervals simultaneously contain the true differences."
      ) {
        $0.summary.level
      },
      .text("baseline", "The variant that the others are compared with.") {
        $0.summary.variants[$0.summary.baseline].name
      },
      .text("answer", "The answer in one or two sentences.") { SweepSentence($0.summary).text },
      .objects("builds", ResultsFile.Build.form, "The builds that made the runs.") {
        $0.summary.builds
      },
      .objects(
        "missing", MissingKindOfVariant.form,
        "Kinds that apps use without a row in their variant's policy."
      ) {
        $0.summary.missing
      },
      .objects(
        "comparisons", comparison,
        "For each measure, one comparison for each variant except the baseline."
      ) {
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
      .count("pairs", "The number of repetitions in which both variants have a value.") {
        $0.comparison.pairs
      },
      .measured(
        "baselineMean", "Absent if the baseline has no value; the keys below are then absent too.",
        optional: true
      ) {
        $0.comparison.baselineMean
      },
      .measured("mean", optional: true) { $0.comparison.mean },
      .measured(
        "difference", "The mean of the variant's value minus the baseline's.", optional: true
      ) { $0.comparison.difference },
      .measured(
        "skewness",
        "The sample skewness (G1) of the differences; absent if there are fewer than three or if all are equal.",
        optional: true
      ) { $0.comparison.skewness },
      .measured(
        "low", "The lower end of the interval of the true difference; absent without an interval.",
        optional: true
      ) { $0.comparison.low },
      .measured("high", "The upper end.", optional: true) { $0.comparison.high },
      .all(of: RareResult.form, optional: true) { $0.comparison.rare },
      .text("verdict", words: Verdict.names) { $0.comparison.verdict.name },
    ])
}
