import CurfewEngine

/// Budgets over windows of time, and the group of an app (rule W4): sums over lists of everything
/// that has happened, computed again for each query.
extension RuleChecker {
  struct Admission {
    var kind: AssertionKind
    var at: Instant
    /// Whether nothing of the kind was running or had just run.
    var beginsSession: Bool
  }

  /// From delivery to end.
  struct Run {
    var kind: AssertionKind
    var from: Instant
    var to: Instant
  }

  // MARK: Groups

  /// Groups by rank, then by disuse, then by name.
  private var groupsInOrder: [Int] {
    policy.groups.indices.sorted { first, second in
      let (a, b) = (policy.groups[first], policy.groups[second])
      if a.rank != b.rank { return a.rank > b.rank }
      return a.unusedFor != b.unusedFor ? a.unusedFor > b.unusedFor : first < second
    }
  }

  private func group(of app: Int, at instant: Instant) -> AppGroup? {
    let unused = front.contains(app) ? .zero : instant - (standing[app].leftFront ?? .zero)
    let holding = holding(app)
    let place = groupsInOrder.first {
      let group = policy.groups[$0]
      return group.conditions.requires.isSubset(of: holding)
        && group.conditions.blockedBy.isDisjoint(with: holding)
        && group.unusedFor <= unused
    }
    return place.map { AppGroup(rawValue: UInt8($0)) }
  }

  // MARK: Limits

  /// The limits that apply to the app at this instant, and whether each ends runs.
  private func limits(_ kind: AssertionKind, _ app: Int, at instant: Instant) -> [(
    budget: Budget, endsRuns: Bool
  )] {
    guard let row = runRow(kind) else { return [] }
    var limits: [(Budget, Bool)] = []
    if let own = row.budget {
      if let count = own.admissions {
        limits.append((Budget(.admissions(count), in: own.window), false))
      }
      if let time = own.runTime { limits.append((Budget(.runTime(time), in: own.window), false)) }
    }
    let group = group(of: app, at: instant)
    for budget in row.budgets where budget.group == nil || budget.group == group {
      if case .runTime = budget.amount {
        limits.append((budget, true))
      } else {
        limits.append((budget, false))
      }
    }
    return limits
  }

  func isUsedUp(_ kind: AssertionKind, _ app: Int) -> Bool {
    isUsedUp(kind, app, at: now, endingAt: nil)
  }

  /// Whether a budget is used up in half-open windows that end at `instant`, if nothing
  /// else happens.
  func isUsedUp(
    _ kind: AssertionKind, _ app: Int, at instant: Instant, endingAt spent: Instant? = nil
  ) -> Bool {
    limits(kind, app, at: instant).contains {
      !hasRoom($0.budget, kind, app, at: instant, endingAt: spent)
    }
  }

  private func hasRoom(
    _ budget: Budget, _ kind: AssertionKind, _ app: Int, at instant: Instant,
    endingAt spent: Instant?
  ) -> Bool {
    switch budget.amount {
    case .admissions(let most):
      return standing[app].admissions.count { $0.kind == kind && $0.at > instant - budget.window }
        < most
    case .sessions(let most):
      if most > 0, joins(kind, app, at: instant, endingAt: spent) { return true }
      return standing[app].admissions.count {
        $0.kind == kind && $0.beginsSession && $0.at > instant - budget.window
      } < most
    case .runTime(let most):
      let left =
        most.nanoseconds
        - runTime(kind, budget.window, app, at: instant, endingAt: spent).nanoseconds
      return left > (runRow(kind)?.leastRoom ?? .zero).nanoseconds
    }
  }

  /// The indices of the row's budgets that have no room.
  private func fullBudgets(_ kind: AssertionKind, _ app: Int) -> [Int] {
    let group = group(of: app, at: now)
    return (runRow(kind)?.budgets ?? []).enumerated().filter { _, budget in
      (budget.group == nil || budget.group == group)
        && !hasRoom(budget, kind, app, at: now, endingAt: nil)
    }.map(\.offset)
  }

  private func joins(
    _ kind: AssertionKind, _ app: Int, at instant: Instant, endingAt spent: Instant?
  ) -> Bool {
    let coalescing = runRow(kind)?.coalescing ?? .zero
    return standing[app].runs.contains { $0.kind == kind && $0.to + coalescing >= instant }
      || apps[app].runs.contains {
        $0.kind == kind
          && ($0.delivered == nil || end(of: $0, endingAt: spent) + coalescing >= instant)
      }
  }

  /// How long a kind has run in the window that ends at `instant`, if current runs continue.
  private func runTime(
    _ kind: AssertionKind, _ window: Interval, _ app: Int, at instant: Instant,
    endingAt spent: Instant?
  ) -> Interval {
    var sum: Int64 = 0
    for run in stretches(kind, app, endingAt: spent) {
      sum += max(0, (min(run.to, instant) - max(run.from, instant - window)).nanoseconds)
    }
    return Interval(nanoseconds: sum)
  }

  private func stretches(_ kind: AssertionKind, _ app: Int, endingAt spent: Instant?) -> [Run] {
    // Runs outside every window are skipped to save time.
    let row = runRow(kind)
    let reach =
      ((row?.budgets.map(\.window) ?? []) + [row?.budget?.window].compactMap(\.self)).max() ?? .zero
    return standing[app].runs.filter { $0.kind == kind && $0.to + reach > now }
      + apps[app].runs.compactMap { wake in
        wake.kind == kind
          ? wake.delivered.map { Run(kind: kind, from: $0, to: end(of: wake, endingAt: spent)) }
          : nil
      }
  }

  private func end(of wake: Wake, endingAt spent: Instant?) -> Instant {
    if endsAtWarning(wake) {
      let end = min(wake.end, spent ?? .distantFuture)
      return max(now, wake.isUnwanted ? now : end - times(of: wake).warning)
    }
    if wake.hasOverrun || runRow(wake.kind)?.overrun == .tell { return .distantFuture }
    return min(wake.end, spent ?? .distantFuture)
  }

  // MARK: Ahead

  /// The instants after now at which the run time in a window may start to rise or fall, or the
  /// app's group changes.
  private func turns(_ kind: AssertionKind, _ app: Int, endingAt spent: Instant?) -> [Instant] {
    var turns: Set<Instant> = []
    let row = runRow(kind)
    let windows = (row?.budgets.map(\.window) ?? []) + [row?.budget?.window].compactMap(\.self)
    for (window, run) in windows.flatMap({ window in
      stretches(kind, app, endingAt: spent).map { (window, $0) }
    }) {
      turns.formUnion([run.from + window, run.to + window, run.to])
    }
    if !front.contains(app) {
      turns.formUnion(policy.groups.map { (standing[app].leftFront ?? .zero) + $0.unusedFor })
    }
    return turns.filter { $0 > now && $0 < .distantFuture }.sorted()
  }

  /// The instant at which current runs use up a kind's run time; nil if not before their end.
  func exhaustion(_ kind: AssertionKind, _ app: Int) -> Instant? {
    guard
      runRow(kind)?.budgets.contains(where: { if case .runTime = $0.amount { true } else { false } }
      ) == true
    else { return nil }
    let running = apps[app].runs.filter { $0.kind == kind && $0.delivered != nil && !$0.hasOverrun }
    guard let last = running.map(\.end).max(), last > now else { return nil }
    let instants = [now] + turns(kind, app, endingAt: nil).filter { $0 < last } + [last]
    for (from, to) in zip(instants, instants.dropFirst()) {
      if isSpent(kind, app, at: from) { return from }
      for (budget, endsRuns) in limits(kind, app, at: from) where endsRuns {
        guard case .runTime(let most) = budget.amount else { continue }
        let before = runTime(kind, budget.window, app, at: from, endingAt: nil)
        let after = runTime(kind, budget.window, app, at: to, endingAt: nil)
        guard after > before else { continue }
        let rate = (after.nanoseconds - before.nanoseconds) / (to - from).nanoseconds
        let instant =
          from + Interval(nanoseconds: (most.nanoseconds - before.nanoseconds + rate - 1) / rate)
        if instant < to { return earliest(instant, from, to, kind, app) }
      }
    }
    return nil
  }

  /// The first instant between two such instants at which any limit is reached.
  private func earliest(
    _ found: Instant, _ from: Instant, _ to: Instant, _ kind: AssertionKind, _ app: Int
  ) -> Instant {
    limits(kind, app, at: from).filter(\.endsRuns).reduce(found) { first, limit in
      guard case .runTime(let most) = limit.budget.amount else { return first }
      let before = runTime(kind, limit.budget.window, app, at: from, endingAt: nil)
      let after = runTime(kind, limit.budget.window, app, at: to, endingAt: nil)
      let rate = (after.nanoseconds - before.nanoseconds) / (to - from).nanoseconds
      return rate > 0
        ? min(
          first,
          from + Interval(nanoseconds: (most.nanoseconds - before.nanoseconds + rate - 1) / rate))
        : first
    }
  }

  /// Checks that nothing runs under a budget that is used up.
  func checkSpentRuns() {
    for app in apps.indices {
      for wake in apps[app].runs
      where wake.delivered != nil && !wake.hasOverrun && wake.passedWarning == nil {
        if let spent = exhaustion(wake.kind, app), spent <= now {
          demand(false, "\(wake.kind) continues in app \(app) with its budget used up")
        }
      }
    }
  }

  /// The run time used in each window, in words.
  func runTimes(of kind: AssertionKind, _ app: Int) -> String {
    let texts = limits(kind, app, at: now).compactMap { limit -> String? in
      guard case .runTime(let most) = limit.budget.amount else { return nil }
      return
        "\(runTime(kind, limit.budget.window, app, at: now, endingAt: nil)) of \(most) in \(limit.budget.window)"
    }
    return texts.joined(separator: ", ")
  }

  func isSpent(_ kind: AssertionKind, _ app: Int) -> Bool { isSpent(kind, app, at: now) }

  private func isSpent(_ kind: AssertionKind, _ app: Int, at instant: Instant) -> Bool {
    limits(kind, app, at: instant).contains { budget, endsRuns in
      guard endsRuns, case .runTime(let most) = budget.amount else { return false }
      return runTime(kind, budget.window, app, at: instant, endingAt: nil) >= most
    }
  }

  // MARK: The next room

  /// A denial names the next possible instant if it is known; it is not known during a run that has
  /// used up its time.
  func checkNext(_ next: Instant?, _ kind: AssertionKind, _ denied: DenialReasons, _ app: Int) {
    guard denied.contains(.budget) else {
      return demand(next == nil, "\(kind) has room, but a next instant is reported")
    }
    let (told, full) = (denied.fullBudgets, fullBudgets(kind, app))
    demand(told == full, "\(kind)'s budgets \(told) are reported as full, not \(full)")
    let isSpent = limits(kind, app, at: now).contains { budget, _ in
      guard case .runTime(let most) = budget.amount else { return false }
      return runTime(kind, budget.window, app, at: now, endingAt: nil) >= most
    }
    let row = runRow(kind)
    let countsAlone =
      row?.budgets.allSatisfy { if case .admissions = $0.amount { true } else { false } } ?? true
    let countsRuns = row?.budget?.runTime != nil || !countsAlone
    if isSpent || countsRuns && row?.overrun == .kill,
      apps[app].runs.contains(where: { $0.kind == kind && $0.delivered != nil })
    {
      return demand(next == nil, "\(kind)'s next instant is reported while it runs")
    }
    let spent = exhaustion(kind, app)
    guard let next else {
      // There is no room, however long one waits.
      let far = turns(kind, app, endingAt: spent).last ?? now
      return demand(
        isUsedUp(kind, app, at: far + .seconds(1_000_000_000), endingAt: spent),
        "\(kind)'s next instant is not reported")
    }
    demand(
      next > now && !isUsedUp(kind, app, at: next, endingAt: spent), "\(kind)'s next is too early")
    demand(
      isUsedUp(kind, app, at: next - .nanoseconds(1), endingAt: spent), "\(kind)'s next is too late"
    )
  }

  // MARK: History

  mutating func noteAdmission(_ kind: AssertionKind, _ app: Int) {
    standing[app].admissions.append(
      Admission(kind: kind, at: now, beginsSession: !joins(kind, app, at: now, endingAt: nil)))
  }

  mutating func noteRun(_ wake: Wake, _ app: Int) {
    guard let delivered = wake.delivered else { return }
    standing[app].runs.append(Run(kind: wake.kind, from: delivered, to: now))
  }
}
