/// A use of a kind by an app: an admission or a run. Kept as long as any window of the kind reaches
/// back to it.
struct BudgetUse: Linked {
  enum Sort: UInt8 {
    /// An admission that belongs to a session begun by another admission.
    case admission
    /// An admission that begins a session.
    case session
    /// A run, from its beginning to its end.
    case run
  }

  var next = Place<BudgetUse>.nowhere
  let start: Instant
  let end: Instant
  let kind: AssertionKind
  let sort: Sort

  init(admissionOf kind: AssertionKind, at instant: Instant, beginsSession: Bool) {
    (start, end, self.kind, sort) = (instant, instant, kind, beginsSession ? .session : .admission)
  }

  init(runOf kind: AssertionKind, from start: Instant, to end: Instant) {
    (self.start, self.end, self.kind, sort) = (start, end, kind, .run)
  }
}

/// The budgets of a kind, compiled.
struct KindBudgets {
  /// A budget.
  struct Limit {
    let budget: Budget
    /// Whether runs end when the budget is used up. Otherwise only the next admission is denied.
    let endsRuns: Bool
    /// The budget's bit in a denial; 0 if the budget is not in the row's list.
    let bit: UInt32
    /// The budget admits while the run time in the window is below this value, because more than
    /// the least room is left then. Zero or less if the budget never admits.
    let admitsBelow: Interval

    init(_ budget: Budget, leastRoom: Interval, endsRuns: Bool, place: Int? = nil) {
      (self.budget, self.endsRuns) = (budget, endsRuns)
      bit = place.map { 1 << UInt32($0) } ?? 0
      admitsBelow =
        if case .runTime(let time) = budget.amount {
          .nanoseconds(time.nanoseconds - leastRoom.nanoseconds)
        } else { .zero }
    }

    /// Whether the budget applies to apps of this group; nil means no group.
    func isFor(_ group: AppGroup?) -> Bool { budget.group == nil || budget.group == group }
  }

  private(set) var limits: ContiguousArray<Limit> = []
  /// How soon after the end of a run the next run still belongs to the same session.
  let coalescing: Interval
  /// The time for which a use counts after its end.
  let reach: Interval
  let countsAdmissions: Bool
  let countsRuns: Bool
  let countsSessions: Bool
  let endsRuns: Bool

  /// - Parameter next: The budget that only denies the next admission.
  init(_ next: WakeBudget?, _ budgets: [Budget], leastRoom: Interval, coalescing: Interval) {
    self.coalescing = coalescing
    if let next {
      let amounts: [Budget.Amount?] = [
        next.admissions.map { .admissions($0) }, next.runTime.map { .runTime($0) },
      ]
      for case let amount? in amounts {
        limits.append(Limit(Budget(amount, in: next.window), leastRoom: leastRoom, endsRuns: false))
      }
    }
    for (place, budget) in budgets.enumerated() {
      limits.append(Limit(budget, leastRoom: leastRoom, endsRuns: budget.isOfRunTime, place: place))
    }
    var (admissions, sessions, runs) = (false, false, false)
    for limit in limits {
      switch limit.budget.amount {
      case .admissions: admissions = true
      case .sessions: sessions = true
      case .runTime: runs = true
      }
    }
    (countsAdmissions, countsSessions, countsRuns) = (
      admissions || sessions, sessions, runs || sessions
    )
    endsRuns = limits.contains(where: \.endsRuns)
    reach = limits.reduce(coalescing.adding(.nanoseconds(1))) { max($0, $1.budget.window) }
  }
}

/// Budgets: numbers of admissions or sessions, or amounts of run time, in windows that end now
/// (rule W4).
///
/// Invariant: a use is in its app's chain, in the order in which uses ended, and its kind has
/// a budget.
struct Budgets: ~Copyable {
  /// A denial by budgets.
  struct Denial {
    /// The budgets of the row's list that have no room, one bit each.
    let full: UInt32
    /// The instant from which there is room. Nil if the instant is not known because a run
    /// continues, or if there is never room.
    let next: Instant?
  }

  /// The budgets by kind.
  private let kinds: ContiguousArray<KindBudgets>
  /// Whether any budget ends runs.
  let endRuns: Bool
  private(set) var uses = Slab<BudgetUse>()

  init(_ policy: Policy) {
    kinds = ContiguousArray(
      policy.kinds.map { kind in
        if let row = policy.sessions[kind] {
          return KindBudgets(nil, row.budgets, leastRoom: row.room, coalescing: row.coalescing)
        }
        guard let row = policy.wakes[kind] else {
          return KindBudgets(nil, [], leastRoom: .zero, coalescing: .zero)
        }
        return KindBudgets(row.budget, row.budgets, leastRoom: row.room, coalescing: row.coalescing)
      })
    endRuns = kinds.contains(where: \.endsRuns)
  }

  private init(copying other: borrowing Budgets) {
    (kinds, endRuns) = (other.kinds, other.endRuns)
    uses = other.uses.copy()
  }

  func copy() -> Budgets { Budgets(copying: self) }

  subscript(kind: AssertionKind) -> KindBudgets {
    @inline(__always) _read { yield kinds[Int(kind.rawValue)] }
  }

  func limits(_ kind: AssertionKind) -> Bool { !self[kind].limits.isEmpty }

  mutating func note(_ use: BudgetUse, in chain: inout Chain<BudgetUse>, now: Instant) {
    forget(&chain, now: now)
    _ = uses.append(use, to: &chain)
  }

  /// Removes the uses that no window reaches back to any more.
  mutating func forget(_ chain: inout Chain<BudgetUse>, now: Instant) {
    var walk = uses.walk(chain)
    while let place = walk.next(in: uses) {
      if uses[place].end + self[uses[place].kind].reach <= now { uses.remove(place, from: &chain) }
    }
  }

  mutating func removeAll(of chain: inout Chain<BudgetUse>) { uses.removeAll(of: &chain) }

  // MARK: Counting

  /// The instant from which a window has room for one more admission, or one more session, under
  /// `limit`: `instant` if the window has room then, nil if it never has.
  func room(
    under limit: UInt32, ofSessions: Bool, _ kind: AssertionKind, _ chain: Chain<BudgetUse>,
    _ window: Interval, from instant: Instant
  ) -> Instant? {
    guard limit > 0 else { return nil }
    var count: UInt32 = 0
    func counts(_ use: BudgetUse) -> Bool {
      use.kind == kind && (ofSessions ? use.sort == .session : use.sort != .run)
        && use.start + window > instant
    }
    uses.forEach(in: chain) { if counts($0) { count += 1 } }
    guard count >= limit else { return instant }
    // This many uses must leave the window, the oldest first. The window may hold more than
    // the limit.
    var (leaving, last) = (count - limit + 1, instant)
    uses.forEach(in: chain) { use in
      guard leaving > 0, counts(use) else { return }
      leaving -= 1
      last = use.start + window
    }
    return last
  }

  /// The run time of a kind in the window that ends at `instant`, excluding runs that have
  /// not ended. Saturates.
  func used(
    of kind: AssertionKind, _ chain: Chain<BudgetUse>, _ window: Interval, until instant: Instant
  ) -> Interval {
    let start = instant - window
    var sum = Interval.zero
    uses.forEach(in: chain) { use in
      if use.kind == kind, use.sort == .run {
        sum = sum.adding(max(.zero, use.end - max(use.start, start)))
      }
    }
    return sum
  }

  /// The first instant from `instant` on at which a window holds less than `limit`. While nothing
  /// runs, use can only fall, so a binary search finds the instant.
  func firstInstant(
    under limit: Interval, of kind: AssertionKind, _ chain: Chain<BudgetUse>, _ window: Interval,
    from instant: Instant
  ) -> Instant {
    func isUnder(_ nanoseconds: Int64) -> Bool {
      used(of: kind, chain, window, until: Instant(nanoseconds: nanoseconds)) < limit
    }
    var (low, high) = (instant.nanoseconds, (instant + window).nanoseconds)
    guard !isUnder(low) else { return instant }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if isUnder(middle) { high = middle } else { low = middle }
    }
    return Instant(nanoseconds: high)
  }

  /// The first instant after `instant` at which a finished run begins to leave a window, or has
  /// left it completely.
  func departure(
    of kind: AssertionKind, _ chain: Chain<BudgetUse>, _ window: Interval, after instant: Instant
  ) -> Instant {
    var first = Instant.distantFuture
    uses.forEach(in: chain) { use in
      guard use.kind == kind, use.sort == .run else { return }
      if use.end + window > instant {
        first = min(first, use.start + window > instant ? use.start + window : use.end + window)
      }
    }
    return first
  }

  /// The end of the last run of a kind; nil if none is known.
  func lastEnd(of kind: AssertionKind, _ chain: Chain<BudgetUse>) -> Instant? {
    var last: Instant?
    uses.forEach(in: chain) { if $0.kind == kind, $0.sort == .run { last = $0.end } }
    return last
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var count = 0
    for app in apps.ids {
      var last = Instant.zero
      uses.forEach(in: apps[extras: app].uses) { use in
        precondition(
          limits(use.kind) && use.start <= use.end && last <= use.end,
          "app \(app.rawValue)'s uses are broken")
        last = use.end
        count += 1
      }
    }
    precondition(count == uses.count, "uses belong to no app")
  }
}
