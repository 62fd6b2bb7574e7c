import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The summary of a run, for a person.
struct SummaryText {
  let scenario: Scenario
  let summary: RunSummary
  /// The instant at which the run ended.
  let end: Instant
  let screen: Screen

  private var style: TextStyle { screen.style }

  var text: String {
    let total = summary.total
    let run = Screen.wrapped(
      "\(HumanTime.text(end)) of virtual time, policy \(screen.plain(scenario.policy.name))",
      after: 9, margin: 9, to: screen.textWidth
    ).joined(separator: "\n")
    var rows = ["", style.bold("Summary") + style.dim("  " + run)]
    rows += [
      count(
        total.visits, "visit to the background", many: "visits to the background",
        counted(total.suspensions, "suspension")),
      count(total.grants, "grant", "visits in which a task was open"),
      count(
        total.tasksBegun, "task begun", many: "tasks begun", "\(total.tasksEnded) ended in time"),
      count(total.expirations, "expiration", "handlers called"),
      count(total.terminations, "process ended", many: "processes ended"),
    ].compactMap(\.self)
    rows += summary.killsByReason.map { reason, number in
      row(number, reason.fileName, nil, indent: 4)
    }
    rows += decisions + wakes + requests + memory + notifications
    let remarks = Diagnostic.allCases.compactMap { diagnostic in
      summary.diagnostics[diagnostic].map { (diagnostic, $0) }
    }
    rows += [count(remarks.map(\.1).reduce(0, +), "remark")].compactMap(\.self)
    rows += remarks.map { row($1, $0.fileName, nil, indent: 4) }
    return rows.joined(separator: "\n")
  }

  private var decisions: [String] {
    let all = scenario.policy.policy.names.kinds.compactMap { kind in
      summary.decisions[kind].map { (kind, $0) }
    }
    let (allowed, denied) = (all.map(\.1.allowed).reduce(0, +), all.map(\.1.denied).reduce(0, +))
    guard let first = count(allowed + denied, "decision", "\(allowed) allowed, \(denied) denied")
    else { return [] }
    return [first]
      + all.map { kind, decisions in
        let denied =
          decisions.denied == 0 ? "" : ", \(decisions.denied) denied: " + reasons(decisions.denials)
        return row(
          decisions.allowed + decisions.denied, kind.rawValue,
          "\(decisions.allowed) allowed\(denied)", indent: 4)
      }
  }

  /// `budget`, or if the reasons differ `2 budget, 1 lowPowerMode and lowBattery`.
  private func reasons(_ denials: [Denials: Int]) -> String {
    denials.sorted { $0.key.precedes($1.key) }.map { reasons, number in
      (denials.count > 1 ? "\(number) " : "") + reasons.names.joined(separator: " and ")
    }.joined(separator: ", ")
  }

  private var wakes: [String] {
    guard let first = count(summary.total.wakes, "wake", "delivered in the background") else {
      return []
    }
    return [first]
      + scenario.policy.policy.names.kinds.compactMap { kind in
        guard let wakes = summary.wakes(of: kind) else { return nil }
        return row(
          wakes[.begun], kind.rawValue,
          list([
            ("completed", wakes[.completed]), ("warned", wakes[.warned]),
            ("overrun", wakes[.overran]),
          ]),
          indent: 4)
      }
  }

  private var requests: [String] {
    scenario.policy.policy.names.kinds.compactMap { kind in
      guard let requests = summary.requests[kind] else { return nil }
      let fates = [
        ("started", requests.started), ("replaced", requests.replaced),
        ("cancelled", requests.cancelled),
      ]
      let refusals = TaskRequestError.allCases.compactMap { error in
        requests.refused[error].map { ("refused: \(error.fileName)", $0) }
      }
      let what = HumanCount.word(requests.submitted, "\(kind.rawValue) request")
      return row(requests.submitted, what + " accepted", list(fates + refusals))
    }
  }

  private var memory: [String] {
    [
      count(summary.total.memoryWarnings, "memory warning", "to running apps"),
      count(summary.total.purges, "purge", "apps that made room for others"),
    ].compactMap(\.self)
  }

  private var notifications: [String] {
    [
      count(
        summary.total.localNotifications, "local notification",
        "shown to the user or delivered to the app"),
      count(
        summary.total.notifications, "notification",
        "delivered; for those posted while an app was suspended, the net change"),
    ].compactMap(\.self)
  }

  /// The parts that happened at least once.
  private func list(_ parts: [(what: String, number: Int)]) -> String? {
    let met = parts.filter { $0.number > 0 }
    return met.isEmpty ? nil : met.map { "\($0.number) \($0.what)" }.joined(separator: ", ")
  }

  /// A row for a number; nil for 0.
  private func count(_ number: Int, _ one: String, many: String? = nil, _ detail: String? = nil)
    -> String?
  {
    number == 0 ? nil : row(number, HumanCount.word(number, one, many), detail)
  }

  private func counted(_ number: Int, _ what: String) -> String {
    "\(number) \(HumanCount.word(number, what))"
  }

  private func row(_ number: Int, _ what: String, _ detail: String?, indent: Int = 0) -> String {
    let lead = "  " + String(repeating: " ", count: indent) + pad("\(number)", 5, .right) + "  "
    let detail = detail.map { "  (\($0))" } ?? ""
    let lines = Screen.wrapped(
      what + detail, after: lead.count, margin: lead.count, to: screen.textWidth)
    return lead + (lines.count == 1 ? what + style.dim(detail) : lines.joined(separator: "\n"))
  }
}
