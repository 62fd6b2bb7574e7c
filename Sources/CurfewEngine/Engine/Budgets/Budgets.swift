/// What an app has had of a kind of wake: an admission, or a run. Kept as long as the kind's window reaches back to it.
struct BudgetUse: Linked {
  var next = Place<BudgetUse>.nowhere
  fileprivate let start: Instant
  fileprivate let end: Instant
  fileprivate let kind: AssertionKind
  fileprivate let isRun: Bool

  init(admissionOf kind: AssertionKind, at instant: Instant) { (start, end, self.kind, isRun) = (instant, instant, kind, false) }
  init(runOf kind: AssertionKind, from start: Instant, to end: Instant) {
    (self.start, self.end, self.kind, isRun) = (start, end, kind, true)
  }
}

/// Budgets: so many admissions, or so much run time, in a window that ends now (rule W4).
///
/// Invariant: a use lies in its own app's chain, in the order in which uses ended, and only of kinds that have a budget.
struct Budgets: ~Copyable {
  /// Why a kind is denied.
  struct Denial {
    /// From when there is more; nil where that is not known, because a run goes on.
    let next: Instant?
  }

  /// By kind.
  private let budgets: ContiguousArray<WakeBudget?>
  private(set) var uses = Slab<BudgetUse>()

  init(_ policy: Policy) { budgets = ContiguousArray(policy.kinds.map { policy.wakes[$0]?.budget }) }

  private init(copying other: borrowing Budgets) {
    budgets = other.budgets
    uses = other.uses.copy()
  }

  func copy() -> Budgets { Budgets(copying: self) }

  private func budget(_ kind: AssertionKind) -> WakeBudget? { budgets[Int(kind.rawValue)] }

  func limits(_ kind: AssertionKind) -> Bool { budget(kind) != nil }
  func limitsAdmissions(_ kind: AssertionKind) -> Bool { budget(kind)?.admissions != nil }
  func limitsRuns(_ kind: AssertionKind) -> Bool { budget(kind)?.runTime != nil }

  mutating func note(_ use: BudgetUse, in chain: inout Chain<BudgetUse>, now: Instant) {
    forget(&chain, now: now)
    _ = uses.append(use, to: &chain)
  }

  /// Whatever no window reaches back to any more goes.
  mutating func forget(_ chain: inout Chain<BudgetUse>, now: Instant) {
    var walk = uses.walk(chain)
    while let place = walk.next(in: uses) {
      let window = budget(uses[place].kind)?.window ?? .zero
      if uses[place].end + window <= now { uses.remove(place, from: &chain) }
    }
  }

  mutating func removeAll(of chain: inout Chain<BudgetUse>) { uses.removeAll(of: &chain) }

  /// Why an app may not have more of a kind now; nil if it may.
  ///
  /// - Parameter running: What its runs that go on have used within the window; nil if none goes on.
  /// - Complexity: O(what the app has had within the windows of all kinds).
  func denial(_ kind: AssertionKind, _ chain: Chain<BudgetUse>, running: Interval?, now: Instant) -> Denial? {
    guard let budget = budget(kind) else { return nil }
    var next: Instant?
    if let limit = budget.admissions {
      var (count, oldest) = (UInt32(0), Instant.zero)
      uses.forEach(in: chain) { use in
        guard use.kind == kind, !use.isRun else { return }
        if count == 0 { oldest = use.start }
        count += 1
      }
      if count >= limit { next = oldest + budget.window }
    }
    if let limit = budget.runTime, used(of: kind, chain, budget.window, until: now).adding(running ?? .zero) >= limit {
      guard running == nil else { return Denial(next: nil) }
      next = max(next ?? .zero, firstInstant(under: limit, kind, chain, budget.window, now: now))
    }
    return next.map { Denial(next: $0) }
  }

  /// How long a run that began at `start` has gone on within the kind's window.
  func run(of kind: AssertionKind, from start: Instant, now: Instant) -> Interval {
    now - max(start, now - (budget(kind)?.window ?? .zero))
  }

  /// How long a kind has run in the window that ends at `instant`, the runs that go on left out; saturates.
  private func used(of kind: AssertionKind, _ chain: Chain<BudgetUse>, _ window: Interval, until instant: Instant) -> Interval {
    let start = instant - window
    var sum = Interval.zero
    uses.forEach(in: chain) { use in
      if use.kind == kind, use.isRun { sum = sum.adding(max(.zero, use.end - max(use.start, start))) }
    }
    return sum
  }

  /// The first instant at which the window holds less than `limit`: use only falls while nothing runs, so halving finds it.
  private func firstInstant(
    under limit: Interval, _ kind: AssertionKind, _ chain: Chain<BudgetUse>, _ window: Interval, now: Instant
  ) -> Instant {
    var (low, high) = (now.nanoseconds, (now + window).nanoseconds)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if used(of: kind, chain, window, until: Instant(nanoseconds: middle)) < limit { high = middle } else { low = middle }
    }
    return Instant(nanoseconds: high)
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var count = 0
    for app in apps.ids {
      var last = Instant.zero
      uses.forEach(in: apps[extras: app].uses) { use in
        precondition(limits(use.kind) && use.start <= use.end && last <= use.end, "app \(app.rawValue)'s uses are broken")
        last = use.end
        count += 1
      }
    }
    precondition(count == uses.count, "uses belong to nobody")
  }
}
