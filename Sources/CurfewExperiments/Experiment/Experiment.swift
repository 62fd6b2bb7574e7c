package import CurfewEngine
package import CurfewSimulation
package import CurfewText

/// A question about policies or workloads. Its variants are simulated repeatedly and compared.
///
/// Repetition r of each variant is a fleet of `devices` devices. Under `Pairing.common` it has
/// the same seed in every variant: the same users take the same actions at the same instants, so
/// differences come from the variants alone.
package struct Experiment: Sendable {
  /// The experiment's name.
  package var name: String
  /// The experiment's question: a sentence with a question mark.
  package var question: String?
  /// The description in the file.
  package var about: String?
  /// Published results about the question, each with its source.
  package var published: [String] = []
  /// The parameters that are varied; empty if the file lists the variants.
  package var parameters: [Parameter] = []
  /// The variants to compare, in the order of the file.
  package var variants: [Variant]
  /// The index in `variants` of the variant that the others are compared with.
  package var baseline = 0
  /// The figures by which variants are compared.
  package var measures: [Measure]
  /// The number of devices in each run.
  package var devices = 100
  /// The time for which each device runs.
  package var length = Interval.seconds(86_400)
  /// The seed from which the seeds of all runs are derived.
  package var seed: UInt64 = 0
  /// The minimum and the maximum number of repetitions. If they differ, a sweep ends at the first
  /// look at which every comparison is decided.
  package var repetitions = 20...20
  /// The rule that says which runs share a seed.
  package var pairing = Pairing.common
  /// The probability that all intervals simultaneously contain the true differences.
  package var level = 0.95
  /// Whether the runs also compute the smallest possible number of cold launches, because a measure
  /// needs it.
  var looksBack: Bool { measures.contains { FigureRow.hindsight.contains($0.figure) } }
  /// Warnings from reading the file and its workloads: keys that have no effect.
  package internal(set) var warnings: [FileDiagnostic] = []

  /// An experiment with these variants and measures.
  /// - Precondition: There are at least two variants and one measure.
  package init(name: String, variants: [Variant], measures: [Measure]) {
    precondition(
      variants.count > 1 && !measures.isEmpty,
      "\(variants.count) variants and \(measures.count) measures; at least two variants and one measure are needed"
    )
    (self.name, self.variants, self.measures) = (name, variants, measures)
  }

  /// A parameter: values that replace one value of the policy or the workload.
  package struct Parameter: Hashable, Sendable {
    /// The name in files.
    package let name: String
    /// The path that the parameter sets: `policy.tasks.grant`, `workload.device.memory`, `policy`
    /// or `workload`.
    package let path: String
    /// Its values, as written in files.
    package let values: [String]

    /// A parameter with these values.
    package init(name: String, path: String, values: [String]) {
      (self.name, self.path, self.values) = (name, path, values)
    }
  }

  /// A variant: one side of a comparison.
  package struct Variant: Sendable {
    /// The name: `grant=30s`.
    package let name: String
    /// The paths that the variant sets, with their values, in order.
    package let settings: [ValueSetting]
    /// The workload to simulate, with its policy; all settings are applied.
    package let workload: Workload

    /// A variant with these settings and the workload that results from them.
    package init(name: String, settings: [ValueSetting] = [], workload: Workload) {
      (self.name, self.settings, self.workload) = (name, settings, workload)
    }
  }

  /// The rule that says which runs share a seed.
  package enum Pairing: String, Hashable, Sendable, CaseIterable {
    /// Repetition r has the same seed in all variants, so random differences between users cancel.
    case common
    /// Each run has its own seed.
    case independent
  }

  /// The seed of a run, which `curfew fleet --seed` accepts.
  ///
  /// The random stream depends on the experiment's seed and the repetition; under
  /// `Pairing.independent`, also on the variant's index. The seed is the stream's first number,
  /// shifted right by one bit.
  package func seed(ofRepetition repetition: Int, variant: Int) -> UInt64 {
    var path = RandomPath(seed: seed).child(UInt64(repetition))
    if pairing == .independent { path = path.child(UInt64(variant)) }
    var stream = RandomStream(path)
    return stream.next() >> 1
  }
}
