import CurfewText

/// The ratios of a run.
///
/// By default these are the main figures of every contestant as ratios of the floor's, and, with
/// `--against`, of the other checkout's. The subject's ranking figure is also a ratio of every
/// peer's. The thresholds add theirs.
///
/// The intervals of a workload's ratios, over all of its sizes and shapes, hold together with 95 %
/// confidence. Their level counts every contestant that the run began with, also one that failed
/// later, so that it stays the same from one look of `--until` to the next. It counts all peers, so
/// a table may show only the best one.
package struct RatioTable: Sendable, Hashable {
  package let ratios: [Ratio]

  /// Throws if a threshold names something that the run does not have.
  init(_ record: RunRecord, _ figures: [WorkloadFigures], _ thresholds: [Threshold])
    throws(Refusal)
  {
    var wanted = RatioTable.usual(record)
    for threshold in thresholds { wanted += try threshold.ratio.resolved(in: record) }
    // A threshold may name a ratio that is there already, with or without its workload and size.
    var seen: Set<RatioName> = []
    let named = wanted.map { (found: $0, name: RatioTable.shortName(of: $0, in: record)) }
      .filter { seen.insert($0.name).inserted }
    let families = Dictionary(grouping: named) { record.workloads[$0.found.numeratorWorkload].name }
      .mapValues {
        IntervalLevels(ratios: $0.count, isSequential: record.options.until != nil)
      }
    ratios = named.map { found, name in
      let family = families[record.workloads[found.numeratorWorkload].name]
      return Ratio(
        found, named: name, in: record, figures,
        family ?? IntervalLevels(ratios: named.count, isSequential: false))
    }
  }

  private static func usual(_ record: RunRecord) -> [ResolvedRatio] {
    record.workloads.indices.flatMap { place -> [ResolvedRatio] in
      let workload = record.workloads[place]
      return workload.contestants.flatMap { contestant -> [ResolvedRatio] in
        guard !contestant.outcome.isMissing, !contestant.isOfOtherCheckout else { return [] }
        let others = workload.contestants.filter { other in
          other.isOfOtherCheckout && other.name.hasPrefix(contestant.name + "@")
        }
        let floor = workload.floor.map { $0.name == contestant.name ? [] : [$0] } ?? []
        let peers = workload.contestants.filter { other in
          contestant.role == .subject && other.role == .peer && !other.isOfOtherCheckout
        }
        let main = workload.mainFigures
        let pairs =
          (floor + others).map { ($0, main[...]) } + peers.map { ($0, main.prefix(1)) }
        return pairs.filter { !$0.0.outcome.isMissing }.flatMap { other, kinds in
          kinds.map { kind in
            ResolvedRatio(
              numeratorWorkload: place, denominatorWorkload: place,
              name: RatioName(.init(contestant.name, kind.name), .init(other.name, kind.name)))
          }
        }
      }
    }
  }

  /// The shortest name that is unambiguous: with its workload if there are several, and with sizes
  /// if the workload has several.
  static func shortName(of ratio: ResolvedRatio, in record: RunRecord) -> RatioName {
    let above = record.workloads[ratio.numeratorWorkload]
    let below = record.workloads[ratio.denominatorWorkload]
    let hasShapes = record.workloads.contains {
      $0.name == above.name && $0.shape != above.shape
    }
    let hasOthers = record.workloads.contains { $0.name != above.name }
    let hasSizes = record.workloads.contains {
      $0.family == above.family && $0.size != above.size
    }
    var name = ratio.name
    name.workload = hasShapes ? above.family : hasOthers ? above.name : nil
    name.numerator.size = hasSizes ? above.size : nil
    name.denominator.size = hasSizes && below.size != above.size ? below.size : nil
    return name
  }

  /// The ratio of this figure and contestant to the floor; nil if there is none.
  package func ofFloor(_ contestant: String, _ figure: String, workload: Int) -> Ratio? {
    ratios.first {
      $0.isOfFloor && $0.numeratorWorkload == workload && $0.name.numerator.contestant == contestant
        && $0.name.numerator.figure == figure
    }
  }

  /// The ratio of a figure of two contestants of one workload; nil if there is none.
  package func ratio(_ contestant: String, to other: String, _ figure: String, workload: Int)
    -> Ratio?
  {
    ratios.first {
      let (above, below) = ($0.name.numerator, $0.name.denominator)
      return $0.numeratorWorkload == workload && $0.denominatorWorkload == workload
        && above.contestant == contestant && below.contestant == other && above.figure == figure
        && below.figure == figure
    }
  }

  /// The ratios that a name stands for.
  func ratios(named name: RatioName, in record: RunRecord) throws(Refusal) -> [Ratio] {
    let names = try name.resolved(in: record).map { RatioTable.shortName(of: $0, in: record) }
    return ratios.filter { names.contains($0.name) }
  }
}

extension ContestantRecord {
  /// Whether `--against` built it from another checkout: `curfew@9c1e0f2`.
  package var isOfOtherCheckout: Bool { name.contains("@") }
}

extension ContestantRecord.Outcome {
  /// Whether a need was missing before the run.
  fileprivate var isMissing: Bool { if case .missing = self { true } else { false } }
}
