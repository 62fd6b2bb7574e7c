import CurfewSimulation
import CurfewText

extension ExpectationVerdict {
  /// The verdict as an object of a result.
  static let form = ResultForm<ExpectationVerdict>(
    "",
    [
      .text("expected", "The expectation as written.") { $0.expectation.text },
      .text("file") { $0.place.file }, .count("line") { $0.place.line },
      .count("column") { $0.place.column },
      .text("outcome", words: Outcome.allCases.map(\.rawValue)) { $0.outcome.rawValue },
      .text("found", "The actual outcome, if it failed.", optional: true) { $0.found },
    ])
}

/// The verdicts on a scenario's expectations.
struct Verdicts {
  let all: [ExpectationVerdict]

  var failed: [ExpectationVerdict] { all.filter { $0.outcome == .failed } }

  func count(_ outcome: ExpectationVerdict.Outcome) -> Int { all.count { $0.outcome == outcome } }

  /// Prints the failures, at most `Findings.limit` of them.
  func tell(_ console: Console) {
    for verdict in failed.prefix(Findings.limit) {
      console.tell(Message(.failed, "\(verdict)", place: verdict.place))
    }
    let more = failed.count - Findings.limit
    if more > 0 { console.tell(.failed, "and \(HumanCount.text(more, "more expectation"))") }
  }
}
