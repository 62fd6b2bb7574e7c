import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

extension Page {
  /// The page of a run.
  /// - Parameters:
  ///   - run: The record of the trace, finished.
  ///   - file: The trace's path. The page shows only its last part.
  package init(of run: RunRecord, file: String) {
    var sections = [Section("App by app", [.lanes(run.lanes)])]
    if !run.tasks.isEmpty { sections.append(Section("Background tasks", run.taskContent)) }
    if run.decided.all > 0 { sections.append(Section("Decisions", run.decisionContent)) }
    if run.hasRuns { sections.append(Section("Wakes and sessions", [.table(run.runTable)])) }
    if !run.ends.isEmpty { sections.append(Section("Processes that ended", run.endContent)) }
    self.init(
      title: run.header.name, lead: RunSentence(run: run).text, subtitle: run.subtitle,
      sections: sections,
      provenance: run.provenance(file))
  }
}

extension RunRecord {
  fileprivate var subtitle: String {
    let time = header.clock == nil ? "virtual time" : "real time"
    var text =
      "\(HumanCount.text(apps.count, "app")) under the policy \(header.policy), \(words(end)) of \(time)."
    if decided.all > 0 {
      let word = decided.denied > 1 ? "were denials" : "was a denial"
      text +=
        " \(decided.denied == 0 ? "None" : HumanCount.text(decided.denied)) of \(HumanCount.text(decided.all, "decision")) \(word)."
    }
    if isCut { text += " The trace has no end, so nothing is known after that time." }
    return text
  }

  fileprivate func provenance(_ file: String) -> [(name: String, value: String)] {
    var rows = [
      (
        name: "Trace",
        value:
          "\(file.split(separator: "/").last.map(String.init) ?? file), \(HumanCount.text(lines + 1, "line"))"
      )
    ]
    rows.append((name: "Policy", value: "\(header.policy), digest \(header.policyDigest)"))
    if !header.settings.isEmpty {
      rows.append(
        (
          name: "Settings",
          value: header.settings.map { "\($0.path)=\($0.text)" }.joined(separator: ", ")
        ))
    }
    rows.append((name: "Seed", value: "\(header.seed)"))
    rows.append((name: "Clock", value: header.clock ?? "virtual"))
    rows.append((name: "End", value: isCut ? "none: cut at \(words(end))" : words(end)))
    if policy == nil {
      rows.append(
        (
          name: "Reasons",
          value:
            "without the policy's values, which were not available; a kind that continues after its limit is shown as ended"
        ))
    }
    return rows
  }

  // MARK: Ends

  fileprivate var endContent: [Page.Content] {
    let hasReasons = ends.contains { $0.because != nil }
    let columns: [Table.Column] =
      [
        .words("app"), .numbers("at"), .words("reason"), .words("cause"),
        .words("rule"),
      ]
      + (hasReasons ? [.words("because")] : [])
    let rows = ends.map { end in
      let reason =
        end.process.reason.fileName + (end.process.code.map { " (\($0.fileName))" } ?? "")
      return [apps[end.app].name, words(end.time), reason, end.cause, end.rule]
        + (hasReasons ? [end.because ?? "–"] : [])
    }
    var content: [Page.Content] = []
    if ends.count > 2 { content.append(.bars(endChart)) }
    return content + [.table(Table("Each end", columns, rows))]
  }

  private var endChart: BarChart {
    var counts: [String: Int] = [:]
    for end in ends { counts[end.process.reason.fileName, default: 0] += 1 }
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let most =
      rows.first.map {
        "The most frequent reason is \($0.key): \(HumanCount.text($0.value)) of \(HumanCount.text(ends.count))."
      } ?? ""
    return BarChart(
      "Ends by reason", text: most, AxisMeasure("processes", .count),
      rows.map { .init($0.key, Double($0.value)) })
  }

  // MARK: Decisions

  fileprivate var decisionContent: [Page.Content] {
    let allowed = decided.all - decided.denied
    let reasons = denials
    let severalReasons = reasons.reduce(0) { $0 + $1.count } > decided.denied
    let chart = BarChart(
      "Decisions by reason",
      text:
        "\(HumanCount.text(allowed)) of \(HumanCount.text(decided.all, "request")) to run \(allowed == 1 ? "was" : "were") allowed"
        + (reasons.first.map { "; the most frequent reason for a denial is \($0.reason)." } ?? "."),
      AxisMeasure("decisions", .count),
      [.init("allowed", Double(allowed))]
        + reasons.map { .init($0.reason, Double($0.count), kind: 1) },
      kinds: ["allowed", "denied"],
      notes: severalReasons ? ["A denial for several reasons counts under each of them."] : [])
    return [.bars(chart), .table(decisionTable)] + (decided.denied > 0 ? [.table(denialTable)] : [])
  }

  private var decisionTable: Table {
    var counts: [KindName: (allowed: Int, denials: Int)] = [:]
    for (key, count) in decisions {
      if key.reason == nil {
        counts[key.kind, default: (0, 0)].allowed += count.count
      } else {
        counts[key.kind, default: (0, 0)].denials += count.count
      }
    }
    return Table(
      "By kind", [.words("kind"), .numbers("allowed"), .numbers("reasons of denials")],
      counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
        [$0.key.rawValue, HumanCount.text($0.value.allowed), HumanCount.text($0.value.denials)]
      })
  }

  private var denialTable: Table {
    let keys = decisions.keys.filter { $0.reason != nil }.sorted {
      ($0.kind.rawValue, $0.reason ?? "") < ($1.kind.rawValue, $1.reason ?? "")
    }
    let hasReasons = keys.contains { decisions[$0]?.because != nil }
    return Table(
      "Denials by kind and reason",
      [.words("kind"), .words("reason"), .numbers("times")]
        + (hasReasons ? [.words("because")] : []),
      keys.map { key in
        [key.kind.rawValue, key.reason ?? "", HumanCount.text(decisions[key]?.count ?? 0)]
          + (hasReasons ? [decisions[key]?.because ?? "–"] : [])
      })
  }

  fileprivate var hasRuns: Bool {
    !sessionKinds.isEmpty || figures.kinds.contains { $0[.begun] > 0 }
  }

  fileprivate var runTable: Table {
    let begun = figures.kinds.indices.filter { figures.kinds[$0][.begun] > 0 }
    let kinds = sessionKinds.union(begun)
      .map { place in
        let figures = place < figures.kinds.count ? figures.kinds[place] : KindFigures()
        return (
          name: lives.names.kinds[place].rawValue, isSession: sessionKinds.contains(place),
          figures: figures
        )
      }
      .sorted { ($0.isSession ? 1 : 0, $0.name) < ($1.isSession ? 1 : 0, $1.name) }
    return Table(
      "Outcomes",
      [
        .words("kind"), .words(""), .numbers("begun"), .numbers("completed or ended"),
        .numbers("ran out"),
      ],
      kinds.map { kind in
        [kind.name, kind.isSession ? "session" : "wake"]
          + [kind.figures[.begun], kind.figures[.completed], kind.figures[.overran]].map {
            HumanCount.text($0)
          }
      })
  }
}
