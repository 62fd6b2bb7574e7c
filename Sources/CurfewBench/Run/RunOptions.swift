package import CurfewText

/// The options of a run of benchmarks.
package struct RunOptions: Sendable {
  /// A workload with its sizes, which are run in turn, and a shape.
  package struct Selection: Sendable {
    package var kind: WorkloadKind
    package var sizes: [Int]
    package var shape: String?

    package init(kind: WorkloadKind, sizes: [Int], shape: String?) {
      (self.kind, self.sizes, self.shape) = (kind, sizes, shape)
    }
  }

  package var selections: [Selection] = []
  package var repetitions = RunOptions.usualRepetitions
  /// The half width of the intervals at which the run may stop, as a fraction.
  package var until: Double?
  package var seed: UInt64 = 1
  package var thresholds: [String] = []
  package var only: [String] = []
  package var without: [String] = []
  package var required: [String] = []
  /// The path of another clone, as written.
  package var against: String?
  /// The seconds that a contestant may be silent.
  package var patience = ContestantProcess.usualPatience
  /// The share of the cores' time from which others disturb a segment; tests change it.
  var loadLimit = LoadGate.limit

  package static let usualRepetitions = 10
  /// The greatest number of repetitions of a run with `--until`.
  package static let mostRepetitions = 40

  package init() {}

  /// Throws if the numbers of repetitions contradict each other.
  package func check() throws(Refusal) {
    guard until != nil, repetitions < RunOptions.usualRepetitions else { return }
    throw Refusal(
      "--until goes on from \(RunOptions.usualRepetitions) to \(RunOptions.mostRepetitions) repetitions, which contradicts --repetitions \(repetitions); leave one of them out"
    )
  }

  /// The names that an option has, separated by commas; none without the option.
  package static func names(_ text: String?, _ option: String) throws(Refusal) -> [String] {
    guard let text else { return [] }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains("") else {
      throw Refusal("\(option): '\(text)' has an empty name; write names as in 'go,jdk'")
    }
    return names
  }

  /// A run that only checks answers needs one measured segment, and the load of others matters
  /// only if it explains a wrong answer.
  var measuresFigures: Bool { !record.onlyChecksAnswers }
  var measuredSegments: Int { measuresFigures ? 3 : 1 }

  var record: OptionsRecord {
    OptionsRecord(
      repetitions: repetitions, until: until, seed: seed, thresholds: thresholds, only: only,
      without: without, against: against)
  }
}
