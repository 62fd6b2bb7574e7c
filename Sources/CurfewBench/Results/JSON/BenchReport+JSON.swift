package import CurfewText

extension BenchReport {
  /// The version of results files.
  package static let version = "bench/1"

  /// The results: one JSON object on one line, without the line break. It has the whole record,
  /// from which everything else in it can be computed again.
  package var json: String { BenchReport.form.json(self).closed }

  /// The JSON Schema of the results.
  package static var jsonSchema: String {
    form.schema(title: "Curfew: the results of `bench run`")
  }

  private static let form = ResultForm<BenchReport>(
    "The results of a benchmark run: one object on one line.",
    [
      .format(version),
      .count("exitCode", "The exit code of the run, computed from the rest.") {
        Int($0.verdict.exitCode)
      },
      .text("interruption", "The name of the signal that ended the run early.", optional: true) {
        $0.record.interruption
      },
      .object("machine", MachineRecord.form.result) { $0.record.machine },
      .object("options", OptionsRecord.form.result) { $0.record.options },
      .objects(
        "ratios", Ratio.form, "Ratios of two figures, paired by repetition. Computed."
      ) { $0.printedRatios },
      .objects("thresholds", JudgedThreshold.form, "Computed.") { $0.thresholds },
      .objects("ranks", RankRow.form, "The ranks of each workload and division. Computed.") {
        $0.rankRows
      },
      .objects("missing", OutcomeRow.missing, "Contestants that could not be built. Computed.") {
        $0.outcomeRows(.missing)
      },
      .objects("wrong", OutcomeRow.form, "Contestants that answered wrongly. Computed.") {
        $0.outcomeRows(.wrong)
      },
      .objects("failed", OutcomeRow.form, "Contestants that did not answer. Computed.") {
        $0.outcomeRows(.failed)
      },
      .objects("early", OutcomeRow.early, "Contestants with early timers. Computed.") {
        $0.outcomeRows(.early)
      },
      .texts(
        "notes",
        "Remarks about the whole run, such as the reason why it has fewer repetitions than asked."
      ) {
        $0.record.notes.map(\.onOneLine)
      },
      .objects("workloads", WorkloadRecord.form.result, "One for each workload and size.") {
        $0.record.workloads
      },
    ])
}

extension BenchReport {
  /// Reads a results file and computes everything again. A mistake in the file is an error with
  /// its place.
  package static func read(_ path: String) throws(FileErrors) -> BenchReport {
    try read(RunRecord.source(path)).report
  }

  static func read(_ source: SourceFile) throws(FileErrors) -> (
    report: BenchReport, root: SourceNode
  ) {
    let (record, root) = try RunRecord.tree(source)
    do { return (try BenchReport(record), root) } catch {
      // A threshold is refused alone, so that the error has its place.
      let nodes = root["options"]?["thresholds"]?.elements ?? []
      var findings = Findings()
      for (text, node) in zip(record.options.thresholds, nodes) {
        var single = record
        single.options.thresholds = [text]
        do { _ = try BenchReport(single) } catch { findings.error(at: node.place, error.message) }
      }
      try findings.throwIfAny(in: source.name)
      throw FileErrors([FileDiagnostic(file: source.name, error.message)])
    }
  }
}

extension RunRecord {
  /// The size limit of results files: 64 MiB, a hundred times a run of ten contestants with three
  /// workloads and ten repetitions.
  private static let sizeLimit = 64 << 20

  /// Reads a results file. A mistake in it is an error with its place.
  package static func read(_ path: String) throws(FileErrors) -> RunRecord {
    try read(source(path))
  }

  /// The file at `path`.
  package static func source(_ path: String) throws(FileErrors) -> SourceFile {
    try SourceFile.read(path, limit: sizeLimit)
  }

  /// Reads results. Keys that are computed from others are skipped.
  package static func read(_ source: SourceFile) throws(FileErrors) -> RunRecord {
    try tree(source).record
  }

  /// The results, and the tree that has their places.
  fileprivate static func tree(_ source: SourceFile) throws(FileErrors) -> (
    record: RunRecord, root: SourceNode
  ) {
    var findings = Findings()
    let root = try SourceDocument.parse(source, version: BenchReport.version, &findings)
    guard root["curfew"] != nil else {
      throw FileErrors([
        FileDiagnostic(
          at: root.place, "missing key 'curfew'; results begin with \"curfew\":\"bench/1\"")
      ])
    }
    var record = RunRecord.blank
    form.read(root, into: &record, &findings)
    try findings.throwIfAny(in: source.name)
    return (record, root)
  }

  /// Only read; `BenchReport` writes these keys.
  private static let form = RecordForm<RunRecord>(
    "",
    [
      .text("interruption", optional: \.interruption),
      .object("machine", MachineRecord.form, \.machine),
      .object("options", OptionsRecord.form, \.options), .texts("notes", \.notes),
      .objects(
        "workloads", WorkloadRecord.form, of: WorkloadRecord.blank, \.workloads, unique: \.title),
    ])
}

extension Ratio {
  fileprivate static let form = ResultForm<Ratio>(
    "",
    [
      .text("ratio", "The name, which thresholds may use.") { $0.name.description },
      .flag("ofFloor") { $0.isOfFloor }, .count("pairs") { $0.used },
      .measured("value", optional: true) { $0.value },
      .measured("low", "The lower bound of the interval.", optional: true) {
        $0.interval?.lowerBound
      },
      .measured("high", optional: true) { $0.interval?.upperBound },
      .flag("disturbed", "Whether other processes disturbed it, so that nothing follows.") {
        $0.isDisturbed
      },
    ])
}

extension JudgedThreshold {
  fileprivate static let form = ResultForm<JudgedThreshold>(
    "",
    [
      .text("threshold", "As written.") { $0.threshold.description },
      .text("ratio") { $0.ratio.name.description },
      .text("answer", words: Threshold.Answer.allCases.map(\.rawValue)) { $0.answer.rawValue },
    ])
}

/// The ranks of one workload and division.
private struct RankRow {
  let workload: WorkloadRecord
  let division: ContestantRecord.Division
  let names: [String]

  static let form = ResultForm<RankRow>(
    "",
    [
      .text("workload") { $0.workload.name }, .count("size") { $0.workload.size },
      .text("shape", optional: true) { $0.workload.shape },
      .text("division", words: ContestantRecord.Division.allCases.map(\.rawValue)) {
        $0.division.rawValue
      },
      .texts("contestants", "The best first.") { $0.names },
    ])
}

/// A contestant that is below the line.
private struct OutcomeRow {
  enum Kind { case missing, wrong, failed, early }

  let workload: WorkloadRecord
  let contestant: ContestantRecord
  var early: EarlyTimers?

  static let keys: [ResultKey<OutcomeRow>] = [
    .text("workload") { $0.workload.name }, .count("size") { $0.workload.size },
    .text("shape", optional: true) { $0.workload.shape },
    .text("contestant") { $0.contestant.name },
  ]

  static let missing = ResultForm<OutcomeRow>(
    "",
    keys + [
      .text("need", optional: true) {
        if case .missing(let need, _) = $0.contestant.outcome { need.onOneLine } else { nil }
      },
      .text("install", "The line that installs it.", optional: true) {
        if case .missing(_, let install) = $0.contestant.outcome {
          install.onOneLine
        } else {
          nil
        }
      },
    ])

  static let early = ResultForm<OutcomeRow>(
    "",
    keys + [
      .count("count", optional: true) { $0.early?.count },
      .count("most", "In nanoseconds.", optional: true) { $0.early?.nanoseconds },
      .text("rounding", optional: true) { $0.contestant.rounding?.onOneLine },
    ])

  static let form = ResultForm<OutcomeRow>(
    "",
    keys + [
      .text("reason", optional: true) {
        switch $0.contestant.outcome {
        case .wrong(let reason), .failed(let reason): reason.onOneLine
        default: nil
        }
      }
    ])
}

extension BenchReport {
  fileprivate var rankRows: [RankRow] {
    zip(record.workloads, standings).flatMap { workload, standings in
      ContestantRecord.Division.allCases.map { division in
        RankRow(
          workload: workload, division: division, names: standings.ranking[division] ?? [])
      }
    }
  }

  fileprivate func outcomeRows(_ kind: OutcomeRow.Kind) -> [OutcomeRow] {
    record.workloads.flatMap { workload in
      workload.contestants.compactMap { contestant in
        let early = workload.earlyTimers(of: contestant.name)
        let isOfKind =
          switch (kind, contestant.outcome) {
          case (.missing, .missing), (.wrong, .wrong), (.failed, .failed): true
          case (.early, _): early != nil
          default: false
          }
        return isOfKind
          ? OutcomeRow(workload: workload, contestant: contestant, early: early) : nil
      }
    }
  }
}
