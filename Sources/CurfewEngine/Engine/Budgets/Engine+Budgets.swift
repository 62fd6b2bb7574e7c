/// Budgets (rule W4).
extension Engine {
  /// The budgets' denial of one more use of a kind now; nil if they allow it.
  ///
  /// - Complexity: O(the app's uses within the windows of all kinds). While a run continues, this
  ///   is multiplied by the number of uses that start or finish leaving a window meanwhile.
  mutating func budgetDenial(_ kind: AssertionKind, _ app: AppID) -> Budgets.Denial? {
    guard budgets.limits(kind) else { return nil }
    budgets.forget(&apps[extras: app].uses, now: now)
    let group = group(of: app, at: now)
    var (isFull, full) = (false, UInt32(0))
    for limit in budgets[kind].limits
    where limit.isFor(group) && room(under: limit, kind, app, from: now, nil) != now {
      isFull = true
      full |= limit.bit
    }
    guard isFull else { return nil }
    // While a run continues, no instant is known if the run has used up a budget, or may end
    // because another run gets the app killed.
    let endsAll = budgets[kind].countsRuns && rows[kind].overrun == .kill
    if runsGoOn(of: kind, app), endsAll || isSpent(kind, app, whatEndsRuns: false) {
      return Budgets.Denial(full: full, next: nil)
    }
    return Budgets.Denial(full: full, next: firstRoom(for: kind, app, from: now))
  }

  /// Counts the admission of a session or a wake.
  mutating func noteAdmission(_ kind: AssertionKind, _ app: AppID) {
    guard budgets[kind].countsAdmissions else { return }
    let beginsSession = budgets[kind].countsSessions && !joinsSession(kind, app, at: now, nil)
    note(BudgetUse(admissionOf: kind, at: now, beginsSession: beginsSession), app)
  }

  /// Counts a run that has ended.
  mutating func noteRun(of assertion: Assertion) {
    guard budgets[assertion.kind].countsRuns else { return }
    // The end of the run determines the instant at which there is run time again.
    lookAgainAtRequests(of: assertion.app)
    let start = Instant(nanoseconds: assertion.due)
    if start < now || budgets[assertion.kind].countsSessions {
      note(BudgetUse(runOf: assertion.kind, from: start, to: now), assertion.app)
    }
    armRuns(of: assertion.app, assertion.kind)
  }

  private mutating func note(_ use: BudgetUse, _ app: AppID) {
    budgets.note(use, in: &apps[extras: app].uses, now: now)
  }

  // MARK: Runs

  /// Sets the deadlines of an app's runs again after their remaining run time has changed (rule
  /// W4): for the runs of one kind, or for all.
  mutating func armRuns(of app: AppID, _ kind: AssertionKind? = nil) {
    guard budgets.endRuns, apps[app].isRunning, apps[app].otherAssertions > 0 else { return }
    // Consecutive runs of a kind share the result: an app with many runs has many of one kind.
    var (last, exhausted) = (AssertionKind?.none, Instant?.none)
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let run = assertions[place]
      guard run.isRun, kind == nil || run.kind == kind, budgets[run.kind].endsRuns else { continue }
      if run.kind != last { (last, exhausted) = (run.kind, exhaustion(of: run.kind, app)) }
      armRun(place, until: exhausted)
    }
  }

  /// Whether the run time of a kind is used up now: in a budget that ends runs if `whatEndsRuns`
  /// is true, otherwise in any budget.
  func isSpent(_ kind: AssertionKind, _ app: AppID, whatEndsRuns: Bool) -> Bool {
    let group = group(of: app, at: now)
    return budgets[kind].limits.contains { limit in
      guard case .runTime(let time) = limit.budget.amount, limit.isFor(group),
        limit.endsRuns || !whatEndsRuns
      else { return false }
      return used(of: kind, app, limit.budget.window, at: now, nil) >= time
    }
  }

  private func runsGoOn(of kind: AssertionKind, _ app: AppID) -> Bool {
    oldest(of: app) { $0.kind == kind && $0.isRun } != nil
  }

  /// The instant at which the run time of a kind is used up, if only time passes; nil if it lasts
  /// until every current run is over.
  func exhaustion(of kind: AssertionKind, _ app: AppID) -> Instant? {
    guard budgets[kind].endsRuns else { return nil }
    var (horizon, walk) = (now, assertions.walk(apps[app].assertions))
    while let place = walk.next(in: assertions.records) {
      guard assertions[place].kind == kind, assertions[place].isRun,
        assertions[place].warning != .overrun
      else { continue }
      horizon = max(horizon, end(ofRun: place, nil))
    }
    var instant = now
    while instant < horizon {
      let change = min(horizon, nextGroupChange(of: app, after: instant) ?? horizon)
      let group = group(of: app, at: instant)
      var first: Instant?
      for limit in budgets[kind].limits where limit.endsRuns && limit.isFor(group) {
        guard case .runTime(let time) = limit.budget.amount else { continue }
        let stretch = Stretch(
          kind: kind, app: app, window: limit.budget.window, limit: time, exhausted: nil)
        if let spent = firstInstant(of: stretch, isSpent: true, from: instant, before: change) {
          first = min(first ?? spent, spent)
        }
      }
      if let first { return first }
      instant = change
    }
    return nil
  }

  /// The end of a run, if only time passes and the run time lasts until `exhausted`.
  private func end(ofRun place: Place<Assertion>, _ exhausted: Instant?) -> Instant {
    let wake = assertions[place]
    guard wake.warning != .overrun else { return .distantFuture }
    if wake.isCutShort, wake.isWarned, wake.timer != .none {
      return timers.deadline(of: wake.timer)
    }
    let end = Instant(nanoseconds: wake.due) + times(ofRun: place).length
    if endsAtWarning(place) {
      return wake.isCutShort ? now : min(end, exhausted ?? end) - times(ofRun: place).warning
    }
    return rows[wake.kind].overrun == .tell ? .distantFuture : min(end, exhausted ?? end)
  }

  // MARK: Room

  /// The first instant from `start` on at which every budget that then applies to the app has
  /// room, if only time passes. Nil if there is none, for instance because a window is as long as
  /// time itself.
  func firstRoom(for kind: AssertionKind, _ app: AppID, from start: Instant) -> Instant? {
    let exhausted = exhaustion(of: kind, app)
    var (instant, isNever) = (start, false)
    while instant < .distantFuture {
      let group = group(of: app, at: instant)
      var free = instant
      isNever = false
      for limit in budgets[kind].limits where limit.isFor(group) {
        let room = room(under: limit, kind, app, from: instant, exhausted)
        if let room { free = max(free, room) } else { isNever = true }
      }
      if !isNever, free == instant { return instant }
      let change = nextGroupChange(of: app, after: instant) ?? .distantFuture
      instant = isNever ? change : min(change, free)
    }
    return nil
  }

  /// The instant from which a budget has room: `instant` if it has room then, nil for never.
  private func room(
    under limit: KindBudgets.Limit, _ kind: AssertionKind, _ app: AppID, from instant: Instant,
    _ exhausted: Instant?
  ) -> Instant? {
    let (chain, budget) = (apps[extras: app].uses, limit.budget)
    switch budget.amount {
    case .admissions(let limit):
      return budgets.room(
        under: limit, ofSessions: false, kind, chain, budget.window, from: instant)
    case .sessions(let limit):
      if limit > 0, joinsSession(kind, app, at: instant, exhausted) { return instant }
      return budgets.room(under: limit, ofSessions: true, kind, chain, budget.window, from: instant)
    case .runTime:
      guard limit.admitsBelow > .zero else { return nil }
      if !runsGoOn(of: kind, app) {
        return budgets.firstInstant(
          under: limit.admitsBelow, of: kind, chain, budget.window, from: instant)
      }
      let stretch = Stretch(
        kind: kind, app: app, window: budget.window, limit: limit.admitsBelow, exhausted: exhausted)
      return firstInstant(of: stretch, isSpent: false, from: instant, before: .distantFuture)
    }
  }

  /// Whether an admission at an instant belongs to the session of another use: a use that has
  /// not ended, or that ended at most `coalescing` before.
  private func joinsSession(
    _ kind: AssertionKind, _ app: AppID, at instant: Instant, _ exhausted: Instant?
  ) -> Bool {
    let coalescing = budgets[kind].coalescing
    if let last = budgets.lastEnd(of: kind, apps[extras: app].uses), last + coalescing >= instant {
      return true
    }
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      guard assertions[place].kind == kind, assertions[place].isOn else { continue }
      if !assertions[place].isRun || end(ofRun: place, exhausted) + coalescing >= instant {
        return true
      }
    }
    return false
  }

  /// The run time of a kind in the window that ends at an instant, if only time passes until
  /// then. Saturates.
  private func used(
    of kind: AssertionKind, _ app: AppID, _ window: Interval, at instant: Instant,
    _ exhausted: Instant?
  ) -> Interval {
    var sum = budgets.used(of: kind, apps[extras: app].uses, window, until: instant)
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      guard assertions[place].kind == kind, assertions[place].isRun else { continue }
      let start = max(Instant(nanoseconds: assertions[place].due), instant - window)
      sum = sum.adding(max(.zero, min(instant, end(ofRun: place, exhausted)) - start))
    }
    return sum
  }

  /// The run time of a kind in a window, as a function of time.
  private struct Stretch {
    let kind: AssertionKind
    let app: AppID
    let window: Interval
    let limit: Interval
    /// The instant at which the run time is used up and runs end.
    let exhausted: Instant?
  }

  /// The first instant from `start` on, and before `horizon`, at which the window holds at least
  /// the limit, or less than the limit if `wanted` is false.
  ///
  /// Use is piecewise linear: its slope changes when a run starts or finishes leaving the window,
  /// or ends. The search moves from one change to the next.
  private func firstInstant(
    of stretch: Stretch, isSpent wanted: Bool, from start: Instant, before horizon: Instant
  ) -> Instant? {
    var instant = start
    var use = used(of: stretch.kind, stretch.app, stretch.window, at: start, stretch.exhausted)
    while instant < horizon {
      if (use >= stretch.limit) == wanted { return instant }
      let next = min(horizon, turn(of: stretch, after: instant))
      let (before, length) = (use.nanoseconds, (next - instant).nanoseconds)
      use = used(of: stretch.kind, stretch.app, stretch.window, at: next, stretch.exhausted)
      if (use >= stretch.limit) == wanted {
        let slope = (use.nanoseconds - before) / length
        guard slope != 0 else { return next }
        let short = stretch.limit.nanoseconds - before
        // The first whole nanosecond at which use reaches the limit, or is below it.
        let steps = wanted ? (short + slope - 1) / slope : short / slope + 1
        let found = min(next, instant + .nanoseconds(steps))
        return found < horizon ? found : nil
      }
      instant = next
    }
    return nil
  }

  /// The first instant after `instant` at which the slope of a window's use may change.
  private func turn(of stretch: Stretch, after instant: Instant) -> Instant {
    var first = budgets.departure(
      of: stretch.kind, apps[extras: stretch.app].uses, stretch.window, after: instant)
    var walk = assertions.walk(apps[stretch.app].assertions)
    while let place = walk.next(in: assertions.records) {
      guard assertions[place].kind == stretch.kind, assertions[place].isRun else { continue }
      let (start, end) = (
        Instant(nanoseconds: assertions[place].due), end(ofRun: place, stretch.exhausted)
      )
      let (leaves, hasLeft) = (start + stretch.window, end + stretch.window)
      if leaves > instant { first = min(first, leaves) }
      if end > instant { first = min(first, end) }
      if hasLeft > instant { first = min(first, hasLeft) }
    }
    return first
  }
}
