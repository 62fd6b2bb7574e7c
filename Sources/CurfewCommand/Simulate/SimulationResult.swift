import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// What came of a run, for a program.
struct SimulationResult {
  let scenario: Scenario
  let summary: RunSummary
  let ending: Simulation.Ending
  /// Where the run ended.
  let end: Instant
  let explained: ExplainedLines
  /// What came of what the scenario expects; none under another policy than its own.
  let verdicts: [ExpectationVerdict]

  var json: String { SimulationResult.form.json(self).closed }
}

extension SimulationResult {
  /// `simulate/2`.
  static let form = ResultForm<SimulationResult>(
    "What came of a run in virtual time: one object on one line.",
    [
      .format("simulate/2"), .text("name") { $0.scenario.name },
      .text("policy") { $0.scenario.policy.name },
      .text("policyDigest") { $0.scenario.policy.digest }, .count("seed") { _ in 0 },
      .text("ending", "How the run came to its end.", words: Simulation.Ending.names) {
        $0.ending.name
      },
      .time("end", "Where the run ended") { $0.end.nanoseconds },
      .object(
        "standstill", standstill, "Why time does not go on, where it stands still.", optional: true
      ) { $0.ending.standstill },
      .object("total", counts, "All apps together.") { $0.summary.total },
      .objects("apps", app, "Each app, in file order.") { $0.summary.apps },
      .objects("terminations", ExplainedLine.termination, "Processes that ended.") {
        $0.explained.terminations.elements
      },
      .objects("denials", ExplainedLine.denial, "Admissions that were denied.") {
        $0.explained.denials.elements
      },
      .tally("diagnostics", "How often each was made.", words: Diagnostic.allCases.map(\.fileName))
      { $0.summary.diagnostics[word: $1] },
      .table("decisions", decisions, "By kind.", names: \.kinds) {
        $0.summary.decisions[KindName(rawValue: $1)]
      },
      .table("wakes", wakes, "By kind.", names: \.kinds) {
        $0.summary.wakes(of: KindName(rawValue: $1))
      },
      .table("requests", requests, "By kind.", names: \.kinds) {
        $0.summary.requests[KindName(rawValue: $1)]
      },
      .objects("refusals", ExplainedLine.refusal, "Requests that were refused.") {
        $0.explained.refusals.elements
      },
      .objects("remarks", ExplainedLine.remark, "What was worth saying.") {
        $0.explained.remarks.elements
      },
      .objects("warnings", ExplainedLine.warning, "Warnings that memory is short.") {
        $0.explained.warnings.elements
      },
      .object(
        "omitted", omitted,
        "How many of each list are left out, between its first and its last 1,000."
      ) { $0.explained },
      .objects(
        "expectations", ExpectationVerdict.form,
        "What came of what the scenario expects, in file order.", optional: true
      ) {
        $0.verdicts.isEmpty ? nil : $0.verdicts
      },
    ])

  private static let standstill = ResultForm<Standstill>(
    "",
    [
      .time("at", "Where") { $0.instant.nanoseconds },
      .objects("answers", answer, "What apps do that causes one another, in order.") { $0.answers },
    ])

  private static let answer = ResultForm<Standstill.Answer>(
    "",
    [
      .text("app") { $0.app },
      .text(
        "callback", "What it is called with; absent for what it does of itself.", optional: true
      ) { $0.callback?.fileName },
      .texts("steps", "What it does.") { $0.steps.map(\.name) },
    ])

  /// All that the policy knows.
  private var kinds: [String] { scenario.policy.policy.names.kinds.map(\.rawValue) }

  private static let counts = ResultForm<RunSummary.Counts>(
    "",
    [
      .count("launches") { $0.launches }, .count("visits") { $0.visits },
      .count("grants") { $0.grants },
      .count("tasksBegun") { $0.tasksBegun }, .count("tasksEnded") { $0.tasksEnded },
      .count("expirations") { $0.expirations },
      .count("wakes") { $0.wakes }, .count("suspensions") { $0.suspensions },
      .count("denials") { $0.denials },
      .count("terminations") { $0.terminations }, .count("purges") { $0.purges },
      .count("memoryWarnings") { $0.memoryWarnings },
      .count("notifications") { $0.notifications },
      .count("localNotifications") { $0.localNotifications },
    ])

  private static let app = ResultForm<(identifier: String, counts: RunSummary.Counts)>(
    "", [.text("app") { $0.identifier }, .all(of: counts) { $0.counts }])

  private static let decisions = ResultForm<RunSummary.Decisions>(
    "",
    [
      .count("allowed") { $0.allowed }, .count("denied") { $0.denied },
      .tally("reasons", "How often each denied it.") { decisions in
        decisions.reasons.sorted { $0.key.precedes($1.key) }.map { ($0.key.description, $0.value) }
      },
    ])

  private static let wakes = ResultForm<KindFigures>(
    "",
    [
      .count("delivered") { $0[.begun] }, .count("completed") { $0[.completed] },
      .count("warned", "Whose expiration handler was called.") { $0[.warned] },
      .count("overrun") { $0[.overran] },
    ])

  private static let requests = ResultForm<RunSummary.Requests>(
    "",
    [
      .count("submitted", "Those accepted.") { $0.submitted }, .count("replaced") { $0.replaced },
      .count("started") { $0.started },
      .count("cancelled") { $0.cancelled },
      .tally("refused", words: TaskRequestError.allCases.map(\.fileName)) { $0.refused[word: $1] },
    ])

  private static let omitted = ResultForm<ExplainedLines>(
    "",
    [
      .count("terminations") { $0.terminations.omitted }, .count("denials") { $0.denials.omitted },
      .count("refusals") { $0.refusals.omitted }, .count("remarks") { $0.remarks.omitted },
      .count("warnings") { $0.warnings.omitted },
    ])
}

extension Dictionary where Key: FileNamed {
  /// What stands under the key of that name in files.
  fileprivate subscript(word word: String) -> Value? { Key(fileName: word).flatMap { self[$0] } }
}

extension Simulation.Ending {
  fileprivate static let names = ["complete", "until", "interrupted", "standstill", "endOfTime"]

  fileprivate var standstill: Standstill? {
    if case .standstill(let standstill) = self { standstill } else { nil }
  }

  fileprivate var name: String {
    switch self {
    case .complete: "complete"
    case .until: "until"
    case .interrupted: "interrupted"
    case .standstill: "standstill"
    case .endOfTime: "endOfTime"
    }
  }
}
