import CurfewText

/// The verdict on a run: a run without failures and doubts has passed.
extension LoadTestReport {
  /// The maximum share of the visits that may be excused from the comparison with the plan. With
  /// a greater share, too few visits are left to say that the run went as planned.
  ///
  /// The plan itself excuses one visit in twenty, since tasks may be planned to end close to a
  /// deadline, and one in ten if grants are short. A quiet machine excuses hardly any more.
  static let greatestExcusedShare = 0.2

  /// The failures, each a sentence without a full stop. After an interruption, only failures that
  /// a longer run could not have avoided.
  package var failures: [String] {
    let missed = run.isInterrupted ? nil : missedFailure
    let different = run.isInterrupted ? nil : differentFailure
    return [missed, lostFailure, twiceFailure, earlyFailure, different].compactMap(\.self)
  }

  /// The reasons why the run is inconclusive, each a sentence without a full stop; empty after
  /// an interruption, which is reported anyway.
  package var doubts: [String] {
    run.isInterrupted ? [] : [shortDoubt, comparisonDoubt].compactMap(\.self)
  }

  // MARK: Failures

  private var missedFailure: String? {
    guard expirations.missed > 0 else { return nil }
    return
      "\(HumanCount.text(expirations.missed)) of \(HumanCount.text(expirations.expected, "expected expiration")) missed: the handler's first line was not "
      + "reached by the planned end of its grant"
  }

  private var lostFailure: String? {
    guard expirations.lost > 0 else { return nil }
    return
      "\(HumanCount.text(expirations.lost, "expiration")) lost: decided in time and never called, although nothing but "
      + "its own grant ended the process and the load test was running"
      + " and neither catching up after a standstill nor behind its plan"
  }

  private var twiceFailure: String? {
    guard expirations.twice > 0 else { return nil }
    return "\(HumanCount.text(expirations.twice, "call")) of a handler that had been called before"
  }

  private var earlyFailure: String? {
    guard early > 0 else { return nil }
    let earliest = punctual.reduce(0) { max($0, $1.earliest) }
    return "\(HumanCount.text(early, "thing")) early, by \(HumanTime.rounded(earliest)) at most"
  }

  private var differentFailure: String? {
    guard let different = comparison?.different.count, different > 0 else { return nil }
    return "\(HumanCount.text(different, "visit")) did not end as in virtual time"
  }

  // MARK: Doubts

  private var shortDoubt: String? {
    let needed = LatenessPercentiles.needed(for: 50)
    guard expirations.expected < needed else { return nil }
    return
      "too short to measure: \(HumanCount.text(expirations.expected, "expiration")) expected, and a median needs \(needed); run longer or with more visits"
  }

  private var comparisonDoubt: String? {
    guard let comparison else {
      return
        "no visit can be compared with the plan: at this time scale \(HumanTime.rounded(OutcomeComparison.usualMargin)) decide how a visit ends"
    }
    let excused = comparison.leftOut + comparison.late
    guard Double(excused) > LoadTestReport.greatestExcusedShare * Double(comparison.visits) else {
      return nil
    }
    return
      "\(HumanCount.text(excused)) of \(HumanCount.text(comparison.visits, "visit")) could not be compared with the plan, "
      + "\(HumanCount.text(comparison.late)) of them because something was late; more than \(HumanNumber.percent(LoadTestReport.greatestExcusedShare)) is too many"
  }
}
