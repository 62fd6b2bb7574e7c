import CurfewEngine

/// Sessions (rules L), and the limits of runs of any kind.
extension RuleChecker {
  /// A row's limits on runs: on a wake, or on a session in the background.
  struct RunRow {
    /// nil for no limit.
    var length: Interval?
    var warning: Interval
    var overrun: Overrun
    var code: TerminationCode?
    var budget: WakeBudget?
    var budgets: [Budget]
    var coalescing: Interval
    /// The least room that an admission needs in each budget of run time.
    var leastRoom: Interval
  }

  func runRow(_ kind: AssertionKind) -> RunRow? {
    if let row = policy.sessions[kind] {
      return RunRow(
        length: row.length, warning: row.warning, overrun: row.overrun, code: row.code,
        budgets: row.budgets, coalescing: row.coalescing,
        leastRoom: row.leastRoom ?? row.warning)
    }
    return policy.wakes[kind].map {
      RunRow(
        length: $0.length, warning: $0.warning, overrun: $0.overrun, code: $0.code,
        budget: $0.budget, budgets: $0.budgets,
        coalescing: $0.coalescing, leastRoom: $0.leastRoom ?? $0.warning)
    }
  }

  /// A run's length, if it has one, and its warning: those of its row, or the smaller ones that its
  /// delivery named (rule W7).
  func times(of run: Wake) -> (length: Interval?, warning: Interval) {
    guard let row = runRow(run.kind) else { return (nil, .zero) }
    guard let own = run.own else { return (row.length, row.warning) }
    let length = min(own.length, row.length ?? own.length)
    return (length, min(own.warning, length))
  }

  // MARK: Beginning

  /// Reasons that deny the start of a session that is not on.
  private func startDenials(_ kind: AssertionKind, _ app: Int) -> DenialReasons {
    var denied = sessionDenials(kind, app)
    if isUsedUp(kind, app) { denied.insert(.budget) }
    if deferral(kind, app) != nil { denied.insert(.interval) }
    return denied
  }

  /// The instant until which a stopped session may not begin again.
  private func deferral(_ kind: AssertionKind, _ app: Int) -> Instant? {
    apps[app].sessions.first { $0.kind == kind && $0.isStopped }?.deferredUntil
  }

  func checkStart(of kind: AssertionKind, _ denied: DenialReasons, _ next: Instant?, _ app: Int) {
    let expected = startDenials(kind, app)
    demand(denied == expected, "\(kind) was denied for \(denied.text), not \(expected.text)")
    guard let deferral = deferral(kind, app) else { return checkNext(next, kind, denied, app) }
    guard let next else {
      return demand(
        isUsedUp(kind, app, at: max(deferral, now + .seconds(1_000_000_000))),
        "\(kind)'s next instant is not reported")
    }
    let isFirst =
      next == deferral || next > deferral && isUsedUp(kind, app, at: next - .nanoseconds(1))
    demand(
      isFirst && (next == .distantFuture || !isUsedUp(kind, app, at: next)),
      "\(kind)'s next instant is wrong"
    )
  }

  /// Whether a deferred session is decided again: its time has come, or its app is in front.
  func isRenewing(_ kind: AssertionKind, _ app: Int) -> Bool {
    guard let until = apps[app].sessions.first(where: { $0.kind == kind && $0.isOn })?.deferredUntil
    else { return false }
    return event == nil && isDue(until) || apps[app].state == .inactive
  }

  /// Begins a run with the app in the background, if there is something to count.
  mutating func beginRun(_ place: Int, _ app: Int) {
    let session = apps[app].sessions[place]
    guard apps[app].state == .background, session.isOn, session.isHeld,
      let row = runRow(session.kind)
    else { return }
    let counts = row.budgets.contains { if case .admissions = $0.amount { false } else { true } }
    guard row.length != nil || counts else { return }
    var run = Wake(
      id: 0, kind: session.kind, arrival: session.arrival, delivered: now,
      hasHandler: session.handler == .present)
    if let length = row.length { run.end = now + length }
    apps[app].sessions[place].run = run
  }

  private mutating func endRun(_ place: Int, _ app: Int) {
    guard let run = apps[app].sessions[place].run else { return }
    noteRun(run, app)
    apps[app].sessions[place].run = nil
  }

  mutating func endSessionRuns(_ app: Int, isInFront: Bool) {
    for place in apps[app].sessions.indices {
      endRun(place, app)
      if isInFront { apps[app].sessions[place].lastDeferral = .zero }
    }
    if isInFront { apps[app].sessions.removeAll(where: \.isStopped) }
  }

  // MARK: Reports

  mutating func noteSession(_ kind: AssertionKind, _ change: SessionChange, _ app: Int) {
    let place = apps[app].sessions.firstIndex { $0.kind == kind }
    switch change {
    case .denied:
      demand(
        decisions == 1 && !startDenials(kind, app).isEmpty, "\(kind) was denied without a reason")
    case .began: noteStart(of: kind, place, app)
    case .ended: noteStop(of: kind, place, app)
    case .overran, .overBudget: noteOverrun(of: kind, change, place, app)
    case .deferred: demand(false, "\(kind) was deferred without having overrun")
    case .renewed:
      guard let place else { return demand(false, "\(kind) was renewed, but was not on") }
      demand(
        isRenewing(kind, app) && sessionDenials(kind, app).isEmpty,
        "\(kind) was renewed against the rules")
      apps[app].sessions[place].deferredUntil = nil
      beginRun(place, app)
    }
  }

  private mutating func noteStart(of kind: AssertionKind, _ place: Int?, _ app: Int) {
    guard case .startSession(_, _, let handler) = event else {
      return demand(false, "\(kind) began by itself")
    }
    demand(decisions == 1 && startDenials(kind, app).isEmpty, "\(kind) began against the rules")
    noteAdmission(kind, app)
    if let place {
      demand(apps[app].sessions[place].lingersUntil != nil, "\(kind) began twice")
      apps[app].sessions[place].lingersUntil = nil
      apps[app].sessions[place].handler = handler
    } else {
      arrivals += 1
      apps[app].sessions.append(Session(kind: kind, arrival: arrivals, handler: handler))
    }
    beginRun(place ?? apps[app].sessions.count - 1, app)
  }

  private mutating func noteStop(of kind: AssertionKind, _ place: Int?, _ app: Int) {
    guard let place, let rules = policy.sessions[kind] else {
      return demand(false, "\(kind) ended, but was not on")
    }
    endRun(place, app)
    if !apps[app].sessions[place].isHeld {
      if case .stopSession = event { return apps[app].sessions[place].isStopped = true }
      demand(isRenewing(kind, app) && !sessionDenials(kind, app).isEmpty, "\(kind) was not renewed")
      apps[app].sessions.remove(at: place)
    } else if rules.linger > .zero {
      apps[app].sessions[place].lingersUntil = RuleChecker.roundest(
        now + rules.linger, rules.leeway)
    } else {
      apps[app].sessions.remove(at: place)
      settleQuiet(app, at: now)
    }
  }

  mutating func noteSessionWarning(_ kind: AssertionKind, _ due: Instant, _ app: Int) {
    guard let place = apps[app].sessions.firstIndex(where: { $0.kind == kind }),
      let run = apps[app].sessions[place].run
    else {
      return demand(false, "the handler of \(kind) was called, but it has no run")
    }
    checkWarning(run, due, app)
    apps[app].sessions[place].run?.isHandlerCalled = true
  }

  private mutating func noteOverrun(
    of kind: AssertionKind, _ change: SessionChange, _ place: Int?, _ app: Int
  ) {
    guard let place, let run = apps[app].sessions[place].run, let row = policy.sessions[kind] else {
      return demand(false, "\(kind) overran, but has no run")
    }
    let isOver =
      change == .overran
      ? isDue(run.end) : (isSpent(kind, app) || !isPunctual) && (now < run.end || !isPunctual)
    demand(
      event == nil && isOver, "\(kind) \(change) too early or too late: \(runTimes(of: kind, app))")
    let id = AppID(rawValue: UInt32(app))
    switch row.overrun {
    case .kill: apps[app].killed = run
    case .tell:
      apps[app].sessions[place].run?.end = .distantFuture
      apps[app].sessions[place].run?.hasOverrun = true
    case .drop where row.deferral > .zero && change == .overran && !isSpent(kind, app):
      endRun(place, app)
      let last = apps[app].sessions[place].lastDeferral
      let grown =
        (Int128(last.nanoseconds) * Int128(row.deferralFactor.millionths) + 999_999) / 1_000_000
      let wait =
        last == .zero
        ? row.deferral : min(row.longestDeferral ?? .nanoseconds(.max), .nanoseconds(Int64(grown)))
      apps[app].sessions[place].lastDeferral = wait
      apps[app].sessions[place].deferredUntil = now + wait
      mustFollow = [.session(id, kind, .deferred)]
      settleQuiet(app, at: now)
    case .drop:
      endRun(place, app)
      apps[app].sessions.remove(at: place)
      mustFollow = [.session(id, kind, .ended)]
      settleQuiet(app, at: now)
    }
  }
}
