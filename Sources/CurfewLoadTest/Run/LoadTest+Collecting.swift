internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// What is read from the apps and the device when the run is over.
extension LoadTest {
  /// - Parameter counts: The device's, from when everything had come to rest.
  func collect(_ counts: DeviceBooks, _ report: inout LoadTestReport) {
    let isWhole = !report.run.isInterrupted && bases.count == plan.segments.count
    let ends = endsOfVisits()
    collectTasks(ends, &report)
    (report.expirations.decided, report.expirations.leftOut) = (counts.decided, counts.leftOut)
    collectGrantEnds(ends, &report)
    report.grantEnds.expected = isWhole ? rehearsed.kills : report.grantEnds.ended
    report.contradictions = contradictions(report, counts)
    guard isWhole, plan.isComparable() else { return }
    report.comparison = plan.compare(outcomes(ends), with: rehearsed, late: late.union(lateEntries))
  }

  /// What was written down about a visit's tasks.
  func records(of visit: LoadVisit) -> [Measurements.TaskRecord] {
    simulated[Int(visit.app.rawValue)].withMeasurements {
      (visit.firstTask..<visit.firstTask + visit.taskCount).map { measurements[$0] }
    }
  }

  private func collectTasks(_ ends: [ProcessEnd?], _ report: inout LoadTestReport) {
    var tally = WarningTally(scale: clock.scale, interruption: interruption)
    for (place, visit) in plan.visits.enumerated() where visit.segment < bases.count {
      for record in records(of: visit) {
        if record.begin >= 0 { report.beginLatency.record(record.begin) }
        if record.end >= 0 { report.endLatency.record(record.end) }
      }
      // The end of its own grant comes with that grant's end, or later: no excuse.
      let death = ends[place].flatMap { $0.isOfGrant ? nil : clock.scale.wall(for: $0.instant) }
      add(visit, base: bases[visit.segment], death: death, to: &tally)
    }
    report.expirations = tally.counts
    (report.warningsDecided, report.warningsDecidedByLoop, report.warningsDelivered) = (
      tally.decided, tally.decidedByLoop, tally.delivered
    )
  }

  /// Takes in a visit's tasks.
  private func add(_ visit: LoadVisit, base: Int64, death: Int64?, to tally: inout WarningTally) {
    for (number, record) in records(of: visit).enumerated() {
      let planned = rehearsed.warnings[visit.firstTask + number].map {
        PlannedWarning(due: base + $0.due, end: base + $0.end)
      }
      tally.add(record, planned: planned, death: death)
    }
  }

  /// A segment's warnings as far as they have come.
  func tally(_ segment: Int) -> WarningTally {
    var tally = WarningTally(scale: clock.scale, interruption: interruption)
    // Each visit has one launch.
    for step in plan.segments[segment] where step.verb == .launch {
      // What was lost is counted when the run is over.
      add(plan.visits[Int(step.visit)], base: bases[segment], death: nil, to: &tally)
    }
    return tally
  }

  /// A grant ends so long after its warning was due as the policy says, if nothing has stopped its
  /// clock meanwhile: so only those of apps without sessions and wakes are measured.
  private func collectGrantEnds(_ ends: [ProcessEnd?], _ report: inout LoadTestReport) {
    let warning = options.policy.policy.tasks.warning
    report.grantEnds.ended = records.ends.joined().count { $0.isOfGrant }
    for (place, visit) in plan.visits.enumerated() {
      guard let end = ends[place], end.isOfGrant, plan.apps[Int(visit.app.rawValue)].role == .plain
      else { continue }
      // On a host that falls behind, a visit's end may be that of a grant which began in another.
      let left = end.openTasks.map(\.identifier)
      let records = records(of: visit)
      guard let due = records.first(where: \.isDecided)?.due,
        records.contains(where: { left.contains($0.identifier) })
      else { continue }
      report.grantEndsDecided.record(
        clock.scale.wall(for: end.making.decided) - clock.scale.wall(for: due + warning))
    }
  }

  // MARK: Beside the plan

  /// Visits of apps that were told too late for the plan that they had left the foreground: there
  /// they begin their tasks.
  private var lateEntries: [Int] {
    simulated.flatMap { app in app.withMeasurements { app.lateEntries } }
  }

  /// Visits with a handler that came later than that, or not at all. They are compared, since that
  /// is ours, but it is a cause for which a reader may look.
  func hasLateHandler(_ visit: LoadVisit) -> Bool {
    records(of: visit).contains {
      $0.isDecided
        && ($0.deliveries == 0
          || $0.delivered - clock.scale.wall(for: $0.due) > OutcomeComparison.usualMargin)
    }
  }

  /// The end of the process in each visit, by the visits' place in the plan; nil where it lived on,
  /// or where the visit never was.
  private func endsOfVisits() -> [ProcessEnd?] {
    var found: [ProcessEnd?] = []
    for app in apps.indices {
      let visits = plan.visits(of: AppID(rawValue: UInt32(app)))
      // As they were made, not as they were planned: on a host that falls behind, a visit's end may
      // come in the time that was planned for the next.
      let starts = visits.indices.map { visitStarts[$0] }
      for (number, start) in starts.enumerated() {
        let until = number + 1 < starts.count ? starts[number + 1] : .max
        found.append(
          start < until
            ? records.ends[app].first { start..<until ~= clock.scale.wall(for: $0.instant) } : nil)
      }
    }
    return found
  }

  private func outcomes(_ ends: [ProcessEnd?]) -> PlannedOutcomes {
    var outcomes = PlannedOutcomes(
      visits: Array(repeating: VisitOutcome(), count: plan.visits.count))
    for (place, visit) in plan.visits.enumerated() {
      outcomes.visits[place] = outcome(of: visit, number: place, ends[place])
    }
    return outcomes
  }

  private func outcome(of visit: LoadVisit, number: Int, _ end: ProcessEnd?) -> VisitOutcome {
    var outcome = VisitOutcome()
    let tasks = records(of: visit)
    let app = simulated[Int(visit.app.rawValue)]
    outcome.handlers = tasks.count { $0.deliveries > 0 }
    outcome.warning = tasks.first { $0.isDecided }?.due
    outcome.wakes = app.withMeasurements { app.completedWakes.count { $0 == number } }
    outcome.deathReason = end?.reason
    outcome.death = end?.instant
    if end == nil, !tasks.isEmpty, tasks.allSatisfy({ $0.isBegun && $0.isEnded }) {
      // When is not compared; that is all that has to be known of it.
      (outcome.lastEnd, outcome.suspension) = (.zero, .zero)
    }
    return outcome
  }
}

extension ProcessEnd {
  /// Whether a background task was open when its grant ended.
  var isOfGrant: Bool { reason == .backgroundTaskAssertionTimeout && kind == .finiteTask }
}
