import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The result of a run, for a program.
struct SimulationResult {
  let scenario: Scenario
  let summary: RunSummary
  let ending: Simulation.Ending
  /// The instant at which the run ended.
  let end: Instant
  let explained: ExplainedLines
  /// The verdicts on the scenario's expectations; empty under a policy other than its own.
  let verdicts: [ExpectationVerdict]

  var json: String { SimulationResult.form.json(self).closed }
}

extension SimulationResult {
  /// `simulate/2`.
  static let form = ResultForm<SimulationResult>(
    "The result of a run in virtual time: one object on one line.",
    [
      .format("simulate/2"), .text("name") { $0.scenario.name },
      .text("policy") { $0.scenario.policy.name },
      .text("policyDigest") { $0.scenario.policy.digest }, .count("seed") { _ in 0 },
      .text("ending", "How the run ended.", words: Simulation.Ending.names) {
        $0.ending.name
      },
      .time("end", "The end of the run") { $0.end.nanoseconds },
      .object(
        "standstill", standstill, "The cause, if time stands still.", optional: true
      ) { $0.ending.standstill },
      .object("total", counts, "The counts of all apps together.") { $0.summary.total },
      .objects("apps", app, "Each app, in file order.") { $0.summary.apps },
      .objects("terminations", ExplainedLine.termination, "Processes that ended.") {
        $0.explained.terminations.elements
      },
      .objects("denials", ExplainedLine.denial, "Admissions that were denied.") {
        $0.explained.denials.elements
      },
      .tally(
        "diagnostics", "The number of times that each diagnostic was reported.",
        words: Diagnostic.allCases.map(\.fileName)
      ) { $0.summary.diagnostics[word: $1] },
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
      .objects("remarks", ExplainedLine.remark, "Diagnostics, each with its explanation.") {
        $0.explained.remarks.elements
      },
      .objects("warnings", ExplainedLine.warning, "Memory warnings.") {
        $0.explained.warnings.elements
      },
      .object(
        "omitted", omitted,
        "The number of entries left out of each list, between its first and its last 1,000."
      ) { $0.explained },
      .objects(
        "expectations", ExpectationVerdict.form,
        "The verdicts on the scenario's expectations, in file order.", optional: true
      ) {
        $0.verdicts.isEmpty ? nil : $0.verdicts
      },
    ])

  private static let standstill = ResultForm<Standstill>(
    "",
    [
      .time("at", "The instant") { $0.instant.nanoseconds },
      .objects("answers", answer, "The apps' actions that cause each other, in order.") {
        $0.answers
      },
    ])

  private static let answer = ResultForm<Standstill.Answer>(
    "",
    [
      .text("app") { $0.app },
      .text(
        "callback", "The callback that the app answers; absent if it acts without a callback.",
        optional: true
      ) { $0.callback?.fileName },
      .texts("steps", "The steps of the answer.") { $0.steps.map(\.name) },
    ])

  /// The names of all kinds of the policy.
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
      .tally("reasons", "The number of denials for each reason.") { decisions in
        decisions.reasons.sorted { $0.key.precedes($1.key) }.map { ($0.key.description, $0.value) }
      },
    ])

  private static let wakes = ResultForm<KindFigures>(
    "",
    [
      .count("delivered") { $0[.begun] }, .count("completed") { $0[.completed] },
      .count("warned", "The number of runs whose expiration handler was called.") { $0[.warned] },
      .count("overrun") { $0[.overran] },
    ])

  private static let requests = ResultForm<RunSummary.Requests>(
    "",
    [
      .count("submitted", "The number of accepted requests.") { $0.submitted },
      .count("replaced") { $0.replaced },
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
  /// The value for the key with this name in files.
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
