internal import ArgumentParser
internal import CurfewBench
internal import CurfewSystem
internal import CurfewText

/// The results of a run: the options that they need, and their output.
struct RunEnding: ParsableArguments {
  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      "A condition that must hold, such as curfew.p50/timerfd.p50<=2. May be repeated.",
      valueName: "condition"))
  var thresholds: [String] = []

  /// Throws if an option is invalid, before anything is measured.
  func check(_ options: RunOptions) throws {}

  /// For `--until`: whether the intervals are narrow enough.
  func isPrecise(_ options: RunOptions) -> (RunRecord) -> Bool { { _ in false } }

  /// Prints the results, and throws the exit code.
  func finish(_ record: RunRecord) throws {
    var code: Int32 = 0
    for workload in record.workloads {
      try show("\(workload.name) at \(workload.size)\n")
      for contestant in workload.contestants {
        let segments = workload.segments.filter {
          $0.contestant == contestant.name && !$0.isRepeated
        }
        let figures = workload.figures.map { kind in
          let values = segments.flatMap(\.figures).filter { $0.name == kind.name }.map(\.value)
          let middle = values.sorted().dropFirst(values.count / 2).first
          return "\(kind.name) \(middle.map { HumanNumber.rounded($0) } ?? "-")"
        }
        let early = segments.reduce(0) { $0 + $1.early }
        try show(
          "  \(contestant.name): \(figures.joined(separator: ", ")), early \(early); \(contestant.outcome.sentence.escapingControls)\n"
        )
        switch contestant.outcome {
        case .wrong, .failed: code = max(code, contestant.role == .subject ? 6 : 99)
        case .disturbed: code = max(code, 7)
        default: break
        }
      }
    }
    if record.interruption != nil { code = Interrupt().exitCode }
    if code != 0 { throw ExitCode(code) }
  }
}
