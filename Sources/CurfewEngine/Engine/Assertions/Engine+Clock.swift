/// The task clock: one clock for all tasks of a visit. The clock runs or stands still (rules
/// F2–F6, F11).
extension Engine {
  @inline(__always)
  mutating func beginVisit(_ app: AppID, grant: Interval) {
    apps[app].visit &+= 1
    apps[app].flags.remove(.warned)
    apps[app].clock = grant.nanoseconds
    apps[app].reasons.expiration = .timeLimit
    apps[app].lateTasks = 0
    apps[app].quietSince = now.nanoseconds
  }

  /// Starts or stops the clock after a change to anything that it depends on.
  ///
  /// - Complexity: O(1), or O(open tasks) if it starts with no more than the warning left: all
  ///   their handlers are then due.
  mutating func updateClock(_ app: AppID) {
    let shouldRun =
      apps[app].state == .background && apps[app].openTasks > 0 && apps[app].startDefining == 0
    guard shouldRun else { return stopClock(app) }
    guard !apps[app].flags.contains(.clockRuns) else { return }
    apps[app].flags.insert(.clockRuns)
    apps[app].clock = (now + Interval(nanoseconds: apps[app].clock)).nanoseconds
    let wasWarned = apps[app].flags.contains(.warned)
    armClock(app)
    if wasWarned {
      makeHandlersDue(app, at: now)
    } else if apps[app].flags.contains(.warned) {
      warn(app, at: now)
    }
  }

  /// Whether a task begun now gains nothing (rule F7): the visit has had its warning, or its grant
  /// was shortened while the clock stood still.
  func isPastWarning(_ app: AppID) -> Bool {
    guard apps[app].state == .background else { return false }
    if apps[app].flags.contains(.warned) { return true }
    return !apps[app].flags.contains(.clockRuns)
      && apps[app].clock <= policy.tasks.warning.nanoseconds
  }

  @inline(__always)
  mutating func stopClock(_ app: AppID) {
    if apps[app].flags.contains(.clockRuns) { takeClockAway(app) }
  }

  private mutating func takeClockAway(_ app: AppID) {
    apps[app].flags.remove(.clockRuns)
    apps[app].clock -= now.nanoseconds
    timers.disarm(&apps[app].clockTimer)
  }

  /// Sets the clock's only deadline: the warning, then the end. A grant that extends past the last
  /// instant has neither.
  private mutating func armClock(_ app: AppID) {
    let end = Instant(nanoseconds: apps[app].clock)
    let warning = end == .distantFuture ? end : end - policy.tasks.warning
    if warning <= now { apps[app].flags.insert(.warned) }
    timers.arm(&apps[app].clockTimer, at: warning <= now ? end : warning, .clock(app))
  }

  /// Handles the clock's deadline. Handlers are due at the deadline, however late the host calls.
  mutating func clockFired(_ app: AppID, due: Instant, _ actions: inout ActionBuffer) {
    apps[app].clockTimer = .none
    guard apps[app].flags.contains(.warned) else {
      if policy.tasks.warning > .zero, now - due > policy.tasks.warning {
        noteLateWarning(app, due: due)
      }
      armClock(app)
      warn(app, at: due)
      return runLoop(app, &actions)
    }
    let termination = EngineProcessEnd(
      reason: .backgroundTaskAssertionTimeout, code: policy.tasks.code, kind: .finiteTask,
      expiration: apps[app].reasons.expiration,
      leaks: UInt32(apps[app].openTasks), late: lateness(ofVisitOf: app))
    terminate(app, termination, &actions)
  }

  /// Notes that the grant was over when its warning was decided. The report of the end mentions
  /// this. With `extend`, the end comes `warning` after now (rule F6).
  private mutating func noteLateWarning(_ app: AppID, due: Instant) {
    apps[extras: app].lateWarning = LateWarning(visit: apps[app].visit, by: now - due)
    if policy.tasks.whenLate == .extend {
      apps[app].clock = (now + policy.tasks.warning).nanoseconds
    }
  }

  private func lateness(ofVisitOf app: AppID) -> Interval? {
    let late = apps[extras: app].lateWarning
    return late.visit == apps[app].visit && late.by > .zero ? late.by : nil
  }

  /// Issues a visit's warning. The open tasks are reported when the last handler due with it has
  /// returned, or at once if no handler is due (rule F6).
  private mutating func warn(_ app: AppID, at due: Instant) {
    let last = apps[app].items.records.last
    makeHandlersDue(app, at: due)
    let place = apps[app].items.records.last
    if place != last, case .expiration(let task, let id, let visit) = items[place].work {
      items[place].work = .lastExpiration(task, id, visit: visit)
    } else {
      apps[app].flags.insert(.isToldStillOpen)
    }
  }

  /// Makes handlers due in id order (rule F5), which is the order of the chain.
  private mutating func makeHandlersDue(_ app: AppID, at due: Instant) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      if assertions[place].kind == .finiteTask { makeHandlerDue(place, at: due) }
    }
  }

  /// Makes a task's handler due, unless it has already been due in this visit or called in
  /// any visit.
  mutating func makeHandlerDue(_ place: Place<Assertion>, at due: Instant) {
    let app = assertions[place].app
    let visit = apps[app].visit
    guard assertions[place].phase != .called, assertions[place].dueVisit != visit else { return }
    assertions[place].phase = .second
    assertions[place].dueVisit = visit
    assertions[place].due = due.nanoseconds
    assertions[place].reason = apps[app].reasons.expiration
    guard assertions[place].handler == .present else { return }
    enqueue(.expiration(place, assertions[place].id, visit: visit), app)
  }

  mutating func deliverExpiration(
    _ place: Place<Assertion>, _ id: TaskID, visit: UInt32, _ delivery: PendingDelivery,
    _ app: AppID,
    _ actions: inout ActionBuffer
  ) {
    // The handler is due again in a later visit, so it is not called now.
    guard apps[app].visit == visit else { return }
    // The task ended before its turn. Its handler is not called, and the handlers before it
    // have returned.
    guard assertions.holds(id, at: place, of: app), assertions[place].phase == .second else {
      return delivery == .lastExpirationHandler ? tellStillOpen(app, &actions) : ()
    }
    assertions[place].phase = .called
    call(app, delivery)
    let due = Instant(nanoseconds: assertions[place].due)
    actions.append(.expiration(app, task(at: place), assertions[place].reason, due: due))
    if apps[app].state != .background {
      actions.append(.diagnostic(.deliveredInForeground, app, task(at: place)))
    }
  }

  /// Reports the tasks that are still open after handlers have been called (rule F6).
  mutating func tellStillOpen(_ app: AppID, _ actions: inout ActionBuffer) {
    apps[app].flags.remove(.isToldStillOpen)
    guard apps[app].openTasks > 0 else { return }
    actions.append(.stillOpen(app, tasks: UInt32(apps[app].openTasks)))
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      guard assertions[place].kind == .finiteTask else { continue }
      actions.append(
        .leakedTask(app, task(at: place), age: now - Instant(nanoseconds: assertions[place].began)))
    }
  }

  // MARK: Early expiry (rule F11)

  mutating func expireTasks(
    of app: AppID, _ reason: ExpirationReason, _ actions: inout ActionBuffer
  ) {
    guard apps[app].state == .background else {
      return illegal(app, idleness(of: app) ?? .notInBackground, &actions)
    }
    apps[app].reasons.expiration = reason
    let warning = policy.tasks.warning
    if apps[app].flags.contains(.clockRuns) {
      apps[app].clock = min(apps[app].clock, (now + warning).nanoseconds)
      let wasWarned = apps[app].flags.contains(.warned)
      armClock(app)
      if wasWarned { makeHandlersDue(app, at: now) } else { warn(app, at: now) }
      runLoop(app, &actions)
    } else {
      apps[app].clock = min(apps[app].clock, warning.nanoseconds)
    }
  }

  mutating func expireAllTasks(_ reason: ExpirationReason, _ actions: inout ActionBuffer) {
    expireEverywhere(reason)
    if agenda.isEmpty { illegal(nil, .nobodyInBackground, &actions) }
  }

  mutating func expireEverywhere(_ reason: ExpirationReason) {
    for app in apps.ids where apps[app].state == .background {
      agenda.append(AgendaItem(app: app, work: .expireTasks(reason)))
    }
  }
}
