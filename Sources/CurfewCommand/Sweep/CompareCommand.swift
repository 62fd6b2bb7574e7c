import ArgumentParser
import CurfewConsole
import CurfewExperiments
import CurfewStatistics
import CurfewText

/// `curfew compare`: compares two variants by every figure.
struct CompareCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract:
      "Compares every figure of two variants of an experiment: which figures differ, by how much, and with what certainty.",
    discussion: """
      The figures are those of whole runs. Differences are computed for each repetition. Their intervals hold jointly with 95 % confidence, whatever the number of figures. \
      Without a variant, lists the variants.

      Exit codes: 0 compared; 4 the file holds no results; 7 no difference is certain, a measure of the experiment is zero in every run, or some figures depend on a
      kind that only one of the policies has; 64 usage.
      """)

  @Argument(help: "The results of 'curfew sweep'.", completion: .results)
  var results: String

  @Argument(help: "A variant, such as grant=180s.", completion: .variants)
  var first: String?

  @Argument(
    help: "Another variant. Default: the first is compared with the baseline.",
    completion: .variants)
  var second: String?

  @Flag(help: "Print every figure, not only those that differ.")
  var all = false

  @Flag(help: "Print the result as JSON, and messages also as JSON.")
  var json = false

  func run(on console: Console) throws {
    do {
      let file = try ResultsFile.read(results)
      let summary = try file.summary()
      guard let first else {
        if json {
          throw Refusal(
            "--json needs a variant to compare; expected one of \(summary.variants.map(\.name).joined(separator: ", "))"
          )
        }
        return try list(summary, console)
      }
      let names = try
        (second == nil ? [summary.variants[summary.baseline].name, first] : [first, second ?? ""])
        .map {
          try place($0, summary)
        }
      for warning in summary.warnings { console.tell(Message(.warning, warning)) }
      let found = try file.compare(names[0], names[1])
      let comparison = ComparedVariants(
        first: summary.variants[names[0]].name, second: summary.variants[names[1]].name,
        figures: found.filter { all || $0.verdict.direction != nil }, compared: found.count,
        rareCount: found.count { $0.verdict == .tooRare },
        pairs: found.map(\.differences.count).max() ?? 0, builds: summary.builds,
        missing: summary.missing.filter { names.contains($0.missing.variant) })
      console.warn(of: comparison.missing.map(\.missing), summary.builds, in: results)
      try console.print(
        json
          ? ComparedVariants.form.json(comparison).closed
          : console.screen.inCharacters(comparison.text(on: console.screen)))
      let apart = found.count { $0.verdict == .notComparable }
      if apart > 0 {
        let words =
          "\(HumanCount.text(apart)) of \(HumanCount.text(found.count, "figure")) cannot be compared"
        throw console.failure(
          Message(
            .inconclusive, words + ": they depend on kinds that only one of the policies has"),
          .inconclusive)
      }
      if !found.contains(where: { $0.verdict.direction != nil }) {
        throw console.failure(
          Message(
            .inconclusive,
            "no difference is certain over \(HumanCount.text(comparison.pairs, "repetition"))"),
          .inconclusive)
      }
      if let none = summary.unmeasured.first {
        throw console.failure(
          Message(.inconclusive, "'\(summary.measures[none.measure].name)' is zero in every run"),
          .inconclusive)
      }
    } catch let error as ResultsError {
      throw console.failure(Message(.error, error.message, file: error.file), error.exitCode)
    }
  }

  private func list(_ summary: ResultsSummary, _ console: Console) throws {
    for (index, variant) in summary.variants.enumerated() {
      try console.show(
        console.screen.plain(variant.name) + (index == summary.baseline ? "  (baseline)" : ""))
    }
  }

  private func place(_ name: String, _ summary: ResultsSummary) throws -> Int {
    let names = summary.variants.map(\.name)
    guard let place = names.firstIndex(of: name) else {
      throw Refusal(
        "unknown variant '\(name)'" + NearestName.hint(for: name, among: names, "expected one of"))
    }
    return place
  }
}

/// The differences between two variants.
struct ComparedVariants {
  let first: String
  let second: String
  /// The figures to print.
  let figures: [FigureDifference]
  /// The number of figures compared.
  let compared: Int
  /// The number of figures that count events too rare to compare.
  let rareCount: Int
  /// The maximum number of repetitions over which a figure was compared.
  let pairs: Int
  /// The builds of all runs of the file.
  let builds: [ResultsFile.Build]
  /// The missing kinds of the two variants.
  let missing: [MissingKindOfVariant]

  func text(on screen: Screen) -> String {
    let rows = figures.map { found in
      [
        [found.figure, found.app, found.about].filter { !$0.isEmpty }.joined(separator: " "),
        found.unit, SweepSentence.number(found.first),
        SweepSentence.number(found.second),
        SweepSentence.signed(found.verdict == .notComparable ? nil : found.differences.mean),
        SweepSentence.interval(found.interval, or: found.finding.rare),
        SweepSentence.number(found.verdict == .notComparable ? nil : found.differences.skewness),
        SweepSentence.words(of: found),
      ]
    }
    let count = figures.count { $0.verdict.direction != nil }
    let rare =
      rareCount == 0
      ? "" : "; \(HumanCount.text(rareCount)) \(rareCount == 1 ? "is" : "are") too rare to compare"
    let head =
      "\(HumanCount.text(count)) of \(HumanCount.text(compared, "figure")) differ between \(first) and \(second), over \(HumanCount.text(pairs, "repetition"))\(rare)"
    let table = TextTable(
      header: ["figure", "unit", first, second, "difference", "interval", "skewness", ""].map(
        screen.plain), rows: rows, endsInText: true)
    return ([screen.style.bold(screen.plain(head)), ""] + table.lines(on: screen)).joined(
      separator: "\n")
  }

  /// `comparison/2`.
  static let form = ResultForm<ComparedVariants>(
    "The differences between two variants of an experiment: one object on one line.",
    [
      .format("comparison/2"), .text("first") { $0.first }, .text("second") { $0.second },
      .count("compared", "The number of figures that both variants have.") { $0.compared },
      .objects("builds", ResultsFile.Build.form, "The builds that made the file's runs.") {
        $0.builds
      },
      .objects(
        "missing", MissingKindOfVariant.form,
        "Kinds that apps use without a row in their variant's policy."
      ) { $0.missing },
      .objects("figures", figure, "The figures that differ, or all.") { $0.figures },
    ])

  private static let figure = ResultForm<FigureDifference>(
    "",
    [
      .text("app", "The app's sort; empty for all apps together.") { $0.app },
      .text("about", "A kind, a piece of work, a state, a reason; empty for the app as a whole.") {
        $0.about
      },
      .text("figure") { $0.figure },
      .text("unit", words: ["count", "s", "ratio", "perHour", "weighted"]) { $0.unit },
      .count("pairs", "The number of repetitions in which both variants have a value.") {
        $0.differences.count
      },
      .measured("firstMean", optional: true) { $0.first },
      .measured("secondMean", optional: true) { $0.second },
      .measured(
        "difference",
        "The mean of the second variant's value minus the first's; absent if the figure cannot be compared.",
        optional: true
      ) {
        $0.verdict == .notComparable ? nil : $0.differences.mean
      },
      .measured(
        "skewness",
        "The sample skewness (G1) of the differences; absent if there are fewer than three or if all are equal.",
        optional: true
      ) { $0.verdict == .notComparable ? nil : $0.differences.skewness },
      .measured(
        "low",
        "The lower end of the interval of the true difference, which holds jointly with all others; absent without an interval.",
        optional: true
      ) { $0.interval?.lowerBound },
      .measured("high", "The upper end.", optional: true) { $0.interval?.upperBound },
      .all(of: RareResult.form, optional: true) { $0.finding.rare },
      .text("verdict", words: Verdict.names) { $0.verdict.name },
    ])
}
