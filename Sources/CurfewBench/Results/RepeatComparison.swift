import CurfewSimulation
import CurfewStatistics
import CurfewText

/// The main figures of a run beside those of an earlier run of the same workloads: `--repeat`.
///
/// Repetitions of two runs are hours or months apart, so they are not paired. The interval is
/// the one of Welch's t test of the logarithms, exponentiated; all intervals hold together with
/// 95 % confidence.
///
/// Source: B. L. Welch, "The Generalization of 'Student's' Problem when Several Different
/// Population Variances are Involved", Biometrika 34 (1947), 28-35.
package struct RepeatComparison: Sendable, Hashable {
  /// A figure in both runs.
  package struct Change: Sendable, Hashable {
    /// `deadlines/1, spaced, size 2,000`.
    package let workload: String
    package let contestant: String
    package let figure: FigureKind
    package let before: Double
    package let now: Double
    /// The ratio of this run to the earlier one.
    package let ratio: Double
    /// nil if the figure never varied in either run.
    package let interval: ClosedRange<Double>?

    /// Whether the two runs surely differ.
    package var differs: Bool { interval.map { !$0.contains(1) } ?? (ratio != 1) }
  }

  /// The figures that both runs have, with at least five repetitions in each; none if there is
  /// a doubt about the comparison.
  package let changes: [Change]
  /// The reasons why differences may have other causes than the sources. Each is a sentence.
  package let doubts: [String]

  /// - Parameters:
  ///   - report: This run.
  ///   - earlier: The run that it repeats.
  package init(_ report: BenchReport, repeating earlier: BenchReport) {
    doubts = RepeatComparison.doubts(report.record, earlier.record)
    let pairs = doubts.isEmpty ? RepeatComparison.pairs(report, earlier) : []
    let level = Family(comparisons: max(1, pairs.count)).levelOfEach
    changes = pairs.map { RepeatComparison.change($0, level: level) }
  }

  /// The result for a person: the figures that differ, and the doubts.
  package var lines: [String] {
    guard doubts.isEmpty else {
      return doubts.map { "not comparable: \($0)" } + ["so nothing follows from the earlier run"]
    }
    let different = changes.filter(\.differs)
    let heading =
      changes.isEmpty
      ? "no figure is in both runs"
      : "\(HumanCount.text(different.count)) of \(HumanCount.text(changes.count, "figure")) surely \(different.count == 1 ? "differs" : "differ") from the earlier run"
    let found = different.map { change in
      let bounds = change.interval.map {
        " [\(Ratio.digits($0.lowerBound)), \(Ratio.digits($0.upperBound))]"
      }
      let unit = change.figure.unit
      return
        "\(change.workload), \(change.contestant).\(change.figure.name): \(unit.text(change.before)) before, \(unit.text(change.now)) now, \(Ratio.digits(change.ratio)) times\(bounds ?? "")"
    }
    return [heading] + found
  }

  // MARK: Figures

  private struct Pair {
    let workload: String
    let contestant: String
    let figure: FigureKind
    let before: [Double]
    let now: [Double]
  }

  private static func pairs(_ report: BenchReport, _ earlier: BenchReport) -> [Pair] {
    report.record.workloads.indices.flatMap { place -> [Pair] in
      let workload = report.record.workloads[place]
      guard
        let old = earlier.record.workloads.firstIndex(where: {
          $0.family == workload.family && $0.size == workload.size
        }), !workload.isDisturbed, !earlier.record.workloads[old].isDisturbed
      else { return [] }
      return workload.contestants.flatMap { contestant in
        workload.mainFigures.compactMap { kind -> Pair? in
          func values(_ figures: WorkloadFigures) -> [Double] {
            figures.values(of: contestant.name, kind.name).map(\.value).filter { $0 > 0 }
          }
          let (now, before) = (values(report.figures[place]), values(earlier.figures[old]))
          guard min(now.count, before.count) >= WorkloadFigures.fewestRepetitions else {
            return nil
          }
          return Pair(
            workload: workload.title, contestant: contestant.name, figure: kind, before: before,
            now: now)
        }
      }
    }
  }

  private static func change(_ pair: Pair, level: Double) -> Change {
    let now = PairedDifferences(pair.now.map(PortableMath.log))
    let before = PairedDifferences(pair.before.map(PortableMath.log))
    let difference = now.mean - before.mean
    // The squared standard errors of the two means, and Welch's degrees of freedom.
    let errors = [now, before].map { ($0.standardError ?? 0) * ($0.standardError ?? 0) }
    let sum = errors[0] + errors[1]
    var interval: ClosedRange<Double>?
    if sum > 0 {
      let parts = zip(errors, [now, before]).map { $0 * $0 / Double($1.count - 1) }
      let freedom = sum * sum / (parts[0] + parts[1])
      let reach =
        StudentT(degreesOfFreedom: freedom).quantile(upperTail: level / 2) * sum.squareRoot()
      interval = PortableMath.exp(difference - reach)...PortableMath.exp(difference + reach)
    }
    return Change(
      workload: pair.workload, contestant: pair.contestant, figure: pair.figure,
      before: median(pair.before) ?? 0, now: median(pair.now) ?? 0,
      ratio: PortableMath.exp(difference), interval: interval)
  }

  // MARK: Doubts

  private static func doubts(_ now: RunRecord, _ before: RunRecord) -> [String] {
    let facts = [
      ("processor", before.machine.processor, now.machine.processor),
      ("number of cores", "\(before.machine.cores)", "\(now.machine.cores)"),
      ("architecture", before.machine.architecture, now.machine.architecture),
      ("compiler", before.machine.compiler, now.machine.compiler),
      ("flags", before.machine.flags, now.machine.flags),
      ("kernel", before.machine.kernel, now.machine.kernel),
    ]
    let machine = facts.filter { $0.1 != $0.2 }.map { name, before, now in
      "another \(name): '\(before)' before, '\(now)' now"
    }
    let plans = now.workloads.compactMap { workload -> String? in
      guard
        let old = before.workloads.first(where: {
          $0.family == workload.family && $0.size == workload.size
        })
      else { return nil }
      let isSame = zip(workload.plans, old.plans).allSatisfy { $0.digest == $1.digest }
      return isSame ? nil : "\(workload.title): other plans, so another seed or another version"
    }
    return machine + plans
  }
}
