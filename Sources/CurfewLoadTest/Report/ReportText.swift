import CurfewEngine
import CurfewText
import CurfewUV

extension LoadTestReport {
  /// The report for a person, in lines of about a hundred characters. The maximum stands apart from
  /// the percentiles, because on a shared machine it depends on the machine.
  package func text(thresholds: [Threshold] = []) -> String {
    ReportText(report: self, thresholds: thresholds).lines.joined(separator: "\n")
  }
}

private struct ReportText {
  let report: LoadTestReport
  let thresholds: [Threshold]

  private static let width = 100
  private static let labelWidth = 26
  private static let columnWidth = 9

  var lines: [String] {
    var blocks = [heading, outcomes, latenesses]
    if report.segments.contains(where: { $0.floor != nil }) {
      blocks.append(beside)
    }
    blocks.append(costs)
    if !report.notes.isEmpty { blocks.append(report.notes.flatMap { wrapped($0) }) }
    let kept = thresholds.filter { $0.crossing(in: report) == nil }
    if !kept.isEmpty {
      blocks.append(
        wrapped("thresholds that hold: " + kept.map(\.text).joined(separator: ", "), indent: 0))
    }
    return Array(blocks.joined(separator: [""]))
  }

  private var heading: [String] {
    let run = report.run
    let grant =
      "a grant of \(DurationText.text(ofNanoseconds: run.grant.nanoseconds)) lasts \(HumanTime.rounded(run.scale.wall(for: .zero + run.grant)))"
    let leeway =
      run.leewayNanoseconds > 0
      ? "a leeway of \(DurationText.text(ofNanoseconds: run.leewayNanoseconds))" : "no leeway"
    let parts = [
      HumanCount.text(run.apps, "app"), "\(HumanCount.text(run.visitsPerSecond)) visits/s",
      "policy \(run.policy)",
      "time scale \(run.scale) (\(grant))", leeway,
      "\(HumanTime.rounded(run.lengthNanoseconds)) in \(HumanCount.text(run.segments, "segment"))",
      HumanCount.text(run.cores, "core"), "seed \(run.seed)",
    ]
    let rest = run.segments - report.segments.count
    let end =
      run.isInterrupted
      ? "; interrupted, \(HumanCount.text(rest, "segment")) not measured to the end" : ""
    return wrapped(parts.joined(separator: ", ") + end, indent: 0)
  }

  // MARK: Outcomes

  private var outcomes: [String] {
    [expirations, grantEnds, loopShare, comparison].compactMap(\.self).flatMap {
      wrapped($0, indent: 0)
    }
  }

  private var expirations: String {
    let counts = report.expirations
    var fates = ["\(HumanCount.text(counts.delivered)) delivered"]
    if counts.endedFirst > 0 {
      fates.append("\(HumanCount.text(counts.endedFirst)) ended first by their apps")
    }
    fates.append("\(HumanCount.text(counts.missed)) missed")
    if counts.pending > 0 {
      fates.append("\(HumanCount.text(counts.pending)) on their way when it was interrupted")
    }
    let faults = [
      "\(HumanCount.text(counts.lost)) lost", "\(HumanCount.text(report.early)) early",
      "\(HumanCount.text(counts.twice)) twice",
    ]
    var text =
      "\(HumanCount.text(counts.expected, "expiration")) expected: \(fates.joined(separator: ", ")); \(faults.joined(separator: ", "))"
    if counts.unexpected > 0 {
      text += "; \(HumanCount.text(counts.unexpected)) called unexpectedly"
    }
    return text + "; \(HumanNumber.rounded(report.expirationsPerSecond))/s"
  }

  private var grantEnds: String? {
    let counts = report.grantEnds
    guard counts.expected > 0 || counts.ended > 0 else { return nil }
    return
      "\(HumanCount.text(counts.expected, "grant")) expected to run out, \(HumanCount.text(counts.ended)) did, "
      + "\(HumanCount.text(report.grantEndsDecided.count)) of them measured"
  }

  private var loopShare: String? {
    report.loopShare.map {
      "\(HumanNumber.percent($0)) of the warnings decided by the loop, the others by calls into the device"
    }
  }

  private var comparison: String? {
    guard let comparison = report.comparison else { return nil }
    let margin = "\(OutcomeComparison.usualMargin / 1_000_000) ms"
    let different = comparison.different.count
    var text =
      "\(HumanCount.text(comparison.compared - different, "visit")) ended as planned in virtual time, "
    text += "\(HumanCount.text(different)) otherwise"
    if comparison.leftOut > 0 {
      text +=
        "; \(HumanCount.text(comparison.leftOut)) had a step within \(margin) of a deadline, where either may happen"
    }
    if comparison.late > 0 {
      text += "; \(HumanCount.text(comparison.late)) had something more than \(margin) late"
    }
    return text
  }

  private var latenesses: [String] {
    [
      row("", ["count", "p50", "p90", "p99", "p99.9"], "max", "early"),
      row("steps of the plan", report.steps, isLateness: false),
      row("warnings decided", report.warningsDecided),
      row("  by the loop", report.warningsDecidedByLoop),
      row("warnings delivered", report.warningsDelivered),
      row("ends of grants decided", report.grantEndsDecided),
      row("begin a task", report.beginLatency, isLateness: false),
      row("end a task", report.endLatency, isLateness: false),
      row("home to background", report.callbackDelivered, isLateness: false),
      row("wake to callback", report.wakeDelivered, isLateness: false),
      row("launch to active", report.launchToActive, isLateness: false),
      row("  a thread's hand-off", report.handOff, isLateness: false),
    ]
  }

  /// The medians of ours and the floor over the same deadlines.
  private var beside: [String] {
    var lines = [
      row(
        "medians of \(HumanCount.text(report.segments.count, "segment"))",
        ["p50", "p99", "p50", "p99"])
    ]
    lines.append(row("the floor", spread(\.floor)))
    lines.append(row("  before, on one half", spread(\.floorBefore)))
    lines.append(row("  after, on the other", spread(\.floorAfter)))
    lines.append(row("decided", .decided, "of the floor"))
    lines.append(row("delivered", .delivered, "of the floor"))
    if report.segments.contains(where: { $0.handOff != nil }) {
      lines.append(row("a thread's hand-off", spread(\.handOff)))
      lines.append(row("home to background", .callbackDelivered, "of the hand-off"))
      lines.append(row("wake to callback", .wakeDelivered, "of the hand-off"))
      lines.append(row("launch to active", .launchToActive, "of the hand-off"))
    }
    for objection in objections { lines += wrapped(objection) }
    return lines
  }

  /// The reasons why ratios to the floors are missing; one that holds for several is said once.
  private var objections: [String] {
    var texts: [String] = []
    for ratio in LoadTestReport.FloorRatio.allCases {
      for percentile in LoadTestReport.Percentile.allCases {
        guard let objection = report.floorObjection(ratio, percentile) else { continue }
        let text =
          "Ratios of \(percentile.rawValue) to \(ratio.floor.noun)'s are meaningless: \(objection)"
        if !texts.contains(text) { texts.append(text) }
      }
    }
    return texts
  }

  private var costs: [String] {
    let work = report.work
    let processor = work.userNanoseconds + work.systemNanoseconds
    let parts = [
      HumanCount.text(work.events, "event"), "\(HumanNumber.rounded(report.eventsPerSecond))/s",
      "\(HumanTime.rounded(processor)) of processor time", HumanCount.text(work.wakeUps, "wake-up"),
      HumanCount.text(work.armings, "arming"), "\(HumanSize.rounded(work.peakMemory)) at most",
    ]
    return wrapped(parts.joined(separator: ", "), indent: 0)
      + wrapped([cost, others].compactMap(\.self).joined(separator: "; "), indent: 0)
  }

  private var cost: String? {
    guard let ours = report.processorPerExpiration else { return nil }
    let floor =
      report.floorProcessorPerDeadline.map {
        ", the floor's \(HumanTime.rounded(Int64($0))) a deadline"
      } ?? ""
    return "\(HumanTime.rounded(Int64(ours))) of processor time an expiration\(floor)"
  }

  private var others: String? {
    report.othersLoad.map {
      "others kept the machine \(HumanNumber.percent($0.median)) busy, \(HumanNumber.percent($0.most)) at most"
    }
  }

  // MARK: Rows

  private func row(_ label: String, _ histogram: LatenessPercentiles, isLateness: Bool = true)
    -> String
  {
    func text(_ figure: Int64?) -> String {
      (histogram.isAtLeast(figure) ? ">=" : "") + HumanTime.rounded(figure)
    }
    let percentiles = [histogram.p50, histogram.p90, histogram.p99, histogram.p999].map(text)
    return row(
      label, [HumanCount.text(histogram.count)] + percentiles, text(histogram.max),
      isLateness ? HumanCount.text(histogram.early) : "")
  }

  private func spread(_ path: KeyPath<LoadTestReport.Segment, LoadTestReport.Spread?>) -> [String] {
    LoadTestReport.Percentile.allCases.map { report.median(path, $0).length }
  }

  /// A distribution's spread and its ratios to a floor, with a last cell if it has any.
  private func row(_ label: String, _ ratio: LoadTestReport.FloorRatio, _ last: String) -> String {
    let ratios = LoadTestReport.Percentile.allCases.map { report.ratioToFloor(ratio, $0) }
    return row(
      label, spread(ratio.spread) + ratios.map(\.ratio), "",
      ratios.contains { $0 != nil } ? last : "")
  }

  /// A label, right-aligned columns, the maximum after a gap, and a last cell.
  private func row(_ label: String, _ columns: [String], _ max: String = "", _ last: String = "")
    -> String
  {
    var line =
      "  " + label
      + String(repeating: " ", count: Swift.max(0, ReportText.labelWidth - label.count))
    for column in columns { line += right(column, ReportText.columnWidth) }
    if !max.isEmpty { line += "  " + right(max, ReportText.columnWidth) }
    if !last.isEmpty { line += max.isEmpty ? "  " + last : right(last, ReportText.columnWidth - 1) }
    while line.last == " " { line.removeLast() }
    return line
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  private func wrapped(_ text: String, indent: Int = 2) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > ReportText.width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map { String(repeating: " ", count: indent) + $0 }
  }
}
