import CurfewEngine

/// A warning that a late host has passed over.
struct PassedWarning {
  /// When the host came, to decide it.
  var decided: Instant
  /// How long after the warning was due that was.
  var late: Interval
  /// Whether it was decided at all is a matter of what else came at that instant.
  var isUnclear = false
}

/// Ends of which the host came too late to warn (rules F6, W6).
extension RuleChecker {
  /// Before time passes: whose warning will have been due when it has.
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

  /// After a call: a clock that another deadline of this instant has stopped was perhaps never
  /// looked at.
  mutating func lookAtPassedWarning(_ app: Int) {
    guard apps[app].passedWarning?.decided == now, !clockRuns(apps[app]) else { return }
    apps[app].passedWarning?.isUnclear = true
    apps[app].isTold = nil
  }

  /// What an end says of it.
  func checkLateness(_ end: Termination, _ app: App) {
    let isGrant = end.kind == .finiteTask
    // With run time that ends runs, when a warning was due depends on all that a late host has
    // not told yet.
    if let kind = end.kind, runRow(kind)?.budgets.isEmpty == false { return }
    guard end.reason == .backgroundTaskAssertionTimeout,
      let passed = isGrant ? app.passedWarning : app.killed?.passedWarning
    else {
      return demand(
        end.late == nil, "\(end.reason) is said to be \(end.late?.nanoseconds ?? 0) ns late")
    }
    let warning = isGrant ? policy.tasks.warning : app.killed.map { times(of: $0).warning } ?? .zero
    let late = passed.late > warning ? passed.late : nil
    demand(
      end.late == late || passed.isUnclear && end.late == nil,
      "\(end.reason) was late by \(late?.nanoseconds ?? 0) ns, not \(end.late?.nanoseconds ?? 0)")
  }
}
