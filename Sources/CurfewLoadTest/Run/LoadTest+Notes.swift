internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// What a reader of the figures should know.
extension LoadTest {
  func notes(on report: LoadTestReport, _ lag: LatenessHistogram) -> [String] {
    [clock.notice.map { $0 + "." }, stepsNote(lag), rateNote, leewayNote].compactMap(\.self) + loopNotes(report) + comparisonNotes(report)
      + endNotes(report)
  }

  private func stepsNote(_ lag: LatenessHistogram) -> String? {
    guard let max = lag.max else { return nil }
    let usual = lag.p99.map { "up to \(WallText.text($0)) late (p99), " } ?? ""
    return "The plan's own steps were made \(usual)\(WallText.text(max)) at most; none waits for another."
  }

  /// Apps have time for so many visits and no more.
  private var rateNote: String? {
    let rate = Double(plan.visits.count) * 1e9 / Double(options.lengthNanoseconds)
    guard rate < 0.9 * Double(options.visitsPerSecond) else { return nil }
    return "\(WallText.digits(rate)) visits a second were planned, not \(WallText.grouped(options.visitsPerSecond)): "
      + "\(WallText.count(options.apps, "app")) \(options.apps == 1 ? "has" : "have") no time for more."
  }

  private var leewayNote: String? {
    guard options.leewayNanoseconds > 0 else { return nil }
    return "Lateness and ratios include the leeway of \(WallText.exact(options.leewayNanoseconds)), which the floor and the alternative "
      + "do not have."
  }

  private func loopNotes(_ report: LoadTestReport) -> [String] {
    var notes: [String] = []
    if let share = report.loopShare, share < 0.5 {
      let part = share > 0 ? "only \(WallText.percent(share))" : "none"
      notes.append("The loop decided \(part) of the warnings: the figures say little about its wake-ups.")
    }
    let (decided, expected) = (report.expirations.decided, report.expirations.expected)
    if Double(decided) < 0.99 * Double(expected) {
      notes.append("\(WallText.grouped(expected - decided)) of the expirations that the plan leads to were never decided.")
    }
    return notes
  }

  private func comparisonNotes(_ report: LoadTestReport) -> [String] {
    let margin = WallText.text(OutcomeComparison.usualMargin)
    guard let comparison = report.comparison else {
      guard !report.run.isInterrupted, !plan.isComparable() else { return [] }
      return ["The apps' ends cannot be compared with the plan's: at this time scale \(margin) decide over them."]
    }
    var notes: [String] = []
    let apps = comparison.compared + comparison.leftOut.count + comparison.late.count
    if comparison.compared * 2 < apps {
      notes.append("Only \(WallText.grouped(comparison.compared)) of \(WallText.count(apps, "app")) could be compared with the plan.")
    }
    if !comparison.different.isEmpty {
      let lateHandlers = lateHandlers
      let late = comparison.different.count { lateHandlers.contains($0) }
      notes.append(
        "Of the \(WallText.count(comparison.different.count, "app")) that ended otherwise, \(WallText.grouped(late)) had a handler called "
          + "more than \(margin) late.")
    }
    return notes
  }

  private func endNotes(_ report: LoadTestReport) -> [String] {
    var notes: [String] = []
    let died = ends.joined().count { !$0.isOfGrant }
    if died > 0 {
      notes.append(
        "\(WallText.count(died, "process", "processes")) ended for other reasons than a grant: something stalled, or the time scale or the "
          + "load is too much.")
    }
    let forgotten = device.counts.processEnds - ends.reduce(0) { $0 + $1.count }
    if forgotten > 0 {
      notes.append(
        "The device had forgotten \(WallText.count(forgotten, "end")) of processes before they were read; shorter segments help.")
    }
    return notes
  }
}
