import CurfewExperiments
import CurfewPolicy
import CurfewReports
import CurfewText

/// The page of an experiment, from the file that keeps its results.
struct SweepReport {
  let file: String

  func page(_ console: Console) throws -> Page {
    do {
      let summary = try ResultsFile.read(file).summary()
      console.warn(of: summary.missingKinds, summary.builds, in: file)
      return Self.page(of: summary, file: file)
    } catch {
      throw console.failure(Message(.error, error.message, file: error.file), error.exitCode)
    }
  }

  static func page(of summary: ResultsSummary, file: String) -> Page {
    var page = Page(
      title: summary.name, lead: SweepSentence(summary).first, subtitle: summary.question)
    if let about = summary.about { page.sections.append(.init("About", text: [about])) }
    if !summary.comparisons.isEmpty {
      page.sections += summary.measures.indices.map { section(of: $0, summary) }
    }
    if !summary.decisions.isEmpty {
      page.sections.append(
        .init(
          "Decisions and reasons",
          text: [
            "A denial with several reasons counts once, under the combination of its reasons."
          ],
          [.table(decisions(summary))]))
    }
    if !summary.published.isEmpty {
      page.sections.append(.init("Published evidence", text: summary.published))
    }
    page.sections.append(
      .init("Method", text: [method(summary)], [.table(variants(summary))]))
    page.provenance = [
      ("Results", file.split(separator: "/").last.map(String.init) ?? file),
      ("Experiment", summary.digest), ("Seed", String(summary.seed)),
      ("Runs", HumanCount.text(summary.runs)),
      ("Devices in each", HumanCount.text(summary.devices)),
      ("Days of each", HumanNumber.rounded(summary.days)),
    ]
    page.provenance += summary.builds.map {
      (summary.builds.count == 1 ? "curfew" : "curfew, \(HumanCount.text($0.runs, "run"))", $0.name)
    }
    return page
  }

  // MARK: Measures

  private static func section(of place: Int, _ summary: ResultsSummary) -> Page.Section {
    let measure = summary.measures[place]
    let means = summary.means.filter { $0.measure == place && $0.mean != nil }
    let (axis, places) = axis(summary)
    let isShare = measure.unit == "ratio"
    let unit: AxisMeasure.Unit =
      isShare ? .share : measure.unit == "s" ? .seconds : .plain("")
    let points = means.map { CurveChart.Point(places[$0.variant], $0.mean ?? 0, $0.interval) }
      .sorted { $0.x < $1.x }
    let named = isShare || measure.unit == "s" ? measure.name : "\(measure.name), \(measure.unit)"
    let curve = CurveChart(
      measure.name, text: "\(named), in each variant.", axis, AxisMeasure(named, unit),
      [.init(measure.name, points)],
      intervalName: "intervals for each mean separately, \(HumanNumber.percent(summary.level))",
      notes: summary.unmeasured.filter { $0.measure == place }.map {
        "It \($0.words): nothing was measured."
      })
    let base = summary.variants[summary.baseline].name
    let rows = summary.comparisons.filter { $0.measure == place }.map { found in
      DifferenceChart.Row(
        summary.variants[found.variant].name, found.difference ?? .nan, found.interval,
        verdict: SweepSentence.words(of: found),
        bounds: found.rare.map(RareWords.detail))
    }
    let difference = DifferenceChart(
      "Compared with \(base)",
      text: "The difference from \(base), computed for each repetition.",
      AxisMeasure(
        isShare ? "difference" : "difference, \(measure.unit)", isShare ? .points : unit), rows,
      intervalName: "intervals that hold jointly with \(HumanNumber.percent(summary.level))"
        + (measure.margin.map {
          "; differences smaller than \($0)\($0.hasSuffix("%") ? " of \(base)" : "") do not matter"
        } ?? ""))
    let spreads = summary.spreads.filter { $0.measure == place && $0.quantiles.count > 1 }
    return .init(
      measure.name.prefix(1).uppercased() + measure.name.dropFirst(),
      text: place == 0 || rows.isEmpty ? [] : [SweepSentence(summary).answer(place)],
      [.curve(curve)] + (rows.isEmpty ? [] : [.difference(difference)])
        + (spreads.isEmpty ? [] : [.distribution(distribution(spreads, summary))]))
  }

  /// The distribution of the values that the measure summarizes by a percentile or the mean.
  private static func distribution(_ spreads: [ResultsSummary.Spread], _ summary: ResultsSummary)
    -> DistributionChart
  {
    let measure = summary.measures[spreads[0].measure]
    let name = String(measure.figure.prefix { $0 != "." })
    let values = spreads.flatMap { $0.quantiles.map(\.value) }
    let (least, most) = (values.min() ?? 0, values.max() ?? 0)
    return DistributionChart(
      "The distribution of '\(name)'",
      text:
        "For each value of '\(name)', the share of all values that are no greater, in each variant.",
      AxisMeasure(name, measure.unit == "s" ? .seconds : .plain("")),
      isLogarithmic: least > 0 && most / least > 50,
      spreads.prefix(6).map { spread in
        .init(
          summary.variants[spread.variant].name,
          spread.quantiles.map { (share: $0.share, value: $0.value) })
      },
      notes: ["Each mark is a percentile of the values of one run, averaged over the repetitions."]
        + (spreads.count > 6 ? ["Only the first six of \(spreads.count) variants are shown."] : []))
  }

  private static func decisions(_ summary: ResultsSummary) -> Table {
    let rows = summary.decisions.map { found in
      [
        found.kind,
        found.reasons.isEmpty
          ? "allowed" : found.reasons.split(separator: "+").joined(separator: " + "),
      ]
        + found.counts.map(SweepSentence.number)
    }
    return Table(
      "Decisions by reason, per device and day",
      [.words("kind"), .words("decided")] + summary.variants.map { .numbers($0.name) }, rows)
  }

  /// The axis of the varied parameter, and each variant's place on it: its value if a single
  /// parameter is varied, or else one place per variant.
  private static func axis(_ summary: ResultsSummary) -> (CurveChart.Axis, [Double]) {
    let cases = summary.variants.indices.map(Double.init)
    guard summary.parameters.count == 1, let parameter = summary.parameters.first else {
      return (.cases("variant", summary.variants.map(\.name)), cases)
    }
    let texts = summary.variants.map { $0.settings[parameter.path] ?? "" }
    for (unit, read) in scales {
      let values = texts.compactMap(read)
      guard values.count == texts.count, let least = values.min(), let most = values.max(),
        values.count > 1
      else { continue }
      let measure = AxisMeasure(parameter.name, unit)
      return (least > 0 && most / least > 8 ? .logarithmic(measure) : .linear(measure), values)
    }
    return (.cases(parameter.name, texts), cases)
  }

  private static let scales: [(AxisMeasure.Unit, @Sendable (String) -> Double?)] = [
    (.seconds, { text in (try? DurationText.nanoseconds(in: text)).map { Double($0) / 1e9 } }),
    (.bytes, { text in (try? SizeText.read(text)).map(Double.init) }),
    (.share, { text in (try? PercentageText.read(text)).map { Double($0) / 100 } }),
    (
      .plain(""),
      { text in (try? DecimalText.millionths(in: text, 0...1_000_000_000)).map { Double($0) / 1e6 }
      }
    ),
  ]

  // MARK: Method

  private static func method(_ summary: ResultsSummary) -> String {
    let pairing =
      summary.pairing == "common"
      ? "The same repetition of every variant has the same seed: the same users take the same actions at the same instants."
      : "Each run has its own seed."
    let mixture = summary.builds.mixture.map { ["The runs were \($0)"] } ?? []
    let remarks = (summary.missingKinds.sentences + mixture).map { " \($0)." }.joined()
    guard !summary.comparisons.isEmpty else {
      return "\(HumanCount.text(summary.runs, "run")) so far. \(pairing)\(remarks)"
    }
    return
      "\(HumanCount.text(summary.repetitions, "repetition")) of each variant\(summary.looks). \(pairing) Differences are computed for each repetition; "
      + "their intervals use Student's t distribution. The allowed error is shared among all comparisons and all looks, so that the intervals hold jointly.\(remarks)"
      + (summary.afterthought.map { " " + $0 } ?? "")
  }

  private static func variants(_ summary: ResultsSummary) -> Table {
    let rows = summary.variants.map { variant in
      let settings = variant.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: ", ")
      return [
        variant.name, settings, "\(variant.policy) \(variant.policyDigest)",
        "\(variant.workload) \(variant.workloadDigest)",
      ]
    }
    return Table(
      "Variants, with the digests of their files",
      [.words("variant"), .words("sets"), .words("policy"), .words("workload")], rows)
  }
}
