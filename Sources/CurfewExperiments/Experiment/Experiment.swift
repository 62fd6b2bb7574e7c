package import CurfewEngine
package import CurfewSimulation
package import CurfewText

/// A question about policies or workloads, as variants that are simulated again and again
/// and compared.
///
/// Repetition r of each variant is a fleet of so many devices. Under `Pairing.common` it has the
/// same seed in every variant: the same users do the same at the same instants, and what differs
/// is the variants' doing.
package struct Experiment: Sendable {
  /// The experiment's name.
  package var name: String
  /// What it asks, a sentence with a question mark.
  package var question: String?
  /// What it is about, in the file's words.
  package var about: String?
  /// What others have published about the question, each with its source.
  package var published: [String] = []
  /// What is varied; empty where the variants are written out.
  package var parameters: [Parameter] = []
  /// What is compared, in the order of the file.
  package var variants: [Variant]
  /// The place among `variants` of the one that the others are compared with.
  package var baseline = 0
  /// What is measured.
  package var measures: [Measure]
  /// How many devices each run has.
  package var devices = 100
  /// How long each device runs.
  package var length = Interval.seconds(86_400)
  /// What the seeds of all runs are derived from.
  package var seed: UInt64 = 0
  /// How many repetitions there are, at least and at most. Where these differ, a run of the sweep
  /// ends as soon as every comparison is decided.
  package var repetitions = 20...20
  /// Which runs have a seed in common.
  package var pairing = Pairing.common
  /// How likely all intervals together are to hold the true differences.
  package var level = 0.95
  /// Whether its runs tell how few cold launches there could have been, because it measures that.
  var looksBack: Bool { measures.contains { FigureRow.hindsight.contains($0.figure) } }
  /// What in the workloads has no effect.
  package internal(set) var warnings: [FileDiagnostic] = []

  /// An experiment with these variants and measures.
  /// - Precondition: There are two variants and a measure at least.
  package init(name: String, variants: [Variant], measures: [Measure]) {
    precondition(
      variants.count > 1 && !measures.isEmpty,
      "\(variants.count) variants and \(measures.count) measures; two and one are needed")
    (self.name, self.variants, self.measures) = (name, variants, measures)
  }

  /// What is varied: values that stand in the place of one of the policy's or the workload's.
  package struct Parameter: Hashable, Sendable {
    /// What it is called.
    package let name: String
    /// What is set: `policy.tasks.grant`, `workload.device.memory`, `policy` or `workload`.
    package let path: String
    /// Its values, as files write them.
    package let values: [String]

    /// A parameter of these values.
    package init(name: String, path: String, values: [String]) {
      (self.name, self.path, self.values) = (name, path, values)
    }
  }

  /// One of the things that are compared.
  package struct Variant: Sendable {
    /// What it is called: `grant=30s`.
    package let name: String
    /// What it sets, in order: of each path the value.
    package let settings: [ValueSetting]
    /// What is simulated, with its policy; everything is set in it.
    package let workload: Workload

    /// A variant that has set such values, and what that has come to.
    package init(name: String, settings: [ValueSetting] = [], workload: Workload) {
      (self.name, self.settings, self.workload) = (name, settings, workload)
    }
  }

  /// Which runs have a seed in common.
  package enum Pairing: String, Hashable, Sendable, CaseIterable {
    /// Repetition r of every variant: differences are as small as the variants make them.
    case common
    /// None.
    case independent
  }

  /// The seed of a run, which `curfew fleet --seed` takes: the first number of the stream under
  /// the experiment's seed and the repetition, and under `Pairing.independent` the variant's place
  /// too, without its lowest bit.
  package func seed(ofRepetition repetition: Int, variant: Int) -> UInt64 {
    var path = RandomPath(seed: seed).child(UInt64(repetition))
    if pairing == .independent { path = path.child(UInt64(variant)) }
    var stream = RandomStream(path)
    return stream.next() >> 1
  }
}
