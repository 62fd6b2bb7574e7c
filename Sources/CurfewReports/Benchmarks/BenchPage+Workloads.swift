import CurfewBench
import CurfewText

extension BenchReport {
  /// The section of one workload and size.
  func section(_ place: Int) -> Page.Section {
    let workload = record.workloads[place]
    var content = workload.mainFigures.compactMap { chart($0, place).map(Page.Content.dots) }
    if record.options.onlyChecksAnswers {
      content.append(.table(answerTable(place)))
    } else if let table = figureTable(place) {
      content.append(.table(table))
    }
    let others = otherRatios(ofWorkload: place)
    if !others.isEmpty {
      content.append(
        .table(
          Table(
            "Other ratios", [.words("ratio"), .numbers("value [interval]")],
            others.map { [$0.name.description, $0.text ?? "–"] })))
    }
    let below = belowTheLine(ofWorkload: place)
    if !below.isEmpty {
      content.append(
        .table(
          Table(
            "Below the line, without a rank", [.words("contestants"), .words("reason")],
            below.map { [$0.names, $0.sentence] })))
    }
    return Page.Section(workload.title, text: ["\(conditions(ofWorkload: place))."], content)
  }

  // MARK: Charts

  /// The dots of one figure: ratios to the floor, or the figure itself if there are none.
  private func chart(_ kind: FigureKind, _ place: Int) -> DotChart? {
    let shown = shownContestants(ofWorkload: place)
    guard !shown.isEmpty else { return nil }
    let ofFloor = shown.compactMap { ratios.ofFloor($0.name, kind.name, workload: place) }
      .filter { $0.value != nil }
    guard let floor = record.workloads[place].floor, !ofFloor.isEmpty else {
      return absoluteChart(kind, place, shown)
    }
    let rows = ofFloor.map { ratio in
      DotChart.Row(
        ratio.name.numerator.contestant,
        ratio.pairs.map { ($0.value, "repetition \($0.repetition)") }, middle: ratio.value,
        ratio.interval, remark: ratio.isDisturbed ? "disturbed" : "")
    }
    let least = ofFloor.min { ($0.value ?? .infinity) < ($1.value ?? .infinity) }
    return DotChart(
      "\(kind.name), compared with \(floor.name)",
      text:
        "\(kind.about) Each dot is a repetition, divided by the one of \(floor.name), the floor."
        + (least.map {
          " The least is \($0.name.numerator.contestant) with \($0.text ?? "–") times."
        } ?? ""),
      AxisMeasure("times the \(kind.name) of \(floor.name)"), rows, reference: 1,
      notes: [
        "The line below the dots is the interval of their geometric mean; all intervals of a workload hold together with 95 % confidence. The vertical line is the floor."
      ])
  }

  private func absoluteChart(_ kind: FigureKind, _ place: Int, _ shown: [ContestantRecord])
    -> DotChart
  {
    let factor = kind.unit == .nanoseconds ? 1e-9 : 1
    let rows = shown.map { contestant in
      let values = figures[place].values(of: contestant.name, kind.name)
      return DotChart.Row(
        contestant.name, values.map { ($0.value * factor, "repetition \($0.repetition)") },
        middle: figures[place].middle(of: contestant.name, kind.name).map { $0 * factor }, nil,
        remark: record.workloads[place].isDisturbed ? "disturbed" : "")
    }
    let unit: AxisMeasure.Unit =
      switch kind.unit {
      case .nanoseconds: .seconds
      case .bytes: .bytes
      case .count: .plain("")
      }
    return DotChart(
      kind.name, text: "\(kind.about) Each dot is a repetition.", AxisMeasure(kind.name, unit),
      rows, notes: ["There is no ratio of this figure to a floor."])
  }

  // MARK: Tables

  private func answerTable(_ place: Int) -> Table {
    Table(
      "Answers", [.words("contestant"), .words("answers")],
      answers(ofWorkload: place).map { [$0.name, $0.answer] })
  }

  /// The medians of all figures, with the ratios of the main ones.
  private func figureTable(_ place: Int) -> Table? {
    let workload = record.workloads[place]
    let shown = shownContestants(ofWorkload: place)
    guard !shown.isEmpty else { return nil }
    var columns: [Table.Column] = [.words("contestant"), .words("division"), .numbers("rank")]
    var cells = shown.map { contestant in
      [
        contestant.name, contestant.division.rawValue,
        standings[place][contestant].text(of: contestant),
      ]
    }
    var keys: [[Double?]] = shown.map { contestant in
      [nil, nil, standings[place][contestant].rank.map(Double.init)]
    }
    let kinds = workload.mainFigures + workload.figures.filter { !$0.isMain }
    for kind in kinds {
      let hasRatios = kind.isMain && workload.floor != nil && !printedRatios.isEmpty
      guard columns.count + (hasRatios ? 2 : 1) < 12 else { break }
      columns.append(.numbers(kind.name))
      if hasRatios { columns.append(.numbers("of \(workload.floor?.name ?? "")")) }
      for (row, contestant) in shown.enumerated() {
        let middle = figures[place].middle(of: contestant.name, kind.name)
        cells[row].append(middle.map { text($0, kind, workload: place) } ?? "–")
        keys[row].append(middle)
        guard hasRatios else { continue }
        let isFloor = contestant.name == workload.floor?.name
        let ratio = ratios.ofFloor(contestant.name, kind.name, workload: place)
        cells[row].append(isFloor ? "1" : ratio?.text ?? "–")
        keys[row].append(isFloor ? 1 : ratio?.value)
      }
    }
    columns.append(.words("early"))
    for (row, contestant) in shown.enumerated() {
      let early = workload.earlyTimers(of: contestant.name)
      cells[row].append(early?.sentence(rounding: contestant.rounding) ?? "none")
      keys[row].append(early.map { Double($0.count) } ?? 0)
    }
    return Table("Medians of the repetitions", columns, cells).sortable(by: keys)
  }
}
