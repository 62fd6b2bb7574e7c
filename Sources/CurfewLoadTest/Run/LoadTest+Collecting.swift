internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// What is read from the apps and the device when the run is over.
extension LoadTest {
  /// - Parameter bases: When each segment that was run began, on the device's clock.
  func collect(_ bases: [Int64], _ report: inout LoadTestReport) {
    let isWhole = !report.run.isInterrupted && bases.count == plan.segments.count
    let ends = endsOfVisits(bases)
    collectTasks(bases.count, &report)
    collectGrantEnds(ends, &report)
    // What the apps have, not what the device believes to have called.
    let missing = report.expirations.decided - report.expirations.leftOut - report.expirations.delivered
    if report.run.isInterrupted { report.expirations.pending = max(0, missing) } else { report.expirations.lost = max(0, missing) }
    if missing < 0, !report.run.isInterrupted { report.notes.append("\(-missing) handlers more were called than decided.") }
    report.expirations.expected = isWhole ? rehearsed.handlers : report.expirations.decided
    report.grantEnds.expected = isWhole ? rehearsed.kills : report.grantEnds.ended
    guard isWhole, plan.isComparable() else { return }
    report.comparison = plan.compare(outcomes(ends), with: rehearsed, late: late.union(lateEntries))
  }

  /// What was written down about a visit's tasks.
  func records(of visit: LoadVisit) -> [Measurements.TaskRecord] {
    simulated[Int(visit.app.rawValue)].withMeasurements {
      (visit.firstTask..<visit.firstTask + visit.taskCount).map { measurements[$0] }
    }
  }

  private func collectTasks(_ segments: Int, _ report: inout LoadTestReport) {
    for visit in plan.visits where visit.segment < segments {
      for record in records(of: visit) {
        if record.begin >= 0 { report.beginLatency.record(record.begin) }
        if record.end >= 0 { report.endLatency.record(record.end) }
        guard record.deliveries > 0 else { continue }
        report.expirations.delivered += 1
        report.expirations.twice += Int(record.deliveries) - 1
        let due = clock.scale.wall(for: record.due)
        let decided = clock.scale.wall(for: record.decided) - due
        report.warningsDecided.record(decided)
        if record.isByLoop { report.warningsDecidedByLoop.record(decided) }
        report.warningsDelivered.record(record.delivered - due)
      }
    }
  }

  /// A grant ends so long after its warning was due as the policy says, if nothing has stopped its clock meanwhile: so only those of apps without
  /// sessions and wakes are measured.
  private func collectGrantEnds(_ ends: [ProcessEnd?], _ report: inout LoadTestReport) {
    let warning = options.policy.policy.tasks.warning
    report.grantEnds.ended = self.ends.joined().count { $0.isOfGrant }
    for (place, visit) in plan.visits.enumerated() {
      guard let end = ends[place], end.isOfGrant, plan.apps[Int(visit.app.rawValue)].role == .plain else { continue }
      guard let due = records(of: visit).first(where: { $0.deliveries > 0 })?.due else { continue }
      report.grantEndsDecided.record(clock.scale.wall(for: end.making.decided) - clock.scale.wall(for: due + warning))
    }
  }

  // MARK: Beside the plan

  /// Apps that were told too late for the plan that they had left the foreground: there they begin their tasks.
  private var lateEntries: [AppID] {
    apps.indices.filter { app in
      simulated[app].withMeasurements { simulated[app].longestEntry } > OutcomeComparison.usualMargin
    }.map { AppID(rawValue: UInt32($0)) }
  }

  /// Apps with a handler that came later than that. They are compared, since that is ours, but it is a cause for which a reader may look.
  var lateHandlers: Set<AppID> {
    var found: Set<AppID> = []
    for visit in plan.visits where !found.contains(visit.app) {
      let isLate = records(of: visit).contains {
        $0.deliveries > 0 && $0.delivered - clock.scale.wall(for: $0.due) > OutcomeComparison.usualMargin
      }
      if isLate { found.insert(visit.app) }
    }
    return found
  }

  /// The end of the process in each visit, by the visits' place in the plan; nil where it lived on, or where the visit never was.
  private func endsOfVisits(_ bases: [Int64]) -> [ProcessEnd?] {
    var found: [ProcessEnd?] = []
    for app in apps.indices {
      let visits = plan.visits(of: AppID(rawValue: UInt32(app)))
      let starts = visits.map { $0.segment < bases.count ? bases[$0.segment] + $0.launch : .max }
      for (number, start) in starts.enumerated() {
        let until = number + 1 < starts.count ? starts[number + 1] : .max
        found.append(start < until ? ends[app].first { start..<until ~= clock.scale.wall(for: $0.instant) } : nil)
      }
    }
    return found
  }

  private func outcomes(_ ends: [ProcessEnd?]) -> PlannedOutcomes {
    var outcomes = PlannedOutcomes(visits: Array(repeating: VisitOutcome(), count: plan.visits.count))
    for (place, visit) in plan.visits.enumerated() { outcomes.visits[place] = outcome(of: visit, number: place, ends[place]) }
    return outcomes
  }

  private func outcome(of visit: LoadVisit, number: Int, _ end: ProcessEnd?) -> VisitOutcome {
    var outcome = VisitOutcome()
    let tasks = records(of: visit)
    let app = simulated[Int(visit.app.rawValue)]
    outcome.handlers = tasks.count { $0.deliveries > 0 }
    outcome.warning = tasks.first { $0.deliveries > 0 }?.due
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
