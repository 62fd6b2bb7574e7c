import CurfewEngine

/// A warning that a late host has passed over.
struct PassedWarning {
  /// The instant at which the host came to decide it.
  var decided: Instant
  /// How long after the warning was due the host came.
  var late: Interval
  /// Whether it was decided at all depends on the other events of that instant.
  var isUnclear = false
}

/// Ends for which the host came too late to warn (rules F6, W6).
extension RuleChecker {
  /// Before time passes: notes the warnings that become due on the way.
  mutating func passOverWarnings(until instant: Instant) {
    for app in apps.indices {
      let record = apps[app]
      let (left, passed) = (
        record.remaining.nanoseconds - policy.tasks.warning.nanoseconds, instant - now
      )
      if policy.tasks.warning > .zero, clockRuns(record), !record.isWarned, left >= 0,
        passed.nanoseconds > left,
        record.passedWarning == nil
      {
        apps[app].passedWarning = PassedWarning(
          decided: instant, late: .nanoseconds(passed.nanoseconds - left))
      }
      for place in record.wakes.indices { passOver(&apps[app].wakes[place], until: instant) }
      for place in record.sessions.indices {
        guard var run = record.sessions[place].run else { continue }
        passOver(&run, until: instant)
        apps[app].sessions[place].run = run
      }
    }
  }

  private func passOver(_ run: inout Wake, until instant: Instant) {
    let warning = times(of: run).warning
    guard run.passedWarning == nil, run.delivered != nil, run.hasHandler != false,
      run.handlerDue == nil, warning > .zero, !run.isUnwanted,
      run.end - warning >= now, run.end - warning < instant
    else { return }
    run.passedWarning = PassedWarning(
      decided: instant, late: instant - (run.end - warning), isUnclear: run.hasHandler == nil)
  }

  /// After a call: if another deadline of this instant has stopped the clock, the warning may never
  /// have been decided.
  mutating func lookAtPassedWarning(_ app: Int) {
    guard apps[app].passedWarning?.decided == now, !clockRuns(apps[app]) else { return }
    apps[app].passedWarning?.isUnclear = true
    apps[app].isTold = nil
  }

  /// Checks the lateness that an end reports.
  func checkLateness(_ end: EngineProcessEnd, _ app: App) {
    let isGrant = end.kind == .finiteTask
    // If run time ends runs, the warning's due time depends on events that a late host has
    // not reported yet.
    if let kind = end.kind, runRow(kind)?.budgets.isEmpty == false { return }
    guard end.reason == .backgroundTaskAssertionTimeout,
      let passed = isGrant ? app.passedWarning : app.killed?.passedWarning
    else {
      return demand(
        end.late == nil, "\(end.reason) is reported as \(end.late?.nanoseconds ?? 0) ns late")
    }
    let warning = isGrant ? policy.tasks.warning : app.killed.map { times(of: $0).warning } ?? .zero
    let late = passed.late > warning ? passed.late : nil
    demand(
      end.late == late || passed.isUnclear && end.late == nil,
      "\(end.reason) was late by \(late?.nanoseconds ?? 0) ns, not \(end.late?.nanoseconds ?? 0)")
  }
}
