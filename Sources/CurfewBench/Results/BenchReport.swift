package import CurfewText

/// A run with everything that is computed from it: figures, ratios, standings and the verdict.
package struct BenchReport: Sendable, Hashable {
  package let record: RunRecord
  /// The figures of each workload, in the run's order. A run that only checks answers has none,
  /// because it does not watch the load of others.
  package let figures: [WorkloadFigures]
  /// The standings of each workload, in the run's order.
  package let standings: [Standings]
  package let ratios: RatioTable
  /// The thresholds in the order of the options; one that names several ratios occurs for each.
  package let thresholds: [JudgedThreshold]
  package let verdict: RunVerdict

  /// Throws if a threshold of the run's options cannot be read, or names something that the run
  /// does not have. A run without segments may be given to check its thresholds before it begins.
  package init(_ record: RunRecord) throws(Refusal) {
    let figures = record.workloads.map {
      record.options.onlyChecksAnswers ? WorkloadFigures() : WorkloadFigures($0)
    }
    let asked = try Threshold.list(record.options.thresholds)
    let table = try RatioTable(record, figures, asked)
    var judged: [JudgedThreshold] = []
    for threshold in asked {
      judged += try table.ratios(named: threshold.ratio, in: record).map {
        JudgedThreshold(threshold: threshold, ratio: $0, answer: threshold.answer($0))
      }
    }
    self.record = record
    self.figures = figures
    standings = zip(record.workloads, figures).map(Standings.init)
    ratios = table
    thresholds = judged
    verdict = RunVerdict(record, judged, figures)
  }

  /// The ratios that are printed: at least five repetitions have both figures.
  package var printedRatios: [Ratio] { ratios.ratios.filter { $0.value != nil } }

  /// The reason why no ratio is printed; nil if there is one.
  package var reasonWithoutRatios: String? {
    guard printedRatios.isEmpty else { return nil }
    if record.options.onlyChecksAnswers {
      return "fewer than five repetitions only check answers: no figures and no ratios"
    }
    let isMeasured = record.workloads.contains { workload in
      workload.contestants.contains { contestant in
        workload.segments.contains { $0.contestant == contestant.name }
      }
    }
    guard isMeasured else { return "nothing was measured" }
    guard ratios.ratios.isEmpty else { return "no ratios: \(Ratio.reasonWithoutValue)" }
    let hasFloor = record.workloads.contains { $0.floor != nil }
    return "no ratios: \(hasFloor ? "only the floor was run" : "the floor was not run")"
  }

  /// The printed ratios of two contestants of a workload, or of two of its sizes, other than those
  /// of the floor.
  package func otherRatios(ofWorkload place: Int) -> [Ratio] {
    printedRatios.filter { !$0.isOfFloor && $0.numeratorWorkload == place }
  }
}

extension BenchReport {
  /// The numbers of repetitions after which a run with `--until` computes its report and may stop.
  package static var looks: [Int] { IntervalLevels.looks }

  /// Whether a run with `--until` may stop: the intervals that count are narrow enough.
  ///
  /// The ratios of the thresholds count. Without thresholds, all ratios count if `--only` chose the
  /// contestants, and otherwise those of the subject to the floor.
  package var isNarrowEnough: Bool {
    guard let until = record.options.until else { return true }
    let counting: [Ratio]
    if !thresholds.isEmpty {
      counting = thresholds.map(\.ratio)
    } else if !record.options.only.isEmpty {
      counting = ratios.ratios
    } else {
      counting = ratios.ratios.filter { ratio in
        let contestants = record.workloads[ratio.numeratorWorkload].contestants
        let name = ratio.name.numerator.contestant
        return ratio.isOfFloor && contestants.contains { $0.name == name && $0.role == .subject }
      }
    }
    // A contestant that cannot get any further must not keep a run from its end.
    return counting.filter { canContinue($0) }.allSatisfy { ratio in
      ratio.halfWidth.map { $0 <= until } ?? false
    }
  }

  private func canContinue(_ ratio: Ratio) -> Bool {
    func isMeasured(_ place: Int, _ name: String) -> Bool {
      record.workloads[place].contestants.contains { $0.name == name && $0.outcome == .measured }
    }
    return isMeasured(ratio.numeratorWorkload, ratio.name.numerator.contestant)
      && isMeasured(ratio.denominatorWorkload, ratio.name.denominator.contestant)
  }
}

extension BenchReport {
  /// The contestants of a workload that have figures: the floor, then those above the line and then
  /// those below it, each by the figure that ranks.
  package func shownContestants(ofWorkload place: Int) -> [ContestantRecord] {
    let workload = record.workloads[place]
    let figure = workload.mainFigures.first?.name ?? ""
    let shown = workload.contestants.compactMap {
      contestant -> (contestant: ContestantRecord, group: Int, figure: Double)? in
      guard let middle = figures[place].middle(of: contestant.name, figure) else { return nil }
      let isBelow = standings[place][contestant].sentence != nil
      let group = contestant.name == workload.floor?.name ? 0 : isBelow ? 2 : 1
      return (contestant, group, middle)
    }
    return shown.sorted {
      ($0.group, $0.figure, $0.contestant.name) < ($1.group, $1.figure, $1.contestant.name)
    }.map(\.contestant)
  }

  /// The answers of a workload's contestants in a run that only checks them: `right`, `early`,
  /// `wrong`, or the outcome of a contestant that did not answer.
  package func answers(ofWorkload place: Int) -> [(name: String, answer: String)] {
    let workload = record.workloads[place]
    return workload.contestants.map { contestant in
      let isEarly = workload.earlyTimers(of: contestant.name) != nil
      let answered = isEarly ? "early" : "right"
      return (
        contestant.name, contestant.outcome == .measured ? answered : contestant.outcome.words
      )
    }
  }

  /// A median of a workload, with a `~` if the workload was disturbed.
  package func text(_ value: Double, _ kind: FigureKind, workload place: Int) -> String {
    (record.workloads[place].isDisturbed ? "~" : "") + kind.unit.text(value)
  }

  /// The contestants of a workload that are below the line, by their reasons. One reason stands for
  /// all disturbed ones.
  package func belowTheLine(ofWorkload place: Int) -> [(names: String, sentence: String)] {
    let below = record.workloads[place].contestants.compactMap { contestant in
      standings[place][contestant].sentence.map { (contestant: contestant, sentence: $0) }
    }
    return below.grouped { $0.contestant.outcome.isDisturbed ? "" : $0.sentence }.map { group in
      let names = group.map(\.contestant.name).joined(separator: ", ")
      guard case .disturbed(let reason) = group[0].contestant.outcome else {
        return (names, group[0].sentence)
      }
      return (names, ContestantRecord.Outcome.disturbance(reason, of: group.count))
    }
  }

  /// `10 repetitions, others took at most 1.3 %`: the greatest share in the segments whose figures
  /// are shown.
  package func conditions(ofWorkload place: Int) -> String {
    let workload = record.workloads[place]
    let repetitions = workload.plans.count
    let isShort = repetitions < record.options.repetitions
    let repeated = workload.segments.count { $0.isRepeated }
    var parts = [
      isShort ? record.options.part(repetitions) : HumanCount.text(repetitions, "repetition")
    ]
    if repeated > 0 { parts.append("\(HumanCount.text(repeated, "segment")) repeated") }
    if let share = figures[place].greatestOthersShare {
      let part = repeated > 0 ? " in the segments that count" : ""
      parts.append("others took at most \(HumanNumber.decimal(share * 100, places: 1)) %\(part)")
    }
    let disturbed = workload.contestants.filter(\.outcome.isDisturbed).map(\.name)
    let end = disturbed.isEmpty ? "" : "; disturbed: \(disturbed.joined(separator: ", "))"
    return parts.joined(separator: ", ") + end
  }
}

extension Standing {
  /// The standing as a cell of a table: `1`, `2 open`, `floor`, `-`.
  package func text(of contestant: ContestantRecord) -> String {
    switch self {
    case .floor: "floor"
    case .ranked(let rank): contestant.division == .open ? "\(rank) open" : "\(rank)"
    case .unranked, .belowTheLine: "-"
    }
  }
}

extension MachineRecord {
  /// `2 cores of Example 3000, Linux 6.1.0, Swift 6.2, commit 9c1e0f2 (with changes)`.
  package var text: String {
    let sources = commit.map { "commit \($0)" + (isClean ? "" : " (with changes)") }
    return
      (["\(HumanCount.text(cores, "core")) of \(processor)", kernel, compiler]
      + (sources.map { [$0] } ?? [])).joined(separator: ", ")
  }
}

extension FigureKind.Unit {
  /// A value for a person: `45.2us`, `12.5 MiB`, `3`.
  package func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 9e15 else { return "\(value)" }
    return switch self {
    case .nanoseconds where abs(value) < 999.5: HumanNumber.rounded(value) + "ns"
    case .nanoseconds: HumanTime.rounded(Int64(value.rounded()))
    case .bytes: HumanSize.rounded(Int64(value.rounded()))
    case .count: HumanNumber.rounded(value)
    }
  }
}
