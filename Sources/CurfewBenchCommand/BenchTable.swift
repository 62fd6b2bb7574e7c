package import CurfewBench
package import CurfewConsole
import CurfewText

/// The results of a run for a person at a terminal.
package struct BenchTable {
  private let report: BenchReport
  private let screen: Screen

  package init(_ report: BenchReport, on screen: Screen) {
    (self.report, self.screen) = (report, screen)
  }

  /// The text, without a final line break.
  package var text: String {
    let workloads = report.record.workloads.indices.flatMap(parts)
    let parts = workloads + [thresholds, footnotes]
    return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  // MARK: Workloads

  /// The parts of one workload: its heading with the first table, further tables, and lists.
  private func parts(_ place: Int) -> [[String]] {
    let title = "\(report.record.workloads[place].title): \(report.conditions(ofWorkload: place))"
    let heading = wrapped(title).enumerated().map { $0 == 0 ? screen.style.bold($1) : $1 }
    let tables = report.record.options.onlyChecksAnswers ? [answers(place)] : tables(place)
    let first = tables.isEmpty ? ["nothing was measured"] : tables[0]
    return [heading + first] + tables.dropFirst() + [otherRatios(place), belowTheLine(place)]
  }

  private func answers(_ place: Int) -> [String] {
    let rows = report.answers(ofWorkload: place).map { [$0.name, $0.answer] }
    return TextTable(header: ["contestant", "answers"], rows: rows).lines(on: screen)
  }

  /// Columns that stay together: a figure and its ratio.
  private struct Group {
    var header: [String]
    var cells: [[String]]
  }

  /// As many tables as the width needs. Each begins with the names.
  private func tables(_ place: Int) -> [[String]] {
    let shown = report.shownContestants(ofWorkload: place)
    guard !shown.isEmpty else { return [] }
    let names = Group(header: ["contestant"], cells: shown.map { [$0.name] })
    let groups = groups(place, shown)
    var tables: [[Group]] = []
    for group in groups {
      if let last = tables.last, width(last + [group]) <= screen.width {
        tables[tables.count - 1].append(group)
      } else {
        tables.append([names, group])
      }
    }
    return tables.map { groups in
      let rows = shown.indices.map { row in groups.flatMap { $0.cells[row] } }
      return TextTable(header: groups.flatMap(\.header).map(screen.plain), rows: rows)
        .lines(on: screen)
    }
  }

  private func groups(_ place: Int, _ shown: [ContestantRecord]) -> [Group] {
    let workload = report.record.workloads[place]
    let standings = report.standings[place]
    let ranks = Group(header: ["rank"], cells: shown.map { [standings[$0].text(of: $0)] })
    let kinds = workload.mainFigures + workload.figures.filter { !$0.isMain }
    let figures = kinds.map { kind in
      let values = shown.map { contestant in
        report.figures[place].middle(of: contestant.name, kind.name).map {
          report.text($0, kind, workload: place)
        } ?? "-"
      }
      let ratios = shown.map { contestant in
        report.ratios.ofFloor(contestant.name, kind.name, workload: place)?.text
      }
      guard kind.isMain, ratios.contains(where: { $0 != nil }), let floor = workload.floor else {
        return Group(header: [kind.name], cells: values.map { [$0] })
      }
      return Group(
        header: [kind.name, "of \(floor.name)"],
        cells: zip(values, zip(shown, ratios)).map { value, row in
          [value, row.0.name == floor.name ? "1" : row.1 ?? "-"]
        })
    }
    guard shown.contains(where: { $0.rounding.map { $0 != "none" } ?? false }) else {
      return [ranks] + figures
    }
    return [ranks] + figures + [
      Group(header: ["rounding"], cells: shown.map { [$0.rounding ?? "-"] })
    ]
  }

  private func width(_ groups: [Group]) -> Int {
    var widths: [Int] = []
    for group in groups {
      for (column, name) in group.header.enumerated() {
        let cells = [name] + group.cells.map { $0[column] }
        widths.append(cells.map { screen.plain($0).displayWidth }.max() ?? 0)
      }
    }
    return widths.reduce(0, +) + 2 * (widths.count - 1)
  }

  // MARK: Lists

  private func otherRatios(_ place: Int) -> [String] {
    let rows = report.otherRatios(ofWorkload: place).map { [$0.name.description, $0.text ?? ""] }
    return list("other ratios", rows)
  }

  private func belowTheLine(_ place: Int) -> [String] {
    list("below the line", report.belowTheLine(ofWorkload: place).map { [$0.names, $0.sentence] })
  }

  private var thresholds: [String] {
    list(
      "thresholds",
      report.thresholds.map { judged in
        [judged.answer.rawValue, judged.sentence]
      })
  }

  /// A heading, and rows of names and a sentence. A sentence is wrapped behind its names.
  private func list(_ title: String, _ rows: [[String]]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let names = rows.map { screen.plain($0[0]) }
    let widest = names.map(\.displayWidth).max() ?? 0
    // The names may take most of the screen; the sentence is then on the next line.
    let isNarrow = widest + 28 > screen.width
    let lines = zip(names, rows).flatMap { name, row -> [String] in
      let margin = isNarrow ? 4 : widest + 4
      let text = Screen.wrapped(
        screen.plain(row[1]), after: margin, margin: margin, to: screen.textWidth)
      guard isNarrow else {
        return ["  \(pad(name, widest, .left))  \(text[0])"] + text.dropFirst()
      }
      return Screen.wrapped("  \(name)", margin: 2, to: screen.textWidth) + ["    \(text[0])"]
        + text.dropFirst()
    }
    return [screen.style.bold(title)] + lines
  }

  // MARK: The end

  private var footnotes: [String] {
    var notes = [report.record.machine.text] + report.record.notes
    notes.append(
      report.reasonWithoutRatios
        ?? "figures are medians; the intervals of a workload hold together with 95 % confidence")
    let isMarked = report.record.workloads.indices.contains {
      report.record.workloads[$0].isDisturbed && !report.shownContestants(ofWorkload: $0).isEmpty
    }
    if isMarked {
      notes.append("~ disturbed by other processes: nothing follows from this figure")
    }
    return notes.flatMap(wrapped)
  }

  private func wrapped(_ text: String) -> [String] {
    Screen.wrapped(screen.plain(text), to: screen.textWidth)
  }
}
