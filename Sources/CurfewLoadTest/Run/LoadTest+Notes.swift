internal import Curfew
internal import CurfewEngine
import CurfewText
internal import CurfewUV

/// Notes for readers of the figures.
extension LoadTest {
  func notes(on report: LoadTestReport) -> [String] {
    [clock.notice.map { $0 + "." }, rateNote, leewayNote, scaleNote(report)].compactMap(\.self)
      + loopNotes(report)
      + comparisonNotes(report) + endNotes
  }

  /// A note if handlers were missed and the time scale leaves them less than the margin.
  private func scaleNote(_ report: LoadTestReport) -> String? {
    let lead = options.scale.length(options.policy.policy.tasks.warning)
    guard report.expirations.missed > 0, lead < OutcomeComparison.usualMargin else { return nil }
    let nothing = report.expirations.delivered == 0 ? "Nothing was called in time: at" : "At"
    return
      "\(nothing) this time scale a handler has \(HumanTime.rounded(lead)) from its warning to the end of its grant. A machine may stand still for longer; "
      + "a larger --time-scale gives the handler more time."
  }

  /// A note if the apps had no time for all requested visits.
  private var rateNote: String? {
    let rate = Double(plan.visits.count) * 1e9 / Double(options.lengthNanoseconds)
    guard rate < 0.9 * Double(options.visitsPerSecond) else { return nil }
    return
      "\(HumanNumber.rounded(rate)) visits a second were planned, not \(HumanCount.text(options.visitsPerSecond)): "
      + "\(HumanCount.text(options.apps, "app")) \(HumanCount.word(options.apps, "has", "have")) no time for more."
  }

  private var leewayNote: String? {
    guard options.leewayNanoseconds > 0 else { return nil }
    return
      "Lateness and ratios include the leeway of \(DurationText.text(ofNanoseconds: options.leewayNanoseconds)), which the floor "
      + "does not have."
  }

  private func loopNotes(_ report: LoadTestReport) -> [String] {
    var notes: [String] = []
    if let share = report.loopShare, share < 0.5 {
      let part = share > 0 ? "only \(HumanNumber.percent(share))" : "none"
      notes.append(
        "The loop decided \(part) of the warnings: the figures say little about its wake-ups.")
    }
    let undecided = report.warningsDecided.unbounded
    if undecided > 0 {
      notes.append(
        "\(HumanCount.text(undecided)) of the missed expirations were never decided.")
    }
    return notes
  }

  private func comparisonNotes(_ report: LoadTestReport) -> [String] {
    guard let different = report.comparison?.different, !different.isEmpty else { return [] }
    let apps = Set(different)
    let visits = plan.visits.indices.filter { apps.contains(plan.visits[$0].app) && hadDelay($0) }
    let late = Set(visits.map { plan.visits[$0].app })
    return [
      "\(HumanCount.text(late.count)) of the \(HumanCount.text(apps.count, "app")) with a visit that did not end as planned had a step, a callback or a handler more than "
        + "\(HumanTime.rounded(OutcomeComparison.usualMargin)) late, or not at all."
    ]
  }

  private var endNotes: [String] {
    let died = records.ends.joined().count { !$0.isOfGrant }
    guard died > 0 else { return [] }
    return [
      "\(HumanCount.text(died, "process", "processes")) ended for reasons other than a grant: something stalled, the time scale is too small, or the "
        + "load is too high."
    ]
  }
}
