import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The summary for a program: one JSON object on one line, times in nanoseconds.
struct SummaryJSON {
  let scenario: Scenario
  let summary: RunSummary
  let ending: Simulation.Ending
  /// Where the run ended.
  let end: Instant
  /// What has an explanation, in the order of the run.
  let explained: [ExplainedLine]

  var text: String {
    var object = JSONLine()
    object.add("curfew", "simulate/1")
    object.add("name", scenario.name)
    object.add("policy", scenario.policy.name)
    object.add("policyDigest", scenario.policy.digest)
    object.add("seed", 0)
    object.add("ending", ending.name)
    object.add("end", end.nanoseconds)
    object.add("total", json: counts(summary.total).closed)
    object.add("apps", json: JSONLine.array(summary.apps.map(app)))
    object.add("terminations", json: JSONLine.array(explained.compactMap(\.termination)))
    object.add("denials", json: JSONLine.array(explained.compactMap(\.denial)))
    object.add("diagnostics", json: diagnostics.closed)
    object.add("decisions", json: byKind(summary.decisions, decisions))
    object.add("wakes", json: byKind(summary.wakes, wakes))
    object.add("requests", json: byKind(summary.requests, requests))
    object.add("refusals", json: JSONLine.array(explained.compactMap(\.refusal)))
    object.add("remarks", json: JSONLine.array(explained.compactMap(\.remark)))
    object.add("warnings", json: JSONLine.array(explained.compactMap(\.warning)))
    return object.closed
  }

  private func counts(_ counts: RunSummary.Counts, identifier: String? = nil) -> JSONLine {
    var object = JSONLine()
    object.add("app", identifier)
    object.add("launches", counts.launches)
    object.add("visits", counts.visits)
    object.add("grants", counts.grants)
    object.add("tasksBegun", counts.tasksBegun)
    object.add("tasksEnded", counts.tasksEnded)
    object.add("expirations", counts.expirations)
    object.add("wakes", counts.wakes)
    object.add("suspensions", counts.suspensions)
    object.add("denials", counts.denials)
    object.add("terminations", counts.terminations)
    object.add("purges", counts.purges)
    object.add("memoryWarnings", counts.memoryWarnings)
    object.add("notifications", counts.notifications)
    object.add("localNotifications", counts.localNotifications)
    return object
  }

  /// An object with a key for each kind that there is something about, in the kinds' order.
  private func byKind<Value>(_ values: [AssertionKind: Value], _ write: (Value) -> JSONLine) -> String {
    var object = JSONLine()
    for kind in AssertionKind.allCases {
      if let value = values[kind] { object.add(kind.fileName, json: write(value).closed) }
    }
    return object.closed
  }

  private func decisions(_ decisions: RunSummary.Decisions) -> JSONLine {
    var object = JSONLine()
    object.add("allowed", decisions.allowed)
    object.add("denied", decisions.denied)
    var reasons = JSONLine()
    for reason in DenialReasons.all { reasons.add(reason.fileName, decisions.reasons[reason]) }
    object.add("reasons", json: reasons.closed)
    return object
  }

  private func wakes(_ wakes: RunSummary.Wakes) -> JSONLine {
    var object = JSONLine()
    object.add("delivered", wakes.delivered)
    object.add("completed", wakes.completed)
    object.add("warned", wakes.warned)
    object.add("overrun", wakes.overrun)
    return object
  }

  private func requests(_ requests: RunSummary.Requests) -> JSONLine {
    var object = JSONLine()
    object.add("submitted", requests.submitted)
    object.add("replaced", requests.replaced)
    object.add("started", requests.started)
    object.add("cancelled", requests.cancelled)
    var refused = JSONLine()
    for error in TaskRequestError.allCases { refused.add(error.fileName, requests.refused[error]) }
    object.add("refused", json: refused.closed)
    return object
  }

  private func app(_ app: (identifier: String, counts: RunSummary.Counts)) -> JSONLine { counts(app.counts, identifier: app.identifier) }

  private var diagnostics: JSONLine {
    var object = JSONLine()
    for diagnostic in Diagnostic.allCases { object.add(diagnostic.fileName, summary.diagnostics[diagnostic]) }
    return object
  }
}

extension Simulation.Ending {
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
