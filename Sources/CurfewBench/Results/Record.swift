/// Everything that a run of benchmarks has measured and found, before anything is computed from it.
/// The results file holds all of it, so that every figure can be computed again.
package struct RunRecord: Sendable, Hashable {
  package var machine: MachineRecord
  package var options: OptionsRecord
  package var workloads: [WorkloadRecord] = []
  /// Remarks about the whole run, each a sentence. `shortfalls` gives some of them.
  package var notes: [String] = []
  /// The name of the signal that ended the run early; nil for none.
  package var interruption: String?
}

/// The machine, the sources and the tools of a run.
package struct MachineRecord: Sendable, Hashable {
  /// RFC 3339, in UTC.
  package var date: String
  /// The commit of the clone; nil outside a clone.
  package var commit: String?
  package var isClean: Bool
  package var compiler: String
  package var flags: String
  package var kernel: String
  package var architecture: String
  package var processor: String
  package var cores: Int
  package var governor: String?
  /// The frequency scaling driver; nil if the kernel tells none.
  package var frequencyScaling: String?
  package var memoryBytes: Int64
  /// The load averages over 1, 5 and 15 minutes at the start.
  package var load: [Double]
}

/// The options that decide what a run measures.
package struct OptionsRecord: Sendable, Hashable {
  package var repetitions: Int
  /// The half width of the intervals at which the run may stop, as a fraction; nil for a fixed
  /// number of repetitions.
  package var until: Double?
  package var seed: UInt64
  /// The conditions as written, such as `curfew.p50/timerfd.p50<=2`.
  package var thresholds: [String] = []
  package var only: [String] = []
  package var without: [String] = []
  /// The path that `--against` names; nil for none.
  package var against: String?
  /// The commit of that checkout; `+changes` follows if it has changes without a commit.
  package var againstCommit: String?

  /// Whether the run has too few repetitions for figures. The load of others is not watched then.
  package var onlyChecksAnswers: Bool {
    until == nil && repetitions < WorkloadFigures.fewestRepetitions
  }
}

/// One workload at one size, with its contestants.
package struct WorkloadRecord: Sendable, Hashable {
  /// The name with its version, such as `deadlines/1`.
  package var name: String
  package var size: Int
  package var shape: String?
  /// The figures of its segments, in the workload's order. The first main one ranks contestants.
  package var figures: [FigureKind] = []
  /// The digest of the plan of each repetition, in order.
  package var plans: [PlanRecord] = []
  package var contestants: [ContestantRecord] = []
  package var segments: [SegmentRecord] = []
}

/// The plan of one repetition.
package struct PlanRecord: Sendable, Hashable {
  package var repetition: Int
  package var seed: UInt64
  package var digest: String
}

/// A contestant of a workload, and its outcome.
package struct ContestantRecord: Sendable, Hashable {
  package enum Role: String, Sendable, CaseIterable { case floor, peer, subject }
  package enum Division: String, Sendable, CaseIterable { case closed, open }
  package enum Outcome: Sendable, Hashable {
    case measured
    /// A program or file that it needs is missing; the line installs it.
    case missing(need: String, install: String)
    case cannot(String)
    /// Too slow for the size, by its own file or because it was three times not armed in time.
    case tooSlow(String)
    /// The first wrong answer.
    case wrong(String)
    /// A crash, silence, a failed build, or a line that is no answer; with the line that was asked.
    case failed(String)
    /// Not finished because other processes took too much time; names the busiest.
    case disturbed(String)
    case interrupted
  }

  package var name: String
  package var about: String
  package var role: Role
  package var division: Division
  package var version: String?
  package var rounding: String?
  package var notes: String?
  package var outcome: Outcome
  /// Whether it is built from the sources of its checkout.
  package var ownCode = false
}

/// One attempt at a measured segment: raw figures.
package struct SegmentRecord: Sendable, Hashable {
  package var contestant: String
  /// From 1.
  package var repetition: Int
  /// 1 to 3; 0 for the warm-up, which is recorded only if a timer of it was early.
  package var segment: Int
  /// 1 for the first attempt. The segment that counts is the last attempt without `isRepeated`.
  package var attempt: Int
  /// Whether it was repeated because of the load of others; its figures do not count.
  package var isRepeated: Bool
  /// Instants of `CLOCK_MONOTONIC`.
  package var began: Int64
  package var ended: Int64
  /// The processor time of all threads of the contestant.
  package var processorNanoseconds: Int64
  /// The share that other processes took of the cores' time, from 0 to 1; nil if it is not known.
  package var othersShare: Double?
  /// The figures by name, in the workload's order, such as `p50`, `p99`, `max`, `cycle`, `cpu`.
  package var figures: [FigureRecord]
  /// The number of timers that fired early, and the most by which one did; 0 for most workloads.
  package var early: Int
  package var earliestNanoseconds: Int64
}

package struct FigureRecord: Sendable, Hashable {
  package var name: String
  package var value: Double
}

/// A figure that a workload defines for its segments.
package struct FigureKind: Sendable, Hashable {
  package enum Unit: String, Sendable, CaseIterable { case nanoseconds, bytes, count }
  package var name: String
  package var unit: Unit
  package var about: String
  /// Whether the ratios of this figure are in the table and may end `--until`.
  package var isMain: Bool
}
