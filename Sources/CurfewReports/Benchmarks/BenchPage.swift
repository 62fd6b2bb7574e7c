package import CurfewBench
import CurfewText

extension Page {
  /// The page of a benchmark run.
  /// - Parameter file: The path of the results. The page shows only its last part.
  package init(of report: BenchReport, file: String) {
    let workloads = report.record.workloads.indices.map(report.section)
    let others = [report.thresholdSection, report.missingSection].compactMap(\.self)
    let notes = report.record.notes + report.verdict.remarks.map(\.text)
    self.init(
      title: "Benchmarks", lead: report.lead, subtitle: report.subtitle,
      sections: workloads + others
        + (notes.isEmpty ? [] : [Section("Notes", notes.map { .text($0) })])
        + [report.contestantSection, report.planSection],
      provenance: report.provenance(file))
  }
}

extension BenchReport {
  /// The first sentence: the subject's main figure in the first workload that has a ratio.
  fileprivate var lead: String {
    for (place, workload) in record.workloads.enumerated() {
      guard let subject = workload.contestants.first(where: { $0.role == .subject }),
        let floor = workload.floor, let kind = workload.mainFigures.first,
        let ratio = ratios.ofFloor(subject.name, kind.name, workload: place), !ratio.isDisturbed,
        let text = ratio.text
      else { continue }
      let ranking = standings[place].ranking[.closed] ?? []
      let rank = standings[place][subject].rank.map {
        "; it is number \($0) of \(HumanCount.text(ranking.count, "ranked contestant"))"
      }
      return
        "In \(workload.title), the \(kind.name) of \(subject.name) is \(text) times that of \(floor.name), the floor\(rank ?? "")."
    }
    if record.workloads.contains(where: \.isDisturbed) {
      return "Other processes disturbed the run, so nothing follows from its figures."
    }
    let right = record.workloads.flatMap(\.contestants).count { $0.outcome == .measured }
    let reason = reasonWithoutRatios.map { "; \($0)" } ?? ""
    return "\(HumanCount.text(right, "contestant")) answered rightly\(reason)."
  }

  fileprivate var subtitle: String {
    let end = record.interruption.map { ", interrupted by \($0)" } ?? ""
    return "\(record.machine.text); \(record.machine.date); exit code \(verdict.exitCode)\(end)."
  }

  // MARK: Lists

  fileprivate var thresholdSection: Page.Section? {
    guard !thresholds.isEmpty else { return nil }
    let rows = thresholds.map { judged in
      [
        judged.threshold.description, judged.ratio.name.description, judged.ratio.text ?? "–",
        judged.answer.rawValue,
      ]
    }
    return Page.Section(
      "Thresholds", text: ["A threshold holds or fails only with its whole interval."],
      [
        .table(
          Table(
            "Thresholds",
            [.words("threshold"), .words("ratio"), .numbers("measured"), .words("answer")], rows))
      ])
  }

  fileprivate var missingSection: Page.Section? {
    let rows = record.workloads.flatMap(\.contestants).compactMap { contestant -> [String]? in
      guard case .missing(let need, let install) = contestant.outcome else { return nil }
      return [contestant.name, need, install]
    }
    guard !rows.isEmpty else { return nil }
    var seen: Set<String> = []
    return Page.Section(
      "Missing contestants",
      [
        .table(
          Table(
            "Missing contestants",
            [.words("contestant"), .words("needs"), .words("the line that installs it")],
            rows.filter { seen.insert($0[0]).inserted }))
      ])
  }

  fileprivate var contestantSection: Page.Section {
    var seen: Set<String> = []
    let rows = record.workloads.flatMap(\.contestants).filter { seen.insert($0.name).inserted }
      .map { contestant in
        [
          contestant.name, contestant.about, contestant.role.rawValue,
          contestant.division.rawValue, contestant.version ?? "–", contestant.rounding ?? "–",
          contestant.notes ?? "",
        ]
      }
    return Page.Section(
      "Contestants",
      text: [
        "In the closed division, a contestant is used as its documentation shows; in the open one, with its best options. A closed contestant without open options is ranked in both."
      ],
      [
        .table(
          Table(
            "Contestants",
            [
              .words("name"), .words("about"), .words("role"), .words("division"),
              .words("version"), .words("rounding"), .words("notes"),
            ], rows
          ).sortable(by: rows.map { $0.map { _ in nil } }))
      ])
  }

  fileprivate var planSection: Page.Section {
    let rows = record.workloads.flatMap { workload in
      workload.plans.map { [workload.title, "\($0.repetition)", "\($0.seed)", $0.digest] }
    }
    return Page.Section(
      "Plans", text: ["All contestants of a repetition had the same plan."],
      [
        .table(
          Table(
            "Plans",
            [.words("workload"), .numbers("repetition"), .numbers("seed"), .words("digest")], rows))
      ])
  }

  fileprivate func provenance(_ file: String) -> [(name: String, value: String)] {
    let (machine, options) = (record.machine, record.options)
    let sources = machine.commit.map { $0 + (machine.isClean ? ", clean" : ", with changes") }
    let load = machine.load.map { HumanNumber.decimal($0, places: 2) }.joined(separator: ", ")
    let until = options.until.map { ", until \(HumanNumber.decimal($0 * 100, places: 1)) %" } ?? ""
    let rows: [(String, String?)] = [
      ("Results", file.split(separator: "/").last.map(String.init) ?? file),
      ("Date", machine.date), ("Commit", sources), ("Compiler", machine.compiler),
      ("Flags", machine.flags), ("Kernel", machine.kernel),
      ("Architecture", machine.architecture), ("Processor", machine.processor),
      ("Cores", "\(machine.cores)"), ("Governor", machine.governor),
      ("Frequency scaling", machine.frequencyScaling),
      ("Memory", HumanSize.rounded(machine.memoryBytes)), ("Load at the start", load),
      ("Seed", "\(options.seed)"), ("Repetitions", "\(options.repetitions)\(until)"),
      ("Only", options.only.isEmpty ? nil : options.only.joined(separator: ", ")),
      ("Without", options.without.isEmpty ? nil : options.without.joined(separator: ", ")),
      ("Against", options.against), ("Commit of that", options.againstCommit),
    ]
    return rows.compactMap { name, value in value.map { (name, $0) } }
  }
}
