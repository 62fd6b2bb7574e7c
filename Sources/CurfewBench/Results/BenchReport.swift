package import CurfewText

/// A run with everything that is computed from it: figures, ratios, standings and the verdict.
package struct BenchReport: Sendable, Hashable {
  package let record: RunRecord
  /// The figures of each workload, in the run's order.
  package let figures: [WorkloadFigures]
  /// The standings of each workload, in the run's order.
  package let standings: [Standings]
  package let ratios: RatioTable
  /// The thresholds in the order of the options; one that names several ratios occurs for each.
  package let thresholds: [JudgedThreshold]
  package let verdict: RunVerdict

  /// Throws if a threshold of the run's options cannot be read, or names something that the run does
  /// not have. A run without segments may be given to check its thresholds before it begins.
  package init(_ record: RunRecord) throws(Refusal) {
    let figures = record.workloads.map(WorkloadFigures.init)
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
