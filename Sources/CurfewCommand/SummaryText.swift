import CurfewEngine
import CurfewFiles
import CurfewSimulation

/// The summary for a person.
struct SummaryText {
  let scenario: Scenario
  let summary: RunSummary
  /// Where the run ended.
  let end: Instant
  let style: TextStyle

  var text: String {
    let total = summary.total
    let heading = style.bold("Summary") + style.dim("  \(HumanTime.text(end)) of virtual time, policy \(scenario.policy.name)")
    var rows = ["", heading]
    rows += [
      count(
        total.visits, total.visits == 1 ? "visit to the background" : "visits to the background",
        "\(total.suspensions) suspensions"),
      count(total.grants, total.grants == 1 ? "grant" : "grants", "visits in which a task was open"),
      count(total.tasksBegun, total.tasksBegun == 1 ? "task begun" : "tasks begun", "\(total.tasksEnded) ended by their apps"),
      count(total.expirations, total.expirations == 1 ? "expiration" : "expirations", "handlers called"),
      count(total.terminations, total.terminations == 1 ? "process ended" : "processes ended", nil),
    ]
    rows += summary.killsByReason.map { reason, number in count(number, reason.fileName, nil, indent: 4) }
    rows += decisions + wakes + requests + memory + notifications
    let remarks = Diagnostic.allCases.compactMap { diagnostic in summary.diagnostics[diagnostic].map { (diagnostic, $0) } }
    if !remarks.isEmpty {
      let number = remarks.map(\.1).reduce(0, +)
      rows.append(count(number, number == 1 ? "remark" : "remarks", nil))
      rows += remarks.map { count($1, $0.fileName, nil, indent: 4) }
    }
    return rows.joined(separator: "\n")
  }

  private var decisions: [String] {
    let all = AssertionKind.allCases.compactMap { kind in summary.decisions[kind].map { (kind, $0) } }
    let (allowed, denied) = (all.map(\.1.allowed).reduce(0, +), all.map(\.1.denied).reduce(0, +))
    let rows = all.map { kind, decisions in
      let reasons = DenialReasons.all.compactMap { reason in decisions.reasons[reason].map { "\(reason.fileName) \($0)" } }
      let denied = decisions.denied == 0 ? "" : ", \(decisions.denied) denied: " + reasons.joined(separator: ", ")
      return count(decisions.allowed + decisions.denied, kind.fileName, "\(decisions.allowed) allowed\(denied)", indent: 4)
    }
    let what = allowed + denied == 1 ? "decision" : "decisions"
    return [count(allowed + denied, what, "\(allowed) allowed, \(denied) denied; a task has one only where it is denied")] + rows
  }

  private var wakes: [String] {
    let all = AssertionKind.allCases.compactMap { kind in summary.wakes[kind].map { (kind, $0) } }
    guard !all.isEmpty else { return [] }
    let rows = all.map { kind, wakes in
      count(wakes.delivered, kind.fileName, "\(wakes.completed) completed, \(wakes.overrun) ran out", indent: 4)
    }
    return [count(summary.total.wakes, summary.total.wakes == 1 ? "wake" : "wakes", "delivered in the background")] + rows
  }

  private var requests: [String] {
    AssertionKind.allCases.compactMap { kind in
      guard let requests = summary.requests[kind] else { return nil }
      let refused = TaskRequestError.allCases.compactMap { error in requests.refused[error].map { ", \(error.fileName) \($0)" } }
      let what = requests.submitted == 1 ? "\(kind.fileName) request" : "\(kind.fileName) requests"
      return count(requests.submitted, what, "\(requests.started) started, \(requests.cancelled) cancelled\(refused.joined())")
    }
  }

  private var memory: [String] {
    let total = summary.total
    guard total.memoryWarnings + total.purges > 0 else { return [] }
    return [
      count(total.memoryWarnings, total.memoryWarnings == 1 ? "memory warning" : "memory warnings", "to running apps"),
      count(total.purges, total.purges == 1 ? "purge" : "purges", "apps that made room for others"),
    ]
  }

  private var notifications: [String] {
    let total = summary.total
    var rows: [String] = []
    if total.localNotifications > 0 {
      let what = total.localNotifications == 1 ? "local notification" : "local notifications"
      rows.append(count(total.localNotifications, what, "shown to the user or delivered to the app"))
    }
    if total.notifications > 0 {
      let what = total.notifications == 1 ? "notification" : "notifications"
      rows.append(count(total.notifications, what, "delivered; of what came while an app was suspended, the net change"))
    }
    return rows
  }

  private func count(_ number: Int, _ what: String, _ detail: String?, indent: Int = 0) -> String {
    "  " + String(repeating: " ", count: indent) + pad("\(number)", 5, .right) + "  " + what + (detail.map { style.dim("  (\($0))") } ?? "")
  }
}
