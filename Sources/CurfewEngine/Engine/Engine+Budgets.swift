/// What an app has had of a kind of wake: an admission, or a run. Kept as long as the kind's window reaches back to it.
struct BudgetUse: BitwiseCopyable {
  /// Of an admission, both are its instant.
  var start: Int64
  var end: Int64
  var next = UInt32.max
  var kind: AssertionKind
  var isRun: Bool
}

/// Budgets: so many admissions, or so much run time, in a window that ends now (rule W4).
extension Engine {
  /// Whether an app has used up what it may have of a kind, and from when it may have more; that is not known while a run goes on.
  ///
  /// - Complexity: O(what the app has had within the windows of all kinds).
  mutating func budgetDenial(_ kind: AssertionKind, _ app: UInt32) -> (isUsedUp: Bool, next: Instant?) {
    guard let budget = rows[Int(kind.rawValue)].budget else { return (false, nil) }
    let slot = makeExtras(app)
    forgetOldUses(slot)
    var next = Instant.zero
    var isUsedUp = false
    if let limit = budget.admissions {
      var (count, oldest) = (UInt32(0), Int64(0))
      forEachUse(slot, kind, isRun: false) { use in
        if count == 0 { oldest = use.start }
        count += 1
      }
      if count >= limit {
        isUsedUp = true
        next = Instant(nanoseconds: oldest) + budget.window
      }
    }
    if let limit = budget.runTime, runTime(kind, app, slot, budget.window, until: now) >= limit.nanoseconds {
      guard oldest(kind, .second, of: app) == nil else { return (true, nil) }
      isUsedUp = true
      next = max(next, firstInstant(under: limit, kind, app, slot, budget.window))
    }
    return (isUsedUp, isUsedUp ? next : nil)
  }

  mutating func noteAdmission(_ kind: AssertionKind, _ app: UInt32) {
    guard rows[Int(kind.rawValue)].budget?.admissions != nil else { return }
    note(BudgetUse(start: now.nanoseconds, end: now.nanoseconds, kind: kind, isRun: false), app)
  }

  /// A delivered wake has ended.
  mutating func noteRun(of assertion: UInt32) {
    let (kind, start) = (assertions[assertion].kind, assertions[assertion].due)
    guard rows[Int(kind.rawValue)].budget?.runTime != nil else { return }
    // From now on it is known when there is run time again.
    lookAgainAtRequests(of: assertions[assertion].app)
    guard start < now.nanoseconds else { return }
    note(BudgetUse(start: start, end: now.nanoseconds, kind: kind, isRun: true), assertions[assertion].app)
  }

  private mutating func note(_ use: BudgetUse, _ app: UInt32) {
    let slot = makeExtras(app)
    forgetOldUses(slot)
    let place = uses.insert(use)
    if extras[slot].lastUse == .max { extras[slot].firstUse = place } else { uses[extras[slot].lastUse].next = place }
    extras[slot].lastUse = place
  }

  /// Whatever no window reaches back to any more goes.
  private mutating func forgetOldUses(_ slot: UInt32) {
    var (place, previous) = (extras[slot].firstUse, UInt32.max)
    while place != .max {
      let use = uses[place]
      let window = rows[Int(use.kind.rawValue)].budget?.window ?? .zero
      if Instant(nanoseconds: use.end) + window <= now {
        if previous == .max { extras[slot].firstUse = use.next } else { uses[previous].next = use.next }
        if use.next == .max { extras[slot].lastUse = previous }
        uses.free(place)
      } else {
        previous = place
      }
      place = use.next
    }
  }

  private func forEachUse(_ slot: UInt32, _ kind: AssertionKind, isRun: Bool, _ body: (BudgetUse) -> Void) {
    var place = extras[slot].firstUse
    while place != .max {
      if uses[place].kind == kind, uses[place].isRun == isRun { body(uses[place]) }
      place = uses[place].next
    }
  }

  /// How long a kind has run in the window that ends at `instant`, the runs that go on included; saturates.
  private func runTime(_ kind: AssertionKind, _ app: UInt32, _ slot: UInt32, _ window: Interval, until instant: Instant) -> Int64 {
    let start = (instant - window).nanoseconds
    var sum: Int64 = 0
    func add(_ from: Int64, _ to: Int64) {
      let (next, overflow) = sum.addingReportingOverflow(max(0, to - max(from, start)))
      sum = overflow ? .max : next
    }
    forEachUse(slot, kind, isRun: true) { add($0.start, $0.end) }
    var assertion = firstAssertion(of: app)
    while assertion != .max {
      let record = assertions[assertion]
      if record.kind == kind, record.phase == .second { add(record.due, now.nanoseconds) }
      assertion = self.assertion(after: assertion, of: app)
    }
    return sum
  }

  /// The first instant at which the window holds less than `limit`: use only falls while nothing runs, so halving finds it.
  private func firstInstant(under limit: Interval, _ kind: AssertionKind, _ app: UInt32, _ slot: UInt32, _ window: Interval) -> Instant {
    var (low, high) = (now.nanoseconds, (now + window).nanoseconds)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let used = runTime(kind, app, slot, window, until: Instant(nanoseconds: middle))
      if used < limit.nanoseconds { high = middle } else { low = middle }
    }
    return Instant(nanoseconds: high)
  }
}
