internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// What is read from the apps and the device when the run is over.
extension LoadTest {
  /// - Parameter bases: When each segment that was run began, on the device's clock.
  func collect(_ bases: [Int64], _ report: inout LoadTestReport) {
    collectTasks(bases.count, &report)
    let ends = apps.map(\.processEnds)
    collectGrantEnds(ends, &report)
    report.expirations.expected += device.counts.expirations
    report.expirations.lost = max(0, device.counts.expirations - handlersCalled)
    guard !report.run.isInterrupted, bases.count == plan.segments.count else { return }
    let outcomes = outcomes(bases, ends)
    report.comparison = plan.compare(outcomes, with: plan.expectedOutcomes(), stalled: stalled.union(stalledHandlers))
    let died = ends.joined().count { $0.reason != .backgroundTaskAssertionTimeout }
    if died > 0 {
      report.notes.append(
        "\(died) processes ended for other reasons than their grants: the machine stalled longer than a callback may take.")
    }
  }

  private var handlersCalled: Int {
    simulated.indices.reduce(0) { sum, app in
      sum + simulated[app].withMeasurements { tasks(of: app).reduce(0) { $0 + (measurements[$1].deliveries > 0 ? 1 : 0) } }
    }
  }

  private func tasks(of app: Int) -> [Int] {
    plan.visits(of: AppID(rawValue: UInt32(app))).flatMap { visit in visit.firstTask..<visit.firstTask + visit.taskCount }
  }

  private func collectTasks(_ segments: Int, _ report: inout LoadTestReport) {
    for visit in plan.visits where visit.segment < segments {
      simulated[Int(visit.app.rawValue)].withMeasurements {
        for task in visit.firstTask..<visit.firstTask + visit.taskCount {
          let record = measurements[task]
          if record.begin >= 0 { report.beginLatency.record(record.begin) }
          if record.end >= 0 { report.endLatency.record(record.end) }
          guard record.deliveries > 0 else { continue }
          report.expirations.delivered += 1
          report.expirations.twice += Int(record.deliveries) - 1
          report.warningsDecided.record(record.decided - record.due)
          report.warningsDelivered.record(record.delivered - record.due)
        }
      }
    }
  }

  /// A grant ends so long after its warning was due as the policy says, if nothing has stopped its clock meanwhile: so only those of apps without
  /// sessions are measured.
  private func collectGrantEnds(_ ends: [[ProcessEnd]], _ report: inout LoadTestReport) {
    let warning = plan.options.policy.policy.tasks.warning
    for (app, ends) in ends.enumerated() {
      let overruns = ends.filter { $0.reason == .backgroundTaskAssertionTimeout && $0.kind == .finiteTask }
      report.expirations.expected += overruns.count
      report.expirations.delivered += overruns.count
      guard plan.apps[app].role == .plain, !overruns.isEmpty else { continue }
      let expirations = apps[app].expirations
      for end in overruns {
        guard let due = expirations.last(where: { $0.instant <= end.instant })?.due else { continue }
        report.grantEndsDecided.record(clock.scale.wall(for: end.instant) - clock.scale.wall(for: due + warning))
      }
    }
  }

  // MARK: Beside the plan

  /// Apps with a handler that was called too late for the plan, or with a callback that was.
  private var stalledHandlers: Set<AppID> {
    var found: Set<AppID> = []
    for app in apps.indices {
      let isLate = simulated[app].withMeasurements {
        tasks(of: app).contains {
          measurements[$0].deliveries > 0 && measurements[$0].delivered - measurements[$0].due > OutcomeComparison.usualMargin
        }
          || simulated[app].longestEntry > OutcomeComparison.usualMargin
      }
      if isLate { found.insert(AppID(rawValue: UInt32(app))) }
    }
    return found
  }

  private func outcomes(_ bases: [Int64], _ ends: [[ProcessEnd]]) -> PlannedOutcomes {
    var outcomes = PlannedOutcomes(
      visits: Array(repeating: VisitOutcome(), count: plan.visits.count), wallNanoseconds: plan.options.lengthNanoseconds)
    var place = 0
    for app in apps.indices {
      let visits = plan.visits(of: AppID(rawValue: UInt32(app)))
      let starts = visits.map { bases[$0.segment] + $0.launch }
      for (number, visit) in visits.enumerated() {
        let until = number + 1 < starts.count ? starts[number + 1] : Int64.max
        let end = ends[app].first { starts[number]..<until ~= clock.scale.wall(for: $0.instant) }
        outcomes.visits[place] = outcome(of: visit, number: place, app, end)
        place += 1
      }
    }
    return outcomes
  }

  private func outcome(of visit: LoadVisit, number: Int, _ app: Int, _ end: ProcessEnd?) -> VisitOutcome {
    var outcome = VisitOutcome()
    let completed = simulated[app].completedWakes
    simulated[app].withMeasurements {
      let tasks = (visit.firstTask..<visit.firstTask + visit.taskCount).map { measurements[$0] }
      outcome.handlers = tasks.count { $0.deliveries > 0 }
      outcome.warning = tasks.first { $0.deliveries > 0 }.map { clock.scale.engine(atWall: $0.due) }
      outcome.wakes = completed.count { $0 == number }
      outcome.deathReason = end?.reason
      outcome.death = end?.instant
      if end == nil, !tasks.isEmpty, tasks.allSatisfy({ $0.isBegun && $0.isEnded }) {
        // When is not compared; that is all that has to be known of it.
        (outcome.lastEnd, outcome.suspension) = (.zero, .zero)
      }
    }
    return outcome
  }
}
