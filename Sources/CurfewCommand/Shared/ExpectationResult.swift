import CurfewSimulation
import CurfewText

extension ExpectationVerdict {
  /// What came of it, as an object of a result.
  static let form = ResultForm<ExpectationVerdict>(
    "",
    [
      .text("expected", "As it is written.") { $0.expectation.text },
      .text("file") { $0.place.file }, .count("line") { $0.place.line },
      .count("column") { $0.place.column },
      .text("outcome", words: Outcome.allCases.map(\.rawValue)) { $0.outcome.rawValue },
      .text("found", "What there was instead, of one that failed.", optional: true) { $0.found },
    ])
}

/// What has come of what a scenario expects.
struct Verdicts {
  let all: [ExpectationVerdict]

  var failed: [ExpectationVerdict] { all.filter { $0.outcome == .failed } }

  func count(_ outcome: ExpectationVerdict.Outcome) -> Int { all.count { $0.outcome == outcome } }

  /// The failures, of very many the first.
  func tell(_ console: Console) {
    for verdict in failed.prefix(Findings.limit) {
      console.tell(Message(.failed, "\(verdict)", place: verdict.place))
    }
    let more = failed.count - Findings.limit
    if more > 0 { console.tell(.failed, "and \(HumanCount.text(more, "more expectation"))") }
  }
}
