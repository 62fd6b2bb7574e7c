import CurfewStatistics

/// The figures of a workload's contestants by repetition, from the segments that count.
///
/// A segment counts in its last attempt that was not repeated for the load of others.
/// The value of a repetition is the median of its segments. A repetition that was cut short, so
/// that it has fewer segments than others, has no value.
package struct WorkloadFigures: Sendable, Hashable {
  /// The fewest repetitions that ratios and ranks are computed from. A run with fewer only checks
  /// its answers.
  package static let fewestRepetitions = 5

  /// The value of a figure in one repetition.
  package struct Value: Sendable, Hashable {
    package var repetition: Int
    package var value: Double
  }

  private struct Key: Hashable {
    let contestant: String
    let figure: String
  }

  private var values: [Key: [Value]] = [:]
  /// The greatest share of the cores' time that others took in a segment that counts; nil if no
  /// share is known.
  package private(set) var greatestOthersShare: Double?

  /// No figures.
  init() {}

  /// - Complexity: O(n log n) in the number of segments.
  package init(_ workload: WorkloadRecord) {
    let hidden = Set(workload.contestants.filter { !$0.outcome.hasFigures }.map(\.name))
    var counting: [String: [Int: [Int: SegmentRecord]]] = [:]
    for segment in workload.segments
    where segment.segment > 0 && !segment.isRepeated && !hidden.contains(segment.contestant) {
      let known = counting[segment.contestant]?[segment.repetition]?[segment.segment]
      if let known, known.attempt > segment.attempt { continue }
      counting[segment.contestant, default: [:]][segment.repetition, default: [:]][
        segment.segment] = segment
    }
    let whole = counting.values.flatMap(\.values).map(\.count).max() ?? 0
    for (contestant, repetitions) in counting {
      for (repetition, segments) in repetitions.sorted(by: { $0.key < $1.key })
      where segments.count == whole {
        let shares = segments.values.compactMap(\.othersShare)
        greatestOthersShare = (shares + [greatestOthersShare].compactMap(\.self)).max()
        for kind in workload.figures {
          let all = segments.values.flatMap(\.figures).filter { $0.name == kind.name }
          guard let middle = median(all.map(\.value)), middle.isFinite else { continue }
          values[Key(contestant: contestant, figure: kind.name), default: []].append(
            Value(repetition: repetition, value: middle))
        }
      }
    }
  }

  /// The values of a figure, in the order of repetitions; empty if it was not measured.
  package func values(of contestant: String, _ figure: String) -> [Value] {
    values[Key(contestant: contestant, figure: figure)] ?? []
  }

  /// The median over the repetitions; nil if the figure was not measured.
  package func middle(of contestant: String, _ figure: String) -> Double? {
    median(values(of: contestant, figure).map(\.value))
  }
}

extension ContestantRecord.Outcome {
  /// Whether figures of such a contestant may be shown: a wrong answer takes them away.
  package var hasFigures: Bool {
    switch self {
    case .measured, .disturbed, .interrupted, .tooSlow: true
    case .missing, .cannot, .wrong, .failed: false
    }
  }

  /// Whether others took too much time of the cores.
  package var isDisturbed: Bool { if case .disturbed = self { true } else { false } }
}

extension WorkloadRecord {
  /// The floor: the first contestant with this role.
  package var floor: ContestantRecord? { contestants.first { $0.role == .floor } }

  /// The subject of this checkout; nil if it was not run.
  package var subject: ContestantRecord? {
    contestants.first { $0.role == .subject && !$0.isOfOtherCheckout }
  }

  /// Whether a contestant was disturbed, so that no ratio of this workload means anything.
  package var isDisturbed: Bool { contestants.contains { $0.outcome.isDisturbed } }

  /// The figures that are ranked and compared.
  package var mainFigures: [FigureKind] { figures.filter(\.isMain) }

  /// The early timers of a contestant in all of its segments; nil if there were none. The load of
  /// others makes no timer early, so repeated segments count too.
  package func earlyTimers(of contestant: String) -> EarlyTimers? {
    let early = segments.filter { $0.contestant == contestant && $0.early > 0 }
    guard let most = early.map(\.earliestNanoseconds.magnitude).max() else { return nil }
    return EarlyTimers(count: early.reduce(0) { $0 + $1.early }, nanoseconds: Int64(clamping: most))
  }
}

/// Timers that fired before they were due.
package struct EarlyTimers: Sendable, Hashable {
  package var count: Int
  /// The time by which the earliest was early.
  package var nanoseconds: Int64
}
