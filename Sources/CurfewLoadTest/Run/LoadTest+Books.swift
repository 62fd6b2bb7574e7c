internal import Curfew
import CurfewEngine
import CurfewText
import CurfewTrace

/// A device's own counts of expiration handlers.
struct DeviceBooks {
  var decided: Int
  var called: Int
  var leftOut: Int
}

/// Checks that the apps' counts, the device's and the trace's agree, whatever happened.
extension LoadTest {
  /// The contradictions, each a sentence without a full stop. A slow machine explains none of them.
  ///
  /// - Parameter counts: The device's counts, read when everything was at rest.
  func contradictions(_ report: LoadTestReport, _ counts: DeviceBooks) -> [String] {
    [classes(report.expirations), calls(counts), decisions()].compactMap(\.self)
      + distributions(report) + [excuses(report)].compactMap(\.self) + floorContradictions
      + traceContradictions()
  }

  /// Compares the visits that were excused from the comparison with those that had a late step
  /// which the host's delays explain. It excuses its visit and the next of the same app.
  private func excuses(_ report: LoadTestReport) -> String? {
    guard let excused = report.comparison?.late else { return nil }
    let unexplained = late.subtracting(explained).count
    if unexplained > 0 {
      return
        "\(HumanCount.text(unexplained, "visit")) excused from the comparison as late, and no delay of the host explains a late step of theirs"
    }
    let following = explained.count { visit in
      let next = visit + 1
      return next < plan.visits.count && plan.visits[next].app == plan.visits[visit].app
        && !explained.contains(next)
    }
    guard excused > explained.count + following else { return nil }
    return
      "\(HumanCount.text(excused, "visit")) excused from the comparison as late, and \(HumanCount.text(explained.count)) had a step that the host made late and \(HumanCount.text(following)) came after one that had"
  }

  /// Compares each distribution with its second account and with the counts.
  private func distributions(_ report: LoadTestReport) -> [String] {
    let accounts: [(String, LatenessPercentiles, ControlSum)] = [
      ("'decided'", report.warningsDecided, recount.decided),
      ("'byLoop'", report.warningsDecidedByLoop, recount.decidedByLoop),
      ("'delivered'", report.warningsDelivered, recount.delivered),
      ("'begin'", report.beginLatency, recount.begins),
      ("'end'", report.endLatency, recount.ends),
      ("'stepLag'", report.steps, stepsRecount),
      ("'callbackDelivered'", report.callbackDelivered, recount.callbackDelivered),
      ("'wakeDelivered'", report.wakeDelivered, recount.wakeDelivered),
      ("'launchToActive'", report.launchToActive, recount.launchToActive),
      ("'grantEnd'", report.grantEndsDecided, recount.grantEnds),
      ("'handOff'", report.handOff, handOffRecount),
    ]
    let pending = report.expirations.pending
    return accounts.compactMap { $1.contradiction(of: $0, with: $2) }
      + report.countContradictions
      + (pending > 0 && !hasStopped
        ? ["\(HumanCount.text(pending, "expiration")) pending, and the run was not interrupted"]
        : [])
  }

  private func classes(_ counts: LoadTestReport.Expirations) -> String? {
    let sum = counts.delivered + counts.endedFirst + counts.missed + counts.pending
    guard sum == counts.expected, counts.lost <= counts.missed,
      hasStopped || counts.expected == rehearsed.handlers
    else {
      return
        "the classes of expirations do not add up: \(HumanCount.text(rehearsed.handlers)) planned, \(HumanCount.text(counts.expected)) expected, "
        + "\(HumanCount.text(sum)) accounted for, \(HumanCount.text(counts.missed)) missed, \(HumanCount.text(counts.lost)) of them lost"
    }
    return nil
  }

  /// Compares independent counts: the apps count calls, the device counts handlers called and
  /// left out.
  private func calls(_ counts: DeviceBooks) -> String? {
    let calls = handlerCalls
    if counts.called + counts.leftOut > counts.decided {
      return "the device has called \(HumanCount.text(counts.called, "handler")) and left out "
        + "\(HumanCount.text(counts.leftOut)), but decided only \(HumanCount.text(counts.decided))"
    }
    // After an interruption some calls may not have reached their first lines.
    guard calls > counts.called || calls < counts.called && !hasStopped else { return nil }
    return
      "the device says that it has called \(HumanCount.text(counts.called, "handler")), and the apps say "
      + HumanCount.text(calls)
  }

  private func decisions() -> String? {
    let (counted, read) = (device.counts.expirations, records.expirations)
    if counted != read {
      return
        "the device has counted \(HumanCount.text(counted, "expiration")), and \(HumanCount.text(read)) are in its apps' records"
    }
    return records.strangers > 0
      ? "\(HumanCount.text(records.strangers, "expiration")) belong to tasks that no app has begun"
      : nil
  }

  // MARK: The trace

  private func traceContradictions() -> [String] {
    guard let trace = recordedTrace, let kept = records.kept else { return [] }
    var lines: [String: [TraceLine]] = [:]
    var count = 0
    for line in trace.lines {
      guard case .expiration = line.body, let app = line.app else { continue }
      lines[app, default: []].append(line)
      count += 1
    }
    guard count == records.expirations else {
      return [
        "the trace has \(HumanCount.text(count, "expiration")), and the device \(HumanCount.text(records.expirations))"
      ]
    }
    for (app, expirations) in zip(apps, kept) {
      let told = lines[app.name] ?? []
      guard told.count == expirations.count,
        zip(told, expirations).allSatisfy({ $0.agrees(with: $1) })
      else {
        return ["the trace's expirations of \(app.name) differ from the device's"]
      }
    }
    return []
  }
}

extension TraceLine {
  /// Whether this line describes the same call: of the same task, due at the same instant, and no
  /// later than the device's decision.
  fileprivate func agrees(with expiration: Expiration) -> Bool {
    guard case .expiration(let task, _, _, let due) = body else { return false }
    return Int(task.rawValue) == expiration.identifier.number && (due ?? time) == expiration.due
      && time <= expiration.making.decided
  }
}

extension LoadTestReport {
  /// The disagreements between the numbers of values in distributions and the counts, each
  /// a sentence without a full stop.
  var countContradictions: [String] {
    [deliveredContradiction, decidedContradiction, grantEndContradiction].compactMap(\.self)
  }

  private var deliveredContradiction: String? {
    let counts = expirations
    let wanted = counts.expected - counts.pending - counts.endedFirst + counts.unexpected
    guard warningsDelivered.count != wanted else { return nil }
    return
      "'delivered' has \(HumanCount.text(warningsDelivered.count, "value")), and "
      + "\(HumanCount.text(wanted)) expirations were expected, neither pending nor ended "
      + "first, or came unexpectedly"
  }

  /// A value of `decided` is a decision of the device, or a lower bound for a missed handler that
  /// was never decided. A handler whose app ended its task first has no value without a decision:
  /// the engine had nothing to decide.
  private var decidedContradiction: String? {
    let (bounds, missed) = (warningsDecided.unbounded, expirations.missed)
    let decisions = warningsDecided.count - bounds
    if decisions != expirations.decided {
      return
        "'decided' has \(HumanCount.text(decisions, "value")) of decisions, and the device has "
        + "decided \(HumanCount.text(expirations.decided))"
    }
    guard bounds > missed else { return nil }
    return
      "'decided' has \(HumanCount.text(bounds, "lower bound")) for missed handlers, and the report "
      + "counts \(HumanCount.text(missed)) missed"
  }

  private var grantEndContradiction: String? {
    guard grantEndsDecided.count > grantEnds.ended else { return nil }
    return
      "'grantEnd' has \(HumanCount.text(grantEndsDecided.count, "value")), and "
      + "\(HumanCount.text(grantEnds.ended, "grant")) ended"
  }
}
