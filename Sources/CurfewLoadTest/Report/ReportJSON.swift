import CurfewEngine
import CurfewText
import CurfewUV

extension LoadTestReport {
  /// The report for a program: one JSON object on one line, `loadtest/4`, with lengths in
  /// nanoseconds. The order of keys is fixed.
  package func json(thresholds: [Threshold] = []) -> String {
    JudgedReport.form.json(JudgedReport(self, thresholds)).closed
  }

  /// The JSON Schema of the report.
  package static var jsonSchema: String {
    JudgedReport.form.schema(title: "Curfew: what `curfew loadtest --json` prints")
  }
}

/// A report and its thresholds.
private struct JudgedReport {
  let report: LoadTestReport
  let thresholds: [JudgedThreshold]

  init(_ report: LoadTestReport, _ thresholds: [Threshold]) {
    self.report = report
    self.thresholds = thresholds.map { JudgedThreshold($0, in: report) }
  }

  static let form = ResultForm<JudgedReport>(
    "The measurements of a load test: one object on one line. Lengths are nanoseconds.",
    [
      .format("loadtest/4"), .text("policy") { $0.report.run.policy },
      .text("policyDigest") { $0.report.run.policyDigest },
      .text(
        "seed",
        "The seed of the plan, as text, because many parsers round integers of more than 53 bits."
      ) {
        String($0.report.run.seed)
      },
      .count("apps") { $0.report.run.apps },
      .count("visits", "The requested visits to the background per second.") {
        $0.report.run.visitsPerSecond
      },
      .measured("scale", "The ratio of wall time to engine time.") {
        Double($0.report.run.scale.description)
      },
      .count("leeway") { $0.report.run.leewayNanoseconds },
      .count("length") { $0.report.run.lengthNanoseconds },
      .flag("interrupted") { $0.report.run.isInterrupted }, .count("cores") { $0.report.run.cores },
      .object("expirations", LoadTestReport.expirationsForm, "Calls of expiration handlers.") {
        $0.report
      },
      .count(
        "early",
        "Warnings and ends that came before they were due, and callbacks before their call."
      ) { $0.report.early },
      .distribution("steps", "The lateness of the plan's steps.") {
        $0.report.steps
      },
      .object("warnings", LoadTestReport.warningsForm, "The lateness of warnings.") { $0.report },
      .object("grantEnds", LoadTestReport.grantEndsForm, "Ends of grants.") { $0.report },
      .object("calls", LoadTestReport.callsForm, "The length of calls of the embedding API.") {
        $0.report
      },
      .distribution(
        "callbackDelivered",
        "From the call that sends an app away to the first line of its didEnterBackground."
      ) { $0.report.callbackDelivered },
      .distribution(
        "wakeDelivered", "From the delivery of a wake to the first line of the app's callback."
      ) { $0.report.wakeDelivered },
      .distribution(
        "launchToActive", "From a launch to the first line of the app's didBecomeActive."
      ) { $0.report.launchToActive },
      .distribution(
        "handOff", "The floor of these three: a hand-off between two threads."
      ) { $0.report.handOff },
      .object("work", LoadTestReport.workForm, "The work and its cost.") { $0.report },
      .objects("segments", LoadTestReport.Segment.form) { $0.report.segments },
      .other("medians", "The medians over the segments.", members: LoadTestReport.mediansSchema) {
        $0.report.medians
      },
      .all(of: LoadTestReport.comparisonsForm) { $0.report },
      .objects("thresholds", JudgedThreshold.form) { $0.thresholds },
      .texts("contradictions") { $0.report.contradictions },
      .texts("failures") { $0.report.failures }, .texts("doubts") { $0.report.doubts },
      .texts("notes") { $0.report.notes },
    ])
}

extension LoadTestReport {
  fileprivate static let expirationsForm = ResultForm<LoadTestReport>(
    "",
    [
      .count("expected") { $0.expirations.expected },
      .count("delivered") { $0.expirations.delivered },
      .count("endedFirst") { $0.expirations.endedFirst },
      .count("missed") { $0.expirations.missed },
      .count("pending") { $0.expirations.pending }, .count("lost") { $0.expirations.lost },
      .count("unexpected") { $0.expirations.unexpected }, .count("twice") { $0.expirations.twice },
      .count("decided") { $0.expirations.decided }, .count("leftOut") { $0.expirations.leftOut },
      .number("perSecond") { $0.expirationsPerSecond },
    ])

  fileprivate static let warningsForm = ResultForm<LoadTestReport>(
    "",
    [
      .distribution("decided") { $0.warningsDecided },
      .number("byLoop", "The share of the warnings that the loop decided.", optional: true) {
        $0.loopShare
      },
      .distribution("decidedByLoop") { $0.warningsDecidedByLoop },
      .distribution("delivered") { $0.warningsDelivered },
    ])

  fileprivate static let grantEndsForm = ResultForm<LoadTestReport>(
    "",
    [
      .count("expected") { $0.grantEnds.expected }, .count("ended") { $0.grantEnds.ended },
      .distribution("decided") { $0.grantEndsDecided },
    ])

  fileprivate static let callsForm = ResultForm<LoadTestReport>(
    "",
    [
      .distribution("begin") { $0.beginLatency },
      .distribution("end") { $0.endLatency },
    ])

  fileprivate static let workForm = ResultForm<LoadTestReport>(
    "",
    [
      .count("events") { $0.work.events }, .number("eventsPerSecond") { $0.eventsPerSecond },
      .count("wakeUps") { $0.work.wakeUps },
      .count("armings") { $0.work.armings }, .count("user") { $0.work.userNanoseconds },
      .count("system") { $0.work.systemNanoseconds },
      .count("peakMemory", "In bytes.") { $0.work.peakMemory },
      .number("perExpiration", "Processor time.", optional: true) { $0.processorPerExpiration },
      .number("floorPerDeadline", "Processor time.", optional: true) {
        $0.floorProcessorPerDeadline
      },
    ])

  /// The metrics whose names begin with `ratio.`, without that prefix, and the objections to them.
  fileprivate static let comparisonsForm = ResultForm<LoadTestReport>(
    "",
    [
      .other("ratios", members: figuresSchema) {
        figures($0.ratios) { HumanNumber.decimal($0, places: 3) }
      },
      .texts(
        "floorObjections", "The reasons why there are no ratios to a floor, by ratio.",
        words: FloorRatio.allCases.flatMap { ratio in
          Percentile.allCases.map { "\(ratio.rawValue).\($0.rawValue)" }
        }
      ) { report, word in
        Metric.named("ratio.\(word)")?.shortage(report)
      },
      .number("othersLoad", optional: true) { $0.othersLoad?.median },
      .object(
        "comparison", OutcomeComparison.form, "The comparison of visits with the plan.",
        optional: true
      ) { $0.comparison },
    ])

  fileprivate static let mediansSchema = [
    ("additionalProperties", JSONText.object([("type", .string("object"))] + figuresSchema))
  ]

  /// The medians of the spreads over all segments.
  fileprivate var medians: JSONLine {
    var object = JSONLine()
    for (key, path) in Segment.spreads {
      let medians = Percentile.allCases.map { ($0.rawValue, median(path, $0)) }
      if medians.contains(where: { $0.1 != nil }) { object.add(key, json: figures(medians).closed) }
    }
    return object
  }

  private var ratios: [(String, ReportFigure?)] {
    Metric.all.filter { $0.name.hasPrefix("ratio.") }.map {
      (String($0.name.dropFirst("ratio.".count)), $0.value(in: self))
    }
  }
}

extension LoadTestReport.Segment {
  fileprivate static var spreads: [(String, any KeyPath<Self, LoadTestReport.Spread?> & Sendable)] {
    [
      ("decided", \.decided), ("delivered", \.delivered), ("floor", \.floor),
      ("floorBefore", \.floorBefore), ("floorAfter", \.floorAfter),
      ("callbackDelivered", \.callbackDelivered), ("wakeDelivered", \.wakeDelivered),
      ("launchToActive", \.launchToActive), ("handOff", \.handOff),
      ("handOffBefore", \.handOffBefore), ("handOffAfter", \.handOffAfter),
    ]
  }

  fileprivate static let form = ResultForm<Self>(
    "",
    spreads.map { key, path in
      .other(key, optional: true, members: figuresSchema) { segment in
        segment[keyPath: path].map { spread in
          figures(LoadTestReport.Percentile.allCases.map { ($0.rawValue, spread.figure($0)) })
        }
      }
    } + [
      steady("floorSteady", .timer), steady("handOffSteady", .handOff),
      .number("othersLoad", optional: true) { $0.othersLoad },
    ])

  /// The percentiles of a floor that were the same before and after. The key is left out if
  /// the floor was not measured both times.
  private static func steady(_ name: String, _ floor: LoadTestReport.Floor) -> ResultKey<Self> {
    let about = "The percentiles of \(floor.noun) that were the same before and after."
    return .texts(name, about, optional: true) { segment in
      guard segment.isFloorSteady(.p50, floor) != nil else { return nil }
      return LoadTestReport.Percentile.allCases.filter {
        segment.isFloorSteady($0, floor) == true
      }.map(\.rawValue)
    }
  }
}

extension OutcomeComparison {
  fileprivate static let form = ResultForm<Self>(
    "",
    [
      .count("compared") { $0.compared },
      .counts("different", "The apps of the visits that ended differently, by number.") {
        $0.different.map(\.rawValue)
      },
      .count("leftOut") { $0.leftOut }, .count("late") { $0.late },
    ])
}

extension ResultKey {
  /// A distribution of lateness or lengths.
  fileprivate static func distribution(
    _ name: String, _ about: String = "",
    _ value: @escaping @Sendable (Root) -> LatenessPercentiles
  ) -> ResultKey {
    .object(name, LatenessPercentiles.form, about, value)
  }
}

extension LatenessPercentiles {
  private var percentiles: [(String, Int64?)] {
    [("p50", p50), ("p90", p90), ("p99", p99), ("p99.9", p999), ("max", max)]
  }

  fileprivate static let form = ResultForm<LatenessPercentiles>(
    "",
    [
      .count("count") { $0.count }, .count("early") { $0.early },
      .count("earliest", optional: true) { $0.early > 0 ? $0.earliest : nil },
      .count("unbounded", optional: true) { $0.unbounded > 0 ? $0.unbounded : nil },
      .count("p50", optional: true) { $0.p50 }, .count("p90", optional: true) { $0.p90 },
      .count("p99", optional: true) { $0.p99 },
      .count("p99.9", optional: true) { $0.p999 }, .count("max", optional: true) { $0.max },
      .texts("atLeast", "The figures that are lower bounds.", optional: true) { histogram in
        let bounds = histogram.percentiles.filter { histogram.isAtLeast($0.1) }.map(\.0)
        return bounds.isEmpty ? nil : bounds
      },
    ])
}

/// A threshold, and whether it holds.
private struct JudgedThreshold {
  let text: String
  let holds: Bool
  let measured: ReportFigure?

  init(_ threshold: Threshold, in report: LoadTestReport) {
    text = threshold.text
    holds = threshold.crossing(in: report) == nil
    measured = Metric.named(threshold.metric)?.value(in: report)
  }

  static let form = ResultForm<JudgedThreshold>(
    "",
    [
      .text("threshold") { $0.text }, .flag("holds") { $0.holds },
      .number("measured", optional: true) { $0.measured?.value },
      .flag("atLeast", "Present if the figure is a lower bound.", optional: true) {
        $0.measured?.isAtLeast == true ? true : nil
      },
    ])
}

/// The schema of an object of figures.
private let figuresSchema: [(String, JSONText)] = [
  (
    "properties",
    .object([
      (
        "atLeast",
        .object([
          ("description", .string("The figures that are lower bounds.")),
          ("type", .string("array")),
          ("items", .object([("type", .string("string"))])),
        ])
      )
    ])
  ), ("additionalProperties", .object([("type", .array([.string("number"), .string("null")]))])),
]

/// The figures under their names, as whole numbers unless `write` formats them otherwise, and the
/// names of the figures that are lower bounds.
private func figures(
  _ figures: [(String, ReportFigure?)], _ write: (Double) -> String = { String(Int64($0)) }
) -> JSONLine {
  var object = JSONLine()
  for (name, figure) in figures {
    if let figure { object.add(name, json: figure.value.isFinite ? write(figure.value) : "null") }
  }
  let bounds = figures.filter { $0.1?.isAtLeast ?? false }.map(\.0)
  if !bounds.isEmpty { object.add("atLeast", bounds) }
  return object
}
