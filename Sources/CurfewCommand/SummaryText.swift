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
        "\(total.suspensions) suspensions, \(total.wakes) wakes"),
      count(total.grants, total.grants == 1 ? "grant" : "grants", "visits in which a task was open"),
      count(total.tasksBegun, total.tasksBegun == 1 ? "task begun" : "tasks begun", "\(total.tasksEnded) ended by their apps"),
      count(total.expirations, total.expirations == 1 ? "expiration" : "expirations", "handlers called"),
      count(total.terminations, total.terminations == 1 ? "process ended" : "processes ended", nil),
    ]
    rows += summary.killsByReason.map { reason, number in count(number, reason.fileName, nil, indent: 4) }
    rows.append(count(total.denials, total.denials == 1 ? "denial" : "denials", nil))
    rows += summary.denialsByReason.map { kind, reason, number in count(number, "\(kind.fileName): \(reason.fileName)", nil, indent: 4) }
    let remarks = Diagnostic.allCases.compactMap { diagnostic in summary.diagnostics[diagnostic].map { (diagnostic, $0) } }
    if !remarks.isEmpty {
      rows.append(count(remarks.map(\.1).reduce(0, +), "remarks", nil))
      rows += remarks.map { count($1, $0.fileName, nil, indent: 4) }
    }
    return rows.joined(separator: "\n")
  }

  private func count(_ number: Int, _ what: String, _ detail: String?, indent: Int = 0) -> String {
    "  " + String(repeating: " ", count: indent) + pad("\(number)", 5, .right) + "  " + what + (detail.map { style.dim("  (\($0))") } ?? "")
  }
}
