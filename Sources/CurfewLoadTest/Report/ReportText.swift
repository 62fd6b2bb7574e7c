extension LoadTestReport {
  /// The report for a person, in lines of about `width` characters. The maximum stands apart from the percentiles: on a machine that is
  /// shared it tells about the machine.
  public func text(width: Int = 100) -> String { ReportText(report: self, width: width).lines.joined(separator: "\n") }
}

private struct ReportText {
  let report: LoadTestReport
  let width: Int

  private var isNarrow: Bool { width < 80 }
  private static let labelWidth = 26
  private static let columnWidth = 9

  var lines: [String] {
    var blocks = [heading, expirations, latenesses]
    if report.segments.contains(where: { $0.floor != nil || $0.alternative != nil }) { blocks.append(beside) }
    blocks.append(costs)
    if !report.notes.isEmpty { blocks.append(report.notes.flatMap { wrapped($0) }) }
    return Array(blocks.joined(separator: [""]))
  }

  private var heading: [String] {
    let run = report.run
    let parts = [
      "\(WallText.grouped(run.apps)) apps", "policy \(run.policy)", "time scale \(run.scale)", WallText.text(run.lengthNanoseconds),
      count(report.segments.count, "segment"), count(run.cores, "core"), "seed \(run.seed)",
    ]
    return wrapped(parts.joined(separator: ", ") + (run.isInterrupted ? "; interrupted" : ""), indent: 0)
  }

  private var expirations: [String] {
    let counts = report.expirations
    var parts = [
      "\(WallText.grouped(counts.expected)) expirations expected", "\(WallText.grouped(counts.delivered)) delivered",
      "\(WallText.grouped(report.early)) early", "\(WallText.grouped(counts.lost)) lost", "\(WallText.grouped(counts.twice)) twice",
      "\(WallText.digits(report.expirationsPerSecond))/s",
    ]
    if let comparison = report.comparison {
      parts.append(
        "\(count(comparison.compared, "app")) beside the plan, \(WallText.grouped(comparison.different.count)) different, "
          + "\(WallText.grouped(comparison.leftOut.count)) too close to say")
      if !comparison.stalled.isEmpty { parts.append("\(WallText.grouped(comparison.stalled.count)) left out for stalls of the machine") }
    }
    return wrapped(parts.joined(separator: ", "), indent: 0)
  }

  private var latenesses: [String] {
    [
      row("", (isNarrow ? ["p50", "p99"] : ["p50", "p90", "p99", "p99.9"]), "max", "early"),
      row("warnings decided", report.warningsDecided),
      row("warnings delivered", report.warningsDelivered),
      row("ends of grants decided", report.grantEndsDecided),
      row("begin a task", report.beginLatency, isLateness: false),
      row("end a task", report.endLatency, isLateness: false),
    ]
  }

  /// Ours, the floor and the alternative over the same deadlines.
  private var beside: [String] {
    let segments = report.segments.count
    var lines = [row("medians of \(count(segments, "segment"))", ["p50", "p99", "p50", "p99"])]
    lines.append(row("the floor", spread(\.floor)))
    lines.append(row("decided", spread(\.decided) + ratios(\.decided, to: \.floor), "", "of the floor"))
    lines.append(row("delivered", spread(\.delivered) + ratios(\.delivered, to: \.floor), "", "of the floor"))
    lines.append(row("the alternative", spread(\.alternative) + ratios(\.alternative, to: \.decided), "", "of decided"))
    if let early = report.alternativeEarly {
      lines.append("  " + "without rounding up, \(WallText.grouped(early)) of the alternative's timers are early")
    }
    return lines
  }

  private var costs: [String] {
    let work = report.work
    let processor = work.userNanoseconds + work.systemNanoseconds
    let parts = [
      "\(WallText.grouped(work.events)) events", "\(WallText.digits(report.eventsPerSecond))/s",
      "\(WallText.text(processor)) of processor time", "\(WallText.grouped(work.wakeUps)) wake-ups",
      "\(WallText.grouped(work.armings)) armings", "\(WallText.bytes(work.peakMemory)) at most",
    ]
    return wrapped(parts.joined(separator: ", "), indent: 0)
  }

  // MARK: Rows

  private func row(_ label: String, _ histogram: LatenessHistogram, isLateness: Bool = true) -> String {
    let percentiles = isNarrow ? [histogram.p50, histogram.p99] : [histogram.p50, histogram.p90, histogram.p99, histogram.p999]
    return row(
      label, percentiles.map { WallText.text($0) }, WallText.text(histogram.max), isLateness ? WallText.grouped(histogram.early) : "")
  }

  private func spread(_ path: KeyPath<LoadTestReport.Segment, LoadTestReport.Spread?>) -> [String] {
    [WallText.text(report.median(path, \.p50)), WallText.text(report.median(path, \.p99))]
  }

  private func ratios(
    _ path: KeyPath<LoadTestReport.Segment, LoadTestReport.Spread?>, to other: KeyPath<LoadTestReport.Segment, LoadTestReport.Spread?>
  ) -> [String] {
    [\LoadTestReport.Spread.p50, \.p99].map { WallText.ratio(report.medianRatio(path, to: other, $0)) }
  }

  /// A label, columns flush right, the maximum after a gap, and what stands at the end.
  private func row(_ label: String, _ columns: [String], _ max: String = "", _ last: String = "") -> String {
    var line = "  " + label + String(repeating: " ", count: Swift.max(0, ReportText.labelWidth - label.count))
    for column in columns { line += right(column, ReportText.columnWidth) }
    if !max.isEmpty { line += "  " + right(max, ReportText.columnWidth) }
    if !last.isEmpty { line += max.isEmpty ? "  " + last : right(last, ReportText.columnWidth - 1) }
    while line.last == " " { line.removeLast() }
    return line
  }

  private func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(1, width - text.count)) + text }

  private func count(_ number: Int, _ what: String) -> String { "\(WallText.grouped(number)) \(what)\(number == 1 ? "" : "s")" }

  private func wrapped(_ text: String, indent: Int = 2) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map { String(repeating: " ", count: indent) + $0 }
  }
}
