internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// Collects the results from the apps and the device after the run.
extension LoadTest {
  /// - Parameter counts: The device's counts, read when everything was at rest.
  func collect(_ counts: DeviceBooks, _ report: inout LoadTestReport) {
    let isWhole = !report.run.isInterrupted && bases.count == plan.segments.count
    let ends = endsOfVisits()
    collectTasks(ends, &report)
    collectCallbacks(&report)
    (report.expirations.decided, report.expirations.leftOut) = (counts.decided, counts.leftOut)
    collectGrantEnds(ends, &report)
    recountGrantEnds()
    report.grantEnds.expected = isWhole ? rehearsed.kills : report.grantEnds.ended
    if isWhole, plan.isComparable() {
      report.comparison = plan.compare(outcomes(ends), with: rehearsed, late: late)
    }
    report.contradictions = contradictions(report, counts)
  }

  /// The records of a visit's tasks.
  func records(of visit: LoadVisit) -> [Measurements.TaskRecord] {
    simulated[Int(visit.app.rawValue)].withMeasurements {
      (visit.firstTask..<visit.firstTask + visit.taskCount).map { measurements[$0] }
    }
  }

  private func collectTasks(_ ends: [ProcessEnd?], _ report: inout LoadTestReport) {
    var tally = WarningTally(
      scale: clock.scale, interruption: interruption, standstill: standstill(from:to:),
      isCatchingUp: isCatchingUp(from:to:))
    recount = Recount()
    for (place, visit) in plan.visits.enumerated() where visit.segment < bases.count {
      // Read once, because an app may still be writing.
      let records = records(of: visit)
      for record in records {
        if record.begin >= 0 { report.beginLatency.record(record.begin) }
        if record.end >= 0 { report.endLatency.record(record.end) }
      }
      // The visit's own grant does not end before its planned end, so its end does not excuse
      // a missed warning.
      let death = ends[place].flatMap { $0.isOfGrant ? nil : clock.scale.wall(for: $0.instant) }
      add(records, of: visit, base: bases[visit.segment], death: death, to: &tally)
      count(records, of: visit)
    }
    report.expirations = tally.counts
    (report.warningsDecided, report.warningsDecidedByLoop, report.warningsDelivered) = (
      tally.decided, tally.decidedByLoop, tally.delivered
    )
  }

  /// Adds a visit's tasks to the tally.
  private func add(
    _ records: [Measurements.TaskRecord], of visit: LoadVisit, base: Int64, death: Int64?,
    to tally: inout WarningTally
  ) {
    for (number, record) in records.enumerated() {
      let planned = rehearsed.warnings[visit.firstTask + number].map {
        PlannedWarning(due: base + $0.due, end: base + $0.end)
      }
      tally.add(record, planned: planned, death: death)
    }
  }

  /// Adds a visit's tasks to the second account.
  private func count(_ records: [Measurements.TaskRecord], of visit: LoadVisit) {
    let base = bases[visit.segment]
    for (number, record) in records.enumerated() {
      let warning = rehearsed.warnings[visit.firstTask + number].map {
        PlannedWarning(due: base + $0.due, end: base + $0.end)
      }
      recount.add(record, warning: warning, interruption: interruption, clock.scale)
    }
  }

  /// A segment's warnings so far.
  func tally(_ segment: Int) -> WarningTally {
    // Lost warnings are counted after the run.
    var tally = WarningTally(
      scale: clock.scale, interruption: interruption, standstill: { _, _ in 0 },
      isCatchingUp: { _, _ in false })
    // Each visit has one launch.
    for step in plan.segments[segment] where step.verb == .launch {
      let visit = plan.visits[Int(step.visit)]
      add(records(of: visit), of: visit, base: bases[segment], death: nil, to: &tally)
    }
    return tally
  }

  /// Records the lateness of the ends of grants. A grant ends at a fixed time after its warning
  /// was due, unless something stops its clock in between. Therefore only apps without sessions
  /// and wakes are measured.
  private func collectGrantEnds(_ ends: [ProcessEnd?], _ report: inout LoadTestReport) {
    let warning = options.policy.policy.tasks.warning
    report.grantEnds.ended = records.ends.joined().count { $0.isOfGrant }
    for (place, visit) in plan.visits.enumerated() {
      guard let end = ends[place], end.isOfGrant, plan.apps[Int(visit.app.rawValue)].role == .plain
      else { continue }
      // On a host that falls behind, the end may be that of a grant that began in another visit.
      let left = end.openTasks.map(\.identifier)
      let records = records(of: visit)
      guard let due = records.first(where: \.isDecided)?.due,
        records.contains(where: { left.contains($0.identifier) })
      else { continue }
      report.grantEndsDecided.record(
        clock.scale.wall(for: end.making.decided) - clock.scale.wall(for: due + warning))
    }
  }

  // MARK: Comparing with the plan

  /// Whether a step, a callback or a handler of a visit was more than the margin late, or was not
  /// called at all. Such visits are compared with the plan unless the host was late; a note names
  /// them as a possible cause.
  func hadDelay(_ place: Int) -> Bool {
    let visit = plan.visits[place]
    let calls = simulated[Int(visit.app.rawValue)].withMeasurements { measurements.visits[place] }
    return overdue.contains(place) || calls.hasDelay(over: OutcomeComparison.usualMargin)
      || records(of: visit).contains {
        $0.isDecided
          && ($0.deliveries == 0
            || $0.delivered - clock.scale.wall(for: $0.due) > OutcomeComparison.usualMargin)
      }
  }

  /// The end of the process in each visit, by the visit's index in the plan; nil if the process did
  /// not end or the visit was never begun.
  private func endsOfVisits() -> [ProcessEnd?] {
    var found: [ProcessEnd?] = []
    for app in apps.indices {
      let visits = plan.visits(of: AppID(rawValue: UInt32(app)))
      // Uses actual starts, not planned ones: on a host that falls behind, a visit's end may come
      // in the time planned for the next.
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
      // The values of these instants are not compared; only their existence is.
      (outcome.lastEnd, outcome.suspension) = (.zero, .zero)
    }
    return outcome
  }
}

extension ProcessEnd {
  /// Whether a background task was open when its grant ended.
  var isOfGrant: Bool { reason == .backgroundTaskAssertionTimeout && kind == .finiteTask }
}
