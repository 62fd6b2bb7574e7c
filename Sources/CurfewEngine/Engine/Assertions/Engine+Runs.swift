/// Runs: a wake from its delivery on, and a session with a limit while its app is in the
/// background. Warns runs, and ends the runs that their apps do not end (rules W6, L4).
extension Engine {
  /// Begins a run: its time counts from now.
  mutating func beginRun(_ place: Place<Assertion>) {
    let (app, kind) = (assertions[place].app, assertions[place].kind)
    assertions[place].phase = .second
    assertions[place].due = now.nanoseconds
    if budgets[kind].endsRuns { armRuns(of: app, kind) } else { armRun(place, until: nil) }
  }

  /// Sets a run's only deadline: the warning, if it has a handler, then the end of its length
  /// or of a budget.
  ///
  /// - Parameter exhausted: The instant at which a budget is used up.
  mutating func armRun(_ place: Place<Assertion>, until exhausted: Instant?) {
    let (run, warning) = (assertions[place], times(ofRun: place).warning)
    // The overrun has been reported, or the end comes at the instant of a late warning.
    guard run.warning != .overrun, run.warning != .tooLate else { return }
    let end = limit(ofRun: place, exhausted)
    // A deadline at the last instant never comes.
    guard end < .distantFuture || run.isCutShort else { return clearTimer(of: place) }
    var next = end
    if isWarning(place) || endsAtWarning(place) {
      next = run.isCutShort ? now : end - warning
    } else if run.isCutShort {
      // A run without a handler is not warned, but still gets the time from the warning to the end.
      if !run.isWarned { assertions[place].warning = .inTime }
      next = min(
        end, run.isWarned && run.timer != .none ? timers.deadline(of: run.timer) : now + warning)
    }
    setTimer(of: place, at: max(now, next))
  }

  /// The end of a run, if its app does not end it earlier.
  private func limit(ofRun place: Place<Assertion>, _ exhausted: Instant?) -> Instant {
    let end = Instant(nanoseconds: assertions[place].due) + times(ofRun: place).length
    return min(end, exhausted ?? end)
  }

  /// The run's own times if it has any, otherwise those of its row (rule W7).
  @inline(__always)
  func times(ofRun place: Place<Assertion>) -> RunTimes {
    if let own = assertions.ownTimes(of: place) { return own }
    let row = rows[assertions[place].kind]
    return RunTimes(row.length, row.warning)
  }

  func exhaustion(of place: Place<Assertion>) -> Instant? {
    exhaustion(of: assertions[place].kind, assertions[place].app)
  }

  /// Whether the next deadline of a run is its warning. A run without a handler is not warned.
  func isWarning(_ place: Place<Assertion>) -> Bool {
    let run = assertions[place]
    return !run.isWarned && run.handler == .present && times(ofRun: place).warning > .zero
  }

  /// Whether a wake ends at its warning, because it has no handler then and its row says so.
  func endsAtWarning(_ place: Place<Assertion>) -> Bool {
    let run = assertions[place]
    return run.isWake && !run.isWarned && run.handler == .absent
      && rows[run.kind].unhandledWarning == .end && times(ofRun: place).warning > .zero
  }

  /// Ends a wake at its warning (rule W6), as unsuccessful.
  mutating func endUnhandled(_ place: Place<Assertion>, _ actions: inout ActionBuffer) {
    let run = assertions[place]
    actions.append(.wakeOverran(run.app, AdmittedWake(run), .warning))
    if rows[run.kind].start == .opportunity { noteResult(.failed, of: run.kind, run.app) }
    end(place)
  }

  /// Makes the handler due. The end comes `warning` after `due`, or at the run's limit if that
  /// is earlier.
  mutating func warnOfEnd(_ place: Place<Assertion>, due: Instant) {
    let warning = times(ofRun: place).warning
    let end = limit(ofRun: place, exhaustion(of: place))
    assertions[place].warning = now - due > warning ? .tooLate : .inTime
    assertions[place].began = due.nanoseconds
    setTimer(of: place, at: min(end, due + warning))
    makeRunHandlerDue(place)
  }

  mutating func makeRunHandlerDue(_ place: Place<Assertion>) {
    let run = assertions[place]
    guard run.handler == .present, run.phase == .second, times(ofRun: place).warning > .zero else {
      return
    }
    assertions[place].phase = .called
    enqueue(
      run.isWake ? .wakeExpiration(place, run.wake) : .sessionExpiration(place, run.kind), run.app)
  }

  /// Handles the end of a run by its length or a budget. If the app is not in the background,
  /// `kill` only ends the run.
  ///
  /// - Returns: Whether the app has been terminated.
  mutating func overrun(_ place: Place<Assertion>, due: Instant, _ actions: inout ActionBuffer)
    -> Bool
  {
    let run = assertions[place]
    let (app, kind, row) = (run.app, run.kind, rows[run.kind])
    // An end before the run's length is over is caused by a budget, or by a condition that no
    // longer holds.
    let isSpent =
      budgets[kind].endsRuns && due - Instant(nanoseconds: run.due) < times(ofRun: place).length
      && (!run.isCutShort || isSpent(kind, app, whatEndsRuns: true))
    if run.isWake {
      actions.append(.wakeOverran(app, AdmittedWake(run), isSpent ? .budget : .length))
      if row.overrun != .tell, row.start == .opportunity { noteResult(.failed, of: kind, app) }
    } else {
      actions.append(.session(app, kind, isSpent ? .overBudget : .overran))
    }
    if row.overrun == .tell {
      assertions[place].warning = .overrun
    } else if row.overrun == .kill, apps[app].state == .background {
      var termination = EngineProcessEnd(
        reason: .backgroundTaskAssertionTimeout, code: row.code, kind: kind)
      if isSpent { termination.limit = .budget }
      let length = times(ofRun: place).length
      if !isSpent, length < row.length { termination.ownLength = length }
      if run.warning == .tooLate { termination.late = now - Instant(nanoseconds: run.began) }
      terminate(app, termination, &actions)
      return true
    } else if run.isWake {
      end(place)
    } else {
      endOverrun(place, isSpent: isSpent, &actions)
    }
    return false
  }
}

extension RunTimes {
  @inline(__always)
  init(_ length: Interval, _ warning: Interval) { (self.length, self.warning) = (length, warning) }

  /// Returns these times, limited: the length to the row's length, and the warning to the
  /// resulting length.
  func within(_ row: AdmissionRow) -> RunTimes {
    let length = min(length, row.length)
    return RunTimes(length, min(warning, length))
  }
}
