package import CurfewText

/// A document with tables that are made from results files. A table stands between two marks:
///
///     <!-- benchmark: deadlines/1 -->
///     <!-- end of benchmark -->
///
/// The name is a workload, for a table of each of its sizes, or `summary deadlines/1 fleet/1`, for
/// a table with a row for each size of each workload.
package struct BenchmarkDocument: Sendable {
  /// A results file, and the run in it.
  package struct Source: Sendable {
    package let file: String
    package let report: BenchReport

    /// A source; only the last part of the path is shown.
    package init(file: String, _ report: BenchReport) {
      self.file = file.split(separator: "/").last.map(String.init) ?? file
      self.report = report
    }
  }

  private static let begin = "<!-- benchmark: "
  private static let end = "<!-- end of benchmark -->"
  /// The maximum number of rows of a summary.
  private static let mostRows = 8
  /// The maximum number of columns of a line of text.
  private static let width = 100

  private let sources: [Source]

  /// - Parameter sources: The results in the order of their dates. The last one that has a size and
  ///   a shape of a workload is used for them.
  package init(_ sources: [Source]) { self.sources = sources }

  /// The text with its tables made again. Throws if a mark has no end, or a name no results.
  package func filled(_ text: String) throws(Refusal) -> String {
    var lines: [String] = []
    var open: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let name = BenchmarkDocument.name(in: line) {
        guard open == nil else {
          throw Refusal("the mark of '\(name)' stands before the end of '\(open ?? "")'")
        }
        open = name
        lines += [line, ""] + (try table(named: name)) + [""]
      } else if line == BenchmarkDocument.end {
        guard open != nil else { throw Refusal("an end of a benchmark without a beginning") }
        open = nil
        lines.append(line)
      } else if open == nil {
        lines.append(line)
      }
    }
    if let open { throw Refusal("the mark of '\(open)' has no end") }
    return lines.joined(separator: "\n")
  }

  /// The names of the tables in a text, in order.
  package static func names(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { name(in: String($0)) }
  }

  private static func name(in line: String) -> String? {
    guard line.hasPrefix(begin), line.hasSuffix(" -->") else { return nil }
    return String(line.dropFirst(begin.count).dropLast(4))
  }

  // MARK: Tables

  private func table(named name: String) throws(Refusal) -> [String] {
    if name.hasPrefix("summary ") {
      return try summary(of: name.split(separator: " ").dropFirst().map(String.init))
    }
    let found = try entries(of: name)
    let tables = found.flatMap { entry in
      ["`\(name)`\(entry.workload.title.dropFirst(name.count)):", ""]
        + rows(entry.place, entry.source.report) + [""]
    }
    return tables + note(on: found)
  }

  /// A size of a workload in a results file.
  private struct Entry {
    let source: Source
    let place: Int

    var workload: WorkloadRecord { source.report.record.workloads[place] }
  }

  /// The sizes and shapes of a workload, in order.
  private func entries(of name: String) throws(Refusal) -> [Entry] {
    var found: [Entry] = []
    for source in sources {
      for place in source.report.record.workloads.indices {
        let entry = Entry(source: source, place: place)
        guard entry.workload.name == name else { continue }
        found.removeAll { $0.workload.title == entry.workload.title }
        found.append(entry)
      }
    }
    guard !found.isEmpty else { throw Refusal("no results have the workload '\(name)'") }
    return found.sorted { $0.workload.size < $1.workload.size }
  }

  private func rows(_ place: Int, _ report: BenchReport) -> [String] {
    let workload = report.record.workloads[place]
    let floor = workload.floor?.name ?? ""
    let shown = report.shownContestants(ofWorkload: place)
    let kinds = workload.mainFigures
    /// A cell behind those of the ranking figure, if there is a subject.
    func subjectCell(_ kind: FigureKind, _ cell: (ContestantRecord) -> String) -> [String] {
      kind.name == kinds.first?.name ? workload.subject.map { [cell($0)] } ?? [] : []
    }
    let header =
      ["", "rank"]
      + kinds.flatMap { kind in
        [kind.name] + (floor.isEmpty ? [] : ["of \(floor)"])
          + subjectCell(kind) { "\($0.name) of it" }
      }
    let rows = shown.map { contestant in
      ["\(contestant.name)", report.standings[place][contestant].text(of: contestant)]
        + kinds.flatMap { kind -> [String] in
          let middle = report.figures[place].middle(of: contestant.name, kind.name)
          let ratio = report.ratios.ofFloor(contestant.name, kind.name, workload: place)
          return [middle.map(kind.unit.text) ?? "–"]
            + (floor.isEmpty ? [] : [contestant.name == floor ? "1" : ratio?.text ?? "–"])
            + subjectCell(kind) {
              ratioText($0.name, to: contestant.name, kind.name, place, report)
            }
        }
    }
    return BenchmarkDocument.markdown([header] + rows)
  }

  private func ratioText(
    _ subject: String, to other: String, _ figure: String, _ place: Int, _ report: BenchReport
  ) -> String {
    if other == subject { return "1" }
    return report.ratios.ratio(subject, to: other, figure, workload: place)?.text ?? "–"
  }

  /// One row for each size of the workloads in which the subject has a ratio to the floor.
  private func summary(of names: [String]) throws(Refusal) -> [String] {
    var used: [Entry] = []
    for name in names { used += try entries(of: name) }
    let rows = used.compactMap { summaryRow($0.place, $0.source.report) }
    guard rows.count <= BenchmarkDocument.mostRows else {
      throw Refusal("a summary has at most \(BenchmarkDocument.mostRows) rows, not \(rows.count)")
    }
    let header = [
      "", "Curfew", "of the floor", "best rival, closed", "Curfew of it", "best rival, open",
      "Curfew of it",
    ]
    return BenchmarkDocument.markdown([header] + rows) + [""] + note(on: used)
  }

  private func summaryRow(_ place: Int, _ report: BenchReport) -> [String]? {
    let workload = report.record.workloads[place]
    guard let kind = workload.mainFigures.first, let floor = workload.floor,
      let subject = workload.subject,
      let own = report.figures[place].middle(of: subject.name, kind.name),
      let ratio = report.ratios.ofFloor(subject.name, kind.name, workload: place)?.text
    else { return nil }
    func rival(_ division: ContestantRecord.Division) -> [String] {
      let ranking = report.standings[place].ranking[division] ?? []
      let rivals = ranking.compactMap { name in workload.contestants.first { $0.name == name } }
      guard let best = rivals.first(where: { $0.role == .peer && !$0.isOwn }),
        let middle = report.figures[place].middle(of: best.name, kind.name)
      else { return ["–", "–"] }
      return [
        "\(best.name), \(kind.unit.text(middle))",
        ratioText(subject.name, to: best.name, kind.name, place, report),
      ]
    }
    return [
      "\(workload.title): \(kind.name)", kind.unit.text(own), "\(ratio), \(floor.name)",
    ] + rival(.closed) + rival(.open)
  }

  /// The machine and the date of the figures, and the files.
  private func note(on entries: [Entry]) -> [String] {
    var texts: [String] = []
    for entry in entries {
      let machine = entry.source.report.record.machine
      let text = "\(machine.text), \(machine.date.prefix(10))"
      if !texts.contains(text) { texts.append(text) }
    }
    var files: [String] = []
    for entry in entries where !files.contains("`\(entry.source.file)`") {
      files.append("`\(entry.source.file)`")
    }
    return BenchmarkDocument.wrapped(
      "Medians; the intervals of a workload in one file hold together with 95 % confidence. Measured on "
        + texts.joined(separator: "; and on ")
        + ". Files in `Benchmarks/Results`: \(files.joined(separator: ", ")).")
  }

  // MARK: Text

  private static func markdown(_ rows: [[String]]) -> [String] {
    var lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
    let columns = rows.first?.count ?? 0
    lines.insert(
      "|---|" + String(repeating: "---:|", count: max(0, columns - 1)), at: min(1, lines.count))
    return lines
  }

  /// The text in lines of at most 100 columns, of which the last has two words.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [[Substring]] = [[]]
    for word in text.split(separator: " ") {
      let used = lines[lines.count - 1].reduce(0) { $0 + $1.count + 1 }
      if used + word.count > width { lines.append([]) }
      lines[lines.count - 1].append(word)
    }
    if lines.count > 1, lines[lines.count - 1].count == 1, lines[lines.count - 2].count > 2 {
      lines[lines.count - 1].insert(lines[lines.count - 2].removeLast(), at: 0)
    }
    return lines.map { $0.joined(separator: " ") }
  }
}
