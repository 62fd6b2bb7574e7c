/// Budgets (rule W4).
extension Engine {
  /// Why an app may not have more of a kind now; nil if it may.
  mutating func budgetDenial(_ kind: AssertionKind, _ app: AppID) -> Budgets.Denial? {
    guard budgets.limits(kind) else { return nil }
    budgets.forget(&apps[extras: app].uses, now: now)
    let running = budgets.limitsRuns(kind) ? runTime(kind, app) : nil
    return budgets.denial(kind, apps[extras: app].uses, running: running, now: now)
  }

  /// How long the app's runs of a kind that go on have taken within the kind's window; nil if none goes on.
  private func runTime(_ kind: AssertionKind, _ app: AppID) -> Interval? {
    var (sum, walk) = (Interval?.none, assertions.walk(apps[app].assertions))
    while let place = walk.next(in: assertions.records) {
      guard assertions[place].kind == kind, assertions[place].isDelivered else { continue }
      let run = budgets.run(of: kind, from: Instant(nanoseconds: assertions[place].due), now: now)
      sum = (sum ?? .zero).adding(run)
    }
    return sum
  }

  /// A delivered wake has ended.
  mutating func noteRun(of assertion: Assertion) {
    guard budgets.limitsRuns(assertion.kind) else { return }
    // From now on it is known when there is run time again.
    lookAgainAtRequests(of: assertion.app)
    let start = Instant(nanoseconds: assertion.due)
    guard start < now else { return }
    note(BudgetUse(runOf: assertion.kind, from: start, to: now), assertion.app)
  }

  mutating func note(_ use: BudgetUse, _ app: AppID) { budgets.note(use, in: &apps[extras: app].uses, now: now) }
}
