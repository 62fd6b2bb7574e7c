import CurfewPolicy
import CurfewSimulation
import CurfewText

/// The result of one scenario's file.
struct TestedFile {
  enum Outcome: String, CaseIterable {
    case passed, failed, invalid
    /// Its run was interrupted.
    case interrupted
  }

  let path: String
  /// The scenario; nil if it cannot be read.
  var scenario: Scenario?
  var verdicts: [ExpectationVerdict] = []
  /// The reasons why the file cannot be read or its run does not finish.
  var troubles: [FileDiagnostic] = []
  var isCut = false
  /// The time that the run took.
  var length = Duration.zero

  var outcome: Outcome {
    if scenario == nil { return .invalid }
    if !troubles.isEmpty || verdicts.contains(where: { $0.outcome == .failed }) { return .failed }
    return isCut ? .interrupted : .passed
  }

  /// Whether its run does not finish.
  var isStuck: Bool { scenario != nil && !troubles.isEmpty }

  func count(_ outcome: ExpectationVerdict.Outcome) -> Int {
    Verdicts(all: verdicts).count(outcome)
  }
}

extension Duration {
  var inSeconds: Double { Double(inNanoseconds) / 1e9 }

  var inNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
