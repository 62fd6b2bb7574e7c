/// The groups of apps that budgets refer to, compiled.
struct Groups {
  private struct Row {
    let group: AppGroup
    let conditions: FactConditions
    let unusedFor: Interval

    func fits(_ holding: FactSet) -> Bool {
      conditions.requires.isSubset(of: holding) && conditions.blockedBy.isDisjoint(with: holding)
    }
  }

  /// The rows in the order in which they are checked.
  private let rows: ContiguousArray<Row>
  /// The facts that any group depends on.
  let facts: FactSet
  /// Whether any group depends on how long ago an app was used.
  let watchesUse: Bool

  init(_ policy: Policy) {
    let order = policy.groups.indices.sorted { first, second in
      let (a, b) = (policy.groups[first], policy.groups[second])
      return (b.rank, b.unusedFor, first) < (a.rank, a.unusedFor, second)
    }
    rows = ContiguousArray(
      order.map { place in
        let rules = policy.groups[place]
        return Row(
          group: AppGroup(rawValue: UInt8(place)), conditions: rules.conditions,
          unusedFor: rules.unusedFor)
      })
    facts = policy.groups.reduce(into: []) {
      $0.formUnion($1.conditions.requires.union($1.conditions.blockedBy))
    }
    watchesUse = policy.groups.contains { $0.unusedFor > .zero }
  }

  var isEmpty: Bool { rows.isEmpty }

  /// The group of an app for which these facts hold and that has been unused for `disuse`; nil
  /// for none.
  func group(_ holding: FactSet, unusedFor disuse: Interval) -> AppGroup? {
    rows.first { $0.unusedFor <= disuse && $0.fits(holding) }?.group
  }

  /// The least disuse above `disuse` at which the group may change; nil if it stays the same.
  func nextChange(_ holding: FactSet, unusedFor disuse: Interval) -> Interval? {
    var next: Interval?
    for row in rows where row.unusedFor > disuse && row.fits(holding) {
      next = min(next ?? row.unusedFor, row.unusedFor)
    }
    return next
  }
}

/// The groups of apps, by facts and by the time since an app was in the foreground.
extension Engine {
  /// The group of an app at an instant from now on, if only time passes until then; nil for none.
  func group(of app: AppID, at instant: Instant) -> AppGroup? {
    groups.isEmpty
      ? nil : groups.group(circumstances(of: app).holding, unusedFor: disuse(of: app, at: instant))
  }

  /// The first instant after `instant` at which the app's group may change; nil for never.
  func nextGroupChange(of app: AppID, after instant: Instant) -> Instant? {
    guard groups.watchesUse, !apps[app].flags.contains(.inFront) else { return nil }
    let next = groups.nextChange(
      circumstances(of: app).holding, unusedFor: disuse(of: app, at: instant))
    return next.map { Instant(nanoseconds: apps[extras: app].lastUse) + $0 }
  }

  /// The time since an app was in the foreground; zero while it is there.
  private func disuse(of app: AppID, at instant: Instant) -> Interval {
    guard groups.watchesUse, !apps[app].flags.contains(.inFront) else { return .zero }
    return instant - Instant(nanoseconds: apps[extras: app].lastUse)
  }

  /// Notes that an app is in the foreground from now on, or was until now.
  mutating func noteLastUse(of app: AppID) {
    guard groups.watchesUse else { return }
    apps[extras: app].lastUse = now.nanoseconds
    armRuns(of: app)
  }
}
