/// Budgets (rule W4).
extension Engine {
  /// Why an app may not have more of a kind now; nil if it may.
  ///
  /// - Complexity: O(what the app has had within the windows of all kinds); where a run goes on,
  ///   that as often as another begins or ends to leave a window meanwhile.
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
    // Nobody knows for how long a run goes on that has used up what there is, or that any other
    // of the app's may take with it.
    let endsAll = budgets[kind].countsRuns && rows[kind].overrun == .kill
    if runsGoOn(of: kind, app), endsAll || isSpent(kind, app, whatEndsRuns: false) {
      return Budgets.Denial(full: full, next: nil)
    }
    return Budgets.Denial(full: full, next: firstRoom(for: kind, app, from: now))
  }

  /// A session or a wake is admitted.
  mutating func noteAdmission(_ kind: AssertionKind, _ app: AppID) {
    guard budgets[kind].countsAdmissions else { return }
    let beginsSession = budgets[kind].countsSessions && !joinsSession(kind, app, at: now, nil)
    note(BudgetUse(admissionOf: kind, at: now, beginsSession: beginsSession), app)
  }

  /// A run has ended.
  mutating func noteRun(of assertion: Assertion) {
    guard budgets[assertion.kind].countsRuns else { return }
    // From now on it is known when there is run time again.
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

  // MARK: What runs

  /// What is left of run time has changed: its runs end with it (rule W4). Those of one kind,
  /// or all.
  mutating func armRuns(of app: AppID, _ kind: AssertionKind? = nil) {
    guard budgets.endRuns, apps[app].isRunning, apps[app].otherAssertions > 0 else { return }
    // Looked for once for each kind in a row: an app that runs many has many of the same.
    var (last, exhausted) = (AssertionKind?.none, Instant?.none)
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      let run = assertions[place]
      guard run.isRun, kind == nil || run.kind == kind, budgets[run.kind].endsRuns else { continue }
      if run.kind != last { (last, exhausted) = (run.kind, exhaustion(of: run.kind, app)) }
      armRun(place, until: exhausted)
    }
  }

  /// Whether the run time of a kind is used up just now: what ends runs, or any.
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

  /// When the run time of a kind will be used up, before any run that goes on is over, if nothing
  /// but time passes; nil where there is enough.
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

  /// Until when a run goes on, if nothing but time passes and what there is lasts
  /// until `exhausted`.
  private func end(ofRun place: Place<Assertion>, _ exhausted: Instant?) -> Instant {
    let wake = assertions[place]
    guard wake.warning != .overrun else { return .distantFuture }
    if wake.isCutShort, wake.isWarned, wake.timer != .none {
      return timers.deadline(of: wake.timer)
    }
    let end = Instant(nanoseconds: wake.due) + times(ofRun: place).length
    return rows[wake.kind].overrun == .tell ? .distantFuture : min(end, exhausted ?? end)
  }

  // MARK: What is left, and when

  /// The first instant from `start` on at which every budget that is for the app then has room, if
  /// nothing but time passes; nil for never, which a window as long as time comes to.
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

  /// From when one budget has room: `instant` where it has; nil for never.
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

  /// Whether what is admitted at an instant belongs to the session of another: one that runs,
  /// or has ended not long before.
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

  /// How long a kind has run in the window that ends at an instant, if nothing but time passes
  /// until then; saturates.
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

  /// The run time of a kind in a window, over time.
  private struct Stretch {
    let kind: AssertionKind
    let app: AppID
    let window: Interval
    let limit: Interval
    /// When all of it is used up and what runs ends.
    let exhausted: Instant?
  }

  /// The first instant from `start` on, and before `horizon`, at which the window has the limit
  /// in it, or more; or less.
  ///
  /// Use goes up and down in straight lines: it turns where a run begins or ends to leave the
  /// window, or is over. So it is looked at from turn to turn.
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
        // Up to the limit, or past it: the first whole nanosecond at which that is so.
        let steps = wanted ? (short + slope - 1) / slope : short / slope + 1
        let found = min(next, instant + .nanoseconds(steps))
        return found < horizon ? found : nil
      }
      instant = next
    }
    return nil
  }

  /// The first instant after `instant` at which the use of a window may go up or down otherwise
  /// than until then.
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
